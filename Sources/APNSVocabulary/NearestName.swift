/// Finds the name that was probably meant, after a typing error.
package enum NearestName {
    /// Returns a name that begins with the text, or the name with the fewest differences; `nil` if none is similar.
    package static func nearest(to text: String, of names: [String]) -> String? {
        if text.count > 1, let longer = names.first(where: { $0.hasPrefix(text) }) { return longer }
        return EditDistance.nearest(to: text, among: names, atMost: min(2, text.count / 2))
    }
}
