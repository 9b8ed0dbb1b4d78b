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

    /// Finds the nearest word; `nil` if no word is near. If several are equally near, the first one is used.
    init?(_ text: String, of vocabulary: Vocabulary) {
        if let same = vocabulary.sameSpelling(as: text) {
            (meant, isCertain) = (same, true)
            return
        }
        guard text.utf8.count <= 40 else { return nil }
        let written = Vocabulary.folded(text)
        let measured = vocabulary.names.map { ($0.name, Self.slips(written, $0.folded)) }
        guard let nearest = measured.min(by: { $0.1 < $1.1 }), nearest.1 <= max(1, written.count / 5) else {
            return nil
        }
        (meant, isCertain) = (nearest.0, false)
    }

    /// Returns the number of typing errors. Letters in another order are one error.
    private static func slips(_ written: String, _ meant: String) -> Int {
        let isMixedUp = written.count == meant.count && written.sorted() == meant.sorted()
        return isMixedUp ? 1 : EditDistance.between(written, meant)
    }
}

/// The known words, each also in lower case without hyphens and underscores.
struct Vocabulary: Sendable {
    let names: [(name: String, folded: String)]
    private let spellings: [String: String]

    init(_ names: [String]) {
        self.names = names.map { ($0, Self.folded($0)) }
        spellings = Dictionary(self.names.map { ($0.folded, $0.name) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the known word that differs only in case, hyphens and underscores.
    func sameSpelling(as text: String) -> String? { spellings[Self.folded(text)] }

    func hasSpelling(_ text: String) -> Bool { sameSpelling(as: text) != nil }

    static func folded(_ text: String) -> String {
        text.lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " }
    }
}
