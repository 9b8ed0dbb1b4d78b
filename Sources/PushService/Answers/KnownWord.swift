import APNSVocabulary

/// Finds the known word that somebody probably meant.
enum KnownWord {
    /// The most similar known word; `nil` if no word is similar.
    static func of(_ word: String, among known: [String]) -> String? {
        guard word.utf8.count <= 64 else { return nil }
        return EditDistance.nearest(to: word, among: known, atMost: max(1, folded(word).count / 3), form: folded)
    }

    /// The remedy for an unknown word.
    static func remedy(_ word: String, among known: [String]) -> String {
        if let nearest = of(word, among: known) { return "Did you mean \(nearest.debugDescription)?" }
        return known.isEmpty ? "There are none here." : "Known: \(known.joined(separator: ", "))."
    }

    private static func folded(_ word: String) -> String {
        word.lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " }
    }
}
