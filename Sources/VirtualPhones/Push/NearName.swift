internal import APNSVocabulary

/// Finds the name that was probably meant.
enum NearName {
    /// The maximum length of a name that is compared, in characters.
    private static let longest = 64

    /// Returns the name that is most similar; `nil` if none is.
    static func of(_ name: String, among names: [String]) -> String? {
        names.map { (name: $0, distance: distance(name, $0)) }
            .filter { $0.distance <= max(1, min(name.count, $0.name.count) / 4) || isPart(name, $0.name) }
            .min { $0.distance < $1.distance }?.name
    }

    /// Whether one name contains the other, apart from hyphens and letter case: `attachment` and `attachment-url`.
    private static func isPart(_ left: String, _ right: String) -> Bool {
        let (left, right) = (letters(left), letters(right))
        guard min(left.count, right.count) >= 4 else { return left == right }
        return left.contains(right) || right.contains(left)
    }

    private static func letters(_ name: String) -> String {
        String(name.lowercased().prefix(longest).filter { $0.isLetter || $0.isNumber })
    }

    private static func distance(_ left: String, _ right: String) -> Int {
        EditDistance.between(left.lowercased().prefix(longest), right.lowercased().prefix(longest))
    }
}
