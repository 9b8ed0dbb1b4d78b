import NIOConcurrencyHelpers
import PushCommandLine
import PushPlatform

/// Whether Ctrl-C or SIGTERM has come. The second one ends the process at once, which does no harm to an export or an import.
final class StopRequest: Sendable {
    private let isSet = NIOLockedValueBox(false)

    init() {
        let signals = ServiceSignals.stream()
        Task { [isSet] in
            for await _ in signals {
                let isSecond = isSet.withLockedValue { isSet in
                    defer { isSet = true }
                    return isSet
                }
                if isSecond { Output.exit(.interrupted) }
            }
        }
    }

    var isRequested: Bool { isSet.withLockedValue { $0 } }
}

/// Lines on a terminal, so that a long step does not look as if it hung.
struct ShownProgress {
    private let isShown = isatty(STDERR_FILENO) == 1
    private var last = ContinuousClock.now

    mutating func show(_ text: @autoclosure () -> String) {
        guard isShown, ContinuousClock.now - last >= .seconds(2) else { return }
        last = .now
        Output.note(text())
    }
}
