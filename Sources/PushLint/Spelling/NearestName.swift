/// Finds the name that was probably meant, after a typing error.
package enum NearestName {
    /// Returns the word with the fewest differences; `nil` if none is similar.
    package static func nearest(to text: String, of names: [String]) -> String? {
        if text.count > 1, let longer = names.first(where: { $0.hasPrefix(text) }) { return longer }
        let measured = names.map { ($0, EditDistance.between(Array(text), Array($0))) }
        guard let best = measured.min(by: { $0.1 < $1.1 }), best.1 <= 2, best.1 * 2 <= text.count else { return nil }
        return best.0
    }
}
