import APNSVocabulary

/// Suggests the name that a request probably meant, after a typing error. Letter case and hyphens do not count.
package enum NameSuggestion {
    /// The most similar known word; `nil` if no word is similar.
    private static func of(_ name: String, among known: [String]) -> String? {
        guard name.utf8.count <= 64 else { return nil }
        return EditDistance.nearest(to: name, among: known, atMost: max(1, folded(name).count / 3), form: folded)
    }

    /// The remedy for an unknown word.
    package static func remedy(_ name: String, among known: [String]) -> String {
        if let nearest = of(name, among: known) { return "Did you mean \(nearest.debugDescription)?" }
        return known.isEmpty ? "There are none here." : "Known: \(known.joined(separator: ", "))."
    }

    private static func folded(_ name: String) -> String {
        name.lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " }
    }
}
