import PushLint

/// Finds the known word that was probably meant.
enum KnownWord {
    /// The most similar known word; `nil` if no word is similar.
    static func of(_ word: String, among known: [String]) -> String? {
        guard word.utf8.count <= 64 else { return nil }
        let written = folded(word)
        let measured = known.map { ($0, EditDistance.between(written, folded($0))) }
        guard let nearest = measured.min(by: { $0.1 < $1.1 }), nearest.1 <= max(1, written.count / 3) else {
            return nil
        }
        return nearest.0
    }

    /// The remedy for an unknown word.
    static func remedy(_ word: String, among known: [String]) -> String {
        if let nearest = of(word, among: known) { return "Did you mean \(nearest.debugDescription)?" }
        return known.isEmpty ? "There are none here." : "Known: \(known.joined(separator: ", "))."
    }

    private static func folded(_ word: String) -> [Character] {
        Array(word.lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " })
    }
}
