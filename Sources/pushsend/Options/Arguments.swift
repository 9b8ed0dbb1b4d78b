internal import APNSVocabulary
import ArgumentParser
import PushCommandLine
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

extension OptionValue {
    /// Replaces the message of argument-parser about a value; `nil` if the message is about something else.
    static func refusal(_ problem: String) -> String? {
        refusal(problem, forms: forms) { flag, value in
            switch flag {
            case "--expires": CommandLineSuggestion.sentence(forExpires: value)
            case "--endpoint": EndpointArgument.advice(for: value)
            case "--listen": ListenArgument.advice(for: value)
            default: nil
            }
        }
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
