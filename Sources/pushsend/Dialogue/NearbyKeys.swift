import APNSVocabulary
import PushPlatform

/// Finds key and certificate files in the current folder, to offer them.
struct NearbyKeys {
    /// The names, sorted.
    var names: [String]

    /// The maximum number of names to offer. Further ones are left out.
    private static let most = 9

    static var here: NearbyKeys {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: ".")) ?? []
        return NearbyKeys(names: Array(names.filter(isOne).sorted().prefix(most)))
    }

    private static func isOne(_ name: String) -> Bool {
        let plain = name.lowercased()
        return name.hasPrefix("AuthKey_") && (plain.hasSuffix(".p8") || plain.hasSuffix(".p8.txt"))
            || plain.hasSuffix(".p12")
    }

    /// The text after the hint.
    var offer: String {
        switch names.count {
        case 0: ""
        case 1: "\nFound here: \(names[0].printable). Press Enter to use it."
        default:
            "\nFound here. Type a number to use one:\n"
                + names.enumerated().map { "  \($0.offset + 1)  \($0.element.printable)" }.joined(separator: "\n")
        }
    }

    /// Returns the path for an answer.
    func chosen(by answer: String) -> String {
        if answer.isEmpty, names.count == 1 { return names[0] }
        guard names.count > 1, let number = Int(answer), names.indices.contains(number - 1) else { return answer }
        return names[number - 1]
    }
}
