internal import APNSVocabulary
import PushProvider

extension Explanation {
    /// All explanations, in the order of lists.
    static let all: [Explanation] = reasons + statuses + exitCodes + outcomes + causes + ofLines + topics + rules

    /// Finds the explanation for text that was typed, or pasted from an answer.
    ///
    /// Letter case, spaces, hyphens and underscores are ignored. If the text has several terms, as in `rejected  410
    /// Unregistered`, the most specific one is used: a reason before a number before an outcome.
    static func find(_ text: String) -> Explanation? {
        if let whole = byFoldedTerm[folded(text)] { return whole }
        // A line of the lint ends with the rule, after any other words.
        if let rule = text.firstMatch(of: #/\[([a-z0-9-]+)\]\s*$/#)?.1, let found = byFoldedTerm[folded(String(rule))] {
            return found
        }
        // The time at the end of a line of `send` is not an exit code.
        let words = text.replacing(#/\(\d+ ms\)/#, with: "").split {
            !$0.isLetter && !$0.isNumber && $0 != "-" && $0 != "_"
        }.map(String.init)
        let pairs = zip(words, words.dropFirst()).map { $0 + $1 }
        let found = (words + pairs).compactMap { byFoldedTerm[folded($0)] }
        // The names of push types are common words of lines and payloads.
        let rest = found.filter { $0.term != "push-type" }
        return rest.first { $0.kind == .reason } ?? rest.first { $0.kind != .outcome } ?? rest.first ?? found.first
    }

    /// Returns the terms that contain this one, or have a similar spelling: at most three, the nearest first.
    static func nearest(to text: String) -> [String] {
        let typed = folded(text)
        // A similar number is a different number, not a typing error.
        guard typed.count > 3, !typed.allSatisfy(\.isNumber) else { return [] }
        let terms = all.filter { $0.kind != .status && $0.kind != .exitCode }
        let measured = terms.map { explanation -> (term: String, distance: Int) in
            let spellings = ([explanation.term] + explanation.aliases).map { folded($0) }
            let distances = spellings.map { $0.contains(typed) ? 1 : NearestName.slips(typed, $0) }
            return (term: explanation.term, distance: distances.min() ?? .max)
        }
        let least = measured.map { $0.distance }.min() ?? .max
        guard least <= typed.count / 2 else { return [] }
        let near = measured.filter { $0.distance <= least + 1 && $0.distance <= typed.count / 2 }
        return near.sorted { ($0.distance, $0.term) < ($1.distance, $1.term) }.prefix(3).map { $0.term }
    }

    private static let byFoldedTerm: [String: Explanation] = Dictionary(
        all.flatMap { explanation in
            ([explanation.term] + explanation.aliases).map { (folded($0), explanation) }
        },
        uniquingKeysWith: { first, _ in first }
    )

    /// Returns only letters and digits, in lower case.
    private static func folded(_ text: String) -> String {
        text.lowercased().filter { $0.isLetter || $0.isNumber }
    }
}
