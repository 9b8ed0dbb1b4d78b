import ArgumentParser
import PushTime

/// A duration with its unit: `30s`, `500ms`, `2m`, `1h`, `7d`.
struct DurationArgument: ExpressibleByArgument {
    var duration: Duration

    init?(argument: String) {
        guard let duration = Duration(unitText: argument), duration > .zero else { return nil }
        self.duration = duration
    }
}
