import Logging
import NIOConcurrencyHelpers

/// Everything that is logged, one line each, with all metadata.
final class CapturedLog: Sendable {
    private let captured = NIOLockedValueBox<[String]>([])

    var lines: [String] { captured.withLockedValue { $0 } }

    var logger: Logger {
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
            log.captured.withLockedValue { $0.append(line) }
        }
    }
}
