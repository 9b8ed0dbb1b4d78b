internal import APNSVocabulary
import ArgumentParser
import PushPlatform
import PushProvider
import PushTime

/// A duration with its unit: `30s`, `500ms`, `2m`, `1h`, `7d`.
struct DurationArgument: ExpressibleByArgument {
    var duration: Duration

    init?(argument: String) {
        guard let duration = Duration(unitText: argument) else { return nil }
        self.duration = duration
    }
}

/// How long Apple tries to deliver: `once`, `apple`, a duration, an ISO date, or UNIX seconds, with an `@` or without.
struct ExpiresArgument: ExpressibleByArgument {
    let expiration: PushExpiration

    init?(argument: String) {
        guard CommandLineSuggestion.sentence(forExpires: argument) == nil,
            let expiration = PushExpiration(text: argument)
        else { return nil }
        self.expiration = expiration
    }
}

/// Describes the valid values of an option, for errors about an invalid value.
enum OptionValue {
    /// Replaces the message of argument-parser, which repeats the help of the option.
    ///
    /// - Parameter problem: "The value 'abc' is invalid for '--badge <number>'", possibly followed by a reason after a
    ///   colon, or by "Please provide one of 'a', 'b' or 'c'."
    /// - Returns: The new sentence; `nil` if the message is about something else.
    static func refusal(_ problem: String) -> String? {
        guard problem.hasPrefix("The value '"), let (value, name, rest) = parts(problem) else { return nil }
        let nameParts = name.split(separator: " ", maxSplits: 1)
        guard let flag = nameParts.first else { return nil }
        let shown = String(value.prefix(60)).printable
        let first = "\(flag) can't be \"\(shown)\""
        if rest.hasPrefix(": ") { return sentence("\(first)\(rest)") }
        var sentences = ["\(first)."]
        if let choices = rest.firstRange(of: "Please provide one of ") {
            let names = rest[choices.upperBound...].replacing("'", with: "").replacing(" and ", with: " or ")
            sentences = ["\(first): use \(sentence(String(names)))"]
        } else if flag == "--expires", let meant = CommandLineSuggestion.sentence(forExpires: value) {
            sentences.append(meant)
        } else if flag == "--endpoint" {
            sentences.append(EndpointArgument.advice(for: value))
        } else if flag == "--listen" {
            sentences.append(ListenArgument.advice(for: value))
        } else if let form = nameParts.dropFirst().first.flatMap({ forms[String($0.dropFirst().dropLast())] }) {
            sentences = ["\(flag) takes \(form), not \"\(shown)\"."]
        }
        return sentences.joined(separator: " ")
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

    /// The description of each kind of value, by its name in the help.
    private static let forms = [
        "number": "a whole number",
        "10|5|1": "10, 5 or 1",
        "N|random:N": "a whole number, or random: and a whole number, such as random:1000",
        "port": "a port, a whole number from 1 to 65535",
        "port|0": "a port, a whole number from 1 to 65535, or 0 for any free port",
        "duration": "a number with its unit, such as 500ms, 30s or 5m",
        "number/s": "a number for each second, minute or hour, such as 500/s or 30000/m",
        "time": "a time of day such as 18:30, a date and time such as 2026-11-22T18:30:00Z, or a duration such as 2h",
        "when":
            "once, apple, a duration such as 2h or 7d, a date and time such as 2026-11-22T18:30:00Z, or UNIX seconds",
    ]
}
