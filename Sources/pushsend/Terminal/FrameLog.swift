import Logging
import PushCommandLine
import PushProvider

/// Writes HTTP/2 frames as lines that are easy to compare. All other messages go to another handler.
struct FrameLog: LogHandler {
    /// The handler for other messages.
    var others: any LogHandler
    private let began = ContinuousClock.now

    init(others: any LogHandler) {
        self.others = others
    }

    /// Frames are logged at the lowest level.
    var logLevel: Logger.Level {
        get { .trace }
        set { others.logLevel = newValue }
    }

    var metadata: Logger.Metadata {
        get { others.metadata }
        set { others.metadata = newValue }
    }

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { others[metadataKey: key] }
        set { others[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        guard event.level == .trace else {
            if event.level >= others.logLevel { others.log(event: event) }
            return
        }
        let facts = metadata.merging(event.metadata ?? [:]) { _, new in new }
        Output.note(Self.lines("\(event.message)", facts, after: ContinuousClock.now - began).joined(separator: "\n"))
    }

    /// Formats a frame as `[   0.012] 1 > HEADERS stream 1, 187 bytes, END_HEADERS`, with its content on the lines
    /// below.
    static func lines(_ message: String, _ facts: Logger.Metadata, after time: Duration) -> [String] {
        let parts = message.split(separator: " ", maxSplits: 1)
        let (seconds, attoseconds) = time.components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        let clock = "\(milliseconds / 1000).\(String(1000 + milliseconds % 1000).dropFirst())"
        let direction = parts.first == "sent" ? ">" : "<"
        let name = parts.count == 2 ? String(parts[1]) : message
        var first = "[\(clock.aligned(to: 8))] \(facts["connection"].map { "\($0) " } ?? "")\(direction) \(name)"
        first += " stream \(facts["stream"] ?? "0"), \(facts["length"] ?? "0") bytes"
        for key in ["flags", "code", "window", "last_stream", "text"] {
            guard let value = facts[key] else { continue }
            first += key == "last_stream" ? ", last stream \(value)" : ", \(value)"
        }
        return [first] + details(facts["fields"]) + details(facts["settings"])
    }

    private static func details(_ value: Logger.MetadataValue?) -> [String] {
        guard case .array(let values)? = value else { return [] }
        return values.map { "             \($0)" }
    }
}

/// Writes log lines to standard error. Replaces characters that could control the terminal.
struct TerminalLog: LogHandler {
    private var lines: StreamLogHandler
    /// Kept here until a line is written: StreamLogHandler would make text of it at once.
    var metadata: Logger.Metadata = [:]

    init(label: String, level: Logger.Level) {
        lines = StreamLogHandler.standardError(label: label)
        lines.logLevel = level
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
