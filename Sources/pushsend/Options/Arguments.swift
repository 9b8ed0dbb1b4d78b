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
