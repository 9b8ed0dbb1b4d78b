/// Finds the word that was probably meant.
package enum NearestWord {
    /// Returns a word that begins with this one, or the word with the fewest differences; `nil` if none is similar.
    package static func nearest(to word: String, of words: [String]) -> String? {
        if word.count > 1, let longer = words.first(where: { $0.hasPrefix(word) }) { return longer }
        return EditDistance.nearest(to: word, among: words, atMost: min(2, word.count / 2))
    }
}
