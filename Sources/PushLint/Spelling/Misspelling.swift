internal import APNSVocabulary

/// A misspelt word, and the word that was probably meant.
struct Misspelling {
    /// The word that was probably meant.
    var meant: String
    /// Whether only upper and lower case, hyphens and underscores differ.
    var isCertain: Bool

    init?(_ text: String, of names: [String]) {
        self.init(text, of: Vocabulary(names))
    }

    /// Finds the nearest word, with at most one typing error in five letters: keys of an app may resemble Apple's. `nil` if no word is near. If several are equally near, the first one is used.
    init?(_ text: String, of vocabulary: Vocabulary) {
        if let same = vocabulary.sameSpelling(as: text) {
            (meant, isCertain) = (same, true)
            return
        }
        guard text.utf8.count <= 40 else { return nil }
        let written = Vocabulary.folded(text)
        let (length, allowed) = (written.unicodeScalars.count, max(1, written.count / 5))
        // There are at least as many typing errors as the lengths differ by, so most words needn't be compared.
        let measured = vocabulary.names.lazy.filter { abs($0.length - length) <= allowed }.map {
            ($0.name, NearestName.slips(written, $0.folded))
        }
        guard let nearest = measured.min(by: { $0.1 < $1.1 }), nearest.1 <= allowed else { return nil }
        (meant, isCertain) = (nearest.0, false)
    }

}

/// The known words, each also in lower case without hyphens and underscores.
struct Vocabulary: Sendable {
    let names: [(name: String, folded: String, length: Int)]
    private let spellings: [String: String]

    init(_ names: [String]) {
        self.names = names.map { name in
            let folded = Self.folded(name)
            return (name, folded, folded.unicodeScalars.count)
        }
        spellings = Dictionary(self.names.map { ($0.folded, $0.name) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the known word that differs only in case, hyphens and underscores.
    func sameSpelling(as text: String) -> String? { spellings[Self.folded(text)] }

    func hasSpelling(_ text: String) -> Bool { sameSpelling(as: text) != nil }

    static func folded(_ text: String) -> String { NearestName.folded(text) }
}
