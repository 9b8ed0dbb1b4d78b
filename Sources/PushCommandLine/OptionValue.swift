internal import APNSVocabulary

/// Describes the valid values of an option, for errors about an invalid value.
package enum OptionValue {
    /// Replaces the message of argument-parser, which repeats the help of the option.
    ///
    /// - Parameters:
    ///   - problem: "The value 'abc' is invalid for '--badge <number>'", possibly followed by a reason after a colon, or by "Please provide
    ///     one of 'a', 'b' or 'c'."
    ///   - forms: The description of each kind of value, by its name in the help.
    ///   - advice: A sentence about a value of a flag; `nil` for a flag whose kind of value says enough.
    /// - Returns: The new sentence; `nil` if the message is about something else.
    package static func refusal(
        _ problem: String, forms: [String: String],
        advice: (_ flag: String, _ value: String) -> String? = { _, _ in nil }
    ) -> String? {
        guard problem.hasPrefix("The value '"), let (value, name, rest) = parts(problem) else { return nil }
        let nameParts = name.split(separator: " ", maxSplits: 1)
        guard let flag = nameParts.first else { return nil }
        let shown = String(value.prefix(60)).printable
        let first = "\(flag) can't be \"\(shown)\""
        if rest.hasPrefix(": ") { return sentence("\(first)\(rest)") }
        if let choices = rest.firstRange(of: "Please provide one of ") {
            // The help of the option follows.
            let list = rest[choices.upperBound...]
            let end = list.firstRange(of: ". ")?.lowerBound ?? list.endIndex
            let names = String(list[..<end]).replacing("'", with: "").replacing(" and ", with: " or ")
            return "\(first): use \(sentence(names))"
        }
        if let meant = advice(String(flag), value) { return "\(first). \(meant)" }
        if let form = nameParts.dropFirst().first.flatMap({ forms[String($0.dropFirst().dropLast())] }) {
            return "\(flag) takes \(form), not \"\(shown)\"."
        }
        return "\(first)."
    }

    private static func sentence(_ text: String) -> String { text.hasSuffix(".") ? text : text + "." }

    /// Splits the message into the value, the option as shown by argument-parser, and the rest. The value may contain
    /// quotation marks.
    private static func parts(_ problem: String) -> (value: String, name: String, rest: String)? {
        guard let middle = problem.firstRange(of: "' is invalid for '"),
            let end = problem[middle.upperBound...].firstIndex(of: "'")
        else { return nil }
        let value = problem[..<middle.lowerBound].dropFirst("The value '".count)
        return (String(value), String(problem[middle.upperBound..<end]), String(problem[problem.index(after: end)...]))
    }

    /// Finds a negative number, which argument-parser takes for another option.
    ///
    /// - Parameters:
    ///   - problem: "Missing value for '--limit <number>'".
    ///   - arguments: The words after the name of the program.
    /// - Returns: The sentence about it; `nil` if there is none.
    package static func negative(_ problem: String, _ arguments: [String]) -> String? {
        guard problem.hasPrefix("Missing value for '"), let end = problem.dropFirst(19).firstIndex(of: "'") else {
            return nil
        }
        let flag = problem.dropFirst(19)[..<end].split(separator: " ").first.map(String.init) ?? ""
        guard let index = arguments.lastIndex(of: flag), index + 1 < arguments.count, arguments[index + 1].first == "-",
            arguments[index + 1].dropFirst().first?.isNumber == true
        else { return nil }
        return
            "\(flag) can't be \"\(String(arguments[index + 1].prefix(40)).printable)\": the value must not be negative."
    }
}

/// The form of a name that a user chooses, for an app, a profile or a device.
package enum NameForm {
    /// Whether a text is a name: up to 64 letters, digits, hyphens, dots and underscores.
    package static func isValid(_ name: String, asciiOnly: Bool = false) -> Bool {
        (1...64).contains(name.utf8.count) && !name.hasPrefix("-") && !name.hasPrefix(".")
            && name.unicodeScalars.allSatisfy {
                ($0.isASCII || !asciiOnly)
                    && ($0.properties.isAlphabetic || "0123456789._-".unicodeScalars.contains($0))
            }
    }
}
