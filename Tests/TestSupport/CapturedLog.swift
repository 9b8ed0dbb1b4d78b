package import Logging

/// Everything that is logged, one line each, with all metadata.
package final class CapturedLog: Sendable {
    private let captured = Watched<[String]>([])

    package init() {}

    package var lines: [String] { captured.value }

    /// Waits until the lines are as wanted.
    package func wait(for happening: String, until condition: @escaping @Sendable ([String]) -> Bool) async throws {
        try await captured.wait(for: happening, until: condition)
    }

    package var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(log: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let log: CapturedLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.MetadataValue? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let fields = metadata.merging(event.metadata ?? [:]) { _, new in new }
            let line = "\(event.level) \(event.message) \(fields)"
            log.captured.change { $0.append(line) }
        }
    }
}
