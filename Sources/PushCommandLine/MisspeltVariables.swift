internal import APNSVocabulary
package import PushPlatform

extension Variables {
    /// Names that only look like known ones: a misspelt one would change nothing, and nobody would notice.
    ///
    /// - Parameters:
    ///   - prefix: What all names of a program begin with.
    ///   - known: The variables that the program reads.
    /// - Returns: The names that are set, each with the one that was probably meant.
    package func misspelt(_ prefix: String, among known: [String]) -> [(name: String, meant: String)] {
        let ends = known.map { String($0.dropFirst(prefix.count)) }
        return names.filter { $0.hasPrefix(prefix) && !known.contains($0) }.sorted().compactMap { name in
            NearestName.misspelt(String(name.dropFirst(prefix.count)), of: ends).map { (name, prefix + $0) }
        }
    }
}
