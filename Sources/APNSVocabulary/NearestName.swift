/// Finds the name that was probably meant. Letter case, hyphens, underscores and spaces don't count, and letters in another
/// order are one error.
package enum NearestName {
    /// The maximum length of a text that is compared, in bytes. For a longer one, nothing is suggested, and it is no typing error of another.
    package static let longest = 64

    /// Returns a name that begins with the text, the name with the fewest typing errors, or one that contains the text or is
    /// contained in it; `nil` if none is similar. Of several, it's the first one.
    package static func nearest(to text: String, of names: [String]) -> String? {
        guard text.utf8.count <= longest else { return nil }
        let written = folded(text)
        let spelled = names.map { (name: $0, letters: folded($0)) }
        if let same = spelled.first(where: { $0.letters == written }) { return same.name }
        if written.count > 1, let longer = spelled.first(where: { $0.letters.hasPrefix(written) }) {
            return longer.name
        }
        if let misspelt = misspelt(text, of: names) { return misspelt }
        return spelled.first { name in
            min(written.count, name.letters.count) >= 4
                && (name.letters.contains(written) || written.contains(name.letters))
        }?.name
    }

    /// Returns the name with the fewest typing errors; `nil` if each has more than one in three letters.
    package static func misspelt(_ text: String, of names: [String]) -> String? {
        guard text.utf8.count <= longest else { return nil }
        let written = folded(text)
        let measured = names.lazy.filter { $0.utf8.count <= longest }.map {
            (name: $0, slips: slips(written, folded($0)))
        }
        let allowed = written.count < 3 ? written.count / 2 : written.count / 3
        guard let best = measured.min(by: { $0.slips < $1.slips }), best.slips <= allowed else { return nil }
        return best.name
    }

    /// The remedy for an unknown name.
    ///
    /// - Parameters:
    ///   - text: What is written.
    ///   - names: The known names.
    ///   - others: What people write for a known name.
    /// - Returns: A sentence.
    package static func remedy(_ text: String, among names: [String], others: [String: String] = [:]) -> String {
        let written = folded(text)
        let other = others.first { folded($0.key) == written }?.value
        if let nearest = other ?? nearest(to: text, of: names) { return "Did you mean \(nearest.debugDescription)?" }
        return names.isEmpty ? "There are none here." : "Known: \(names.joined(separator: ", "))."
    }

    /// The maximum length of an unknown key in a message, in characters.
    private static let longestShown = 100

    /// Refuses a key that an object cannot have. All readers of JSON, YAML and searches say it this way.
    ///
    /// - Parameters:
    ///   - key: What is written.
    ///   - known: The known keys.
    ///   - others: What people write for a known key.
    ///   - place: Where the key is, if that's not obvious: `in "when"`.
    /// - Returns: What's wrong and what to do about it, in a sentence each.
    package static func unknownKey(
        _ key: String, among known: [String], others: [String: String] = [:], _ place: String? = nil
    ) -> (problem: String, remedy: String) {
        let shown = "\"\(String(key.prefix(longestShown)).printable)\""
        return (
            "Unknown key \([shown, place].compactMap(\.self).joined(separator: " ")).",
            remedy(key, among: known, others: others)
        )
    }

    /// A text without what doesn't count.
    package static func folded(_ text: String) -> String {
        text.lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " }
    }

    /// Returns the number of typing errors between folded texts.
    package static func slips(_ written: String, _ meant: String) -> Int {
        let isMixedUp = written.count == meant.count && written.sorted() == meant.sorted()
        return isMixedUp && written != meant ? 1 : EditDistance.between(written, meant)
    }
}

/// The edit distance of two words: the number of inserted, removed or changed letters.
package enum EditDistance {
    /// The maximum difference of the lengths, in characters, for an exact result.
    private static let longestDifference = 64

    /// Returns the minimum number of changes between `left` and `right`.
    ///
    /// If the lengths differ by more than ``longestDifference``, the result is the difference of the lengths.
    package static func between(_ left: some StringProtocol, _ right: some StringProtocol) -> Int {
        let (left, right) = (Array(left.unicodeScalars), Array(right.unicodeScalars))
        let difference = abs(left.count - right.count)
        if difference > longestDifference { return difference }
        // One row of the table at a time: the distances between the letters of `left` so far and each prefix of `right`.
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in right.enumerated() {
                let distance = letter == other ? diagonal : min(diagonal, row[column], row[column + 1]) + 1
                diagonal = row[column + 1]
                row[column + 1] = distance
            }
        }
        return row[right.count]
    }
}
