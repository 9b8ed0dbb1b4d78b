import ArgumentParser
import PushPlatform
import PushProvider

/// A duration with its unit: `30s`, `500ms`, `2m`, `1h`, `7d`.
struct DurationArgument: ExpressibleByArgument {
    var duration: Duration

    init?(argument: String) {
        let units: [(suffix: String, milliseconds: Double)] = [
            ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
        ]
        guard let unit = units.first(where: { argument.hasSuffix($0.suffix) }),
            let number = Double(argument.dropLast(unit.suffix.count)), number.isFinite, number >= 0, number < 1e9
        else { return nil }
        duration = .milliseconds(Int64(number * unit.milliseconds))
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
        } else if let date = try? Date(argument.contains("T") ? argument : "\(argument)T00:00:00Z", strategy: .iso8601)
        {
            expiration = .until(secondsSince1970: Int(date.timeIntervalSince1970))
        } else {
            return nil
        }
    }
}
