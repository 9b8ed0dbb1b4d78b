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

/// How long Apple tries to deliver: `once`, `apple`, a duration, an ISO date, or `@` and UNIX seconds.
struct ExpiresArgument: ExpressibleByArgument {
    let expiration: PushExpiration

    init?(argument: String) {
        if argument == "once" {
            expiration = .doNotStore
        } else if argument == "apple" {
            expiration = .apnsDefault
        } else if argument.hasPrefix("@"), let seconds = Int(argument.dropFirst()) {
            expiration = .until(secondsSince1970: seconds)
        } else if let duration = DurationArgument(argument: argument) {
            expiration = .after(seconds: Int(duration.duration.components.seconds))
        } else if let milliseconds = ISOTime.millisecondsSince1970(argument) {
            expiration = .until(secondsSince1970: Int(milliseconds / 1000))
        } else {
            return nil
        }
    }
}
