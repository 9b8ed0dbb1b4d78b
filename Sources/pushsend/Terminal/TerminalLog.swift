import Logging
import PushProvider

/// Writes log lines to standard error. Replaces characters that could control the terminal.
struct TerminalLog: LogHandler {
    private var lines: StreamLogHandler
    /// Kept here until a line is written: StreamLogHandler would make text of it at once.
    var metadata: Logger.Metadata = [:]

    init(label: String) {
        lines = StreamLogHandler.standardError(label: label)
    }

    var logLevel: Logger.Level {
        get { lines.logLevel }
        set { lines.logLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var safe = event
        safe.message = "\(Self.printable("\(event.message)"))"
        safe.metadata = metadata.merging(event.metadata ?? [:]) { _, ofLine in ofLine }.mapValues { Self.printable($0) }
        lines.log(event: safe)
    }

    private static func printable(_ value: Logger.MetadataValue) -> Logger.MetadataValue {
        switch value {
        case .string(let text): .string(printable(text))
        case .stringConvertible(let value): .string(printable("\(value)"))
        case .array(let values): .array(values.map { printable($0) })
        case .dictionary(let values): .dictionary(values.mapValues { printable($0) })
        }
    }

    private static func printable(_ text: String) -> String { PeerText.printable(text, atMost: longest) }

    /// The maximum number of characters of a message or a value.
    private static let longest = 1000
}
