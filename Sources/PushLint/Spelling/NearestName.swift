/// Finds the name that was probably meant, after a typing error.
package enum NearestName {
    /// Returns the word with the fewest differences; `nil` if none is similar.
    package static func nearest(to word: String, of words: [String]) -> String? {
        if word.count > 1, let longer = words.first(where: { $0.hasPrefix(word) }) { return longer }
        let measured = words.map { ($0, EditDistance.between(Array(word), Array($0))) }
        guard let best = measured.min(by: { $0.1 < $1.1 }), best.1 <= 2, best.1 * 2 <= word.count else { return nil }
        return best.0
    }
}
