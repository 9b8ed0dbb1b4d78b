import APNSVocabulary
import Logging
import PushCommandLine
import PushJSON
import PushQueue
import PushService

/// Writes log lines to standard error: as text, or as JSON for a log collector.
struct ServiceLog: LogHandler {
    enum Format: String, CaseIterable, Sendable {
        /// `2026-11-21T12:00:00.250Z info delivery: The app is connected. app=shop`
        case text
        /// An object with `time`, `level`, `logger`, `message` and the metadata.
        case json
    }

    private let label: String
    private let format: Format
    private let write: @Sendable (String) -> Void
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level

    init(
        label: String, format: Format, level: Logger.Level, write: @escaping @Sendable (String) -> Void = Output.log
    ) {
        (self.label, self.format, self.write, logLevel) = (label, format, write, level)
    }

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let metadata = metadata.merging(event.metadata ?? [:]) { _, ofLine in ofLine }
        let time = QueueTime.now.rfc3339
        switch format {
        case .text:
            let pairs = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\(Self.quoted($0.value))" }.joined()
            let message = PeerText.printable("\(event.message)", atMost: Self.longest)
            write("\(time) \(event.level) \(label): \(message)\(pairs)")
        case .json:
            var line = JSONLine()
            for (key, value) in metadata { line[key] = .string(Self.text(value)) }
            line["time"] = .string(time)
            line["level"] = .string("\(event.level)")
            line["logger"] = .string(label)
            line["message"] = .string(PeerText.printable("\(event.message)", atMost: Self.longest))
            write(String(decoding: line.bytes, as: UTF8.self))
        }
    }

    /// Quotes a value that could be read as several pairs, such as the name of a campaign.
    private static func quoted(_ value: Logger.MetadataValue) -> String {
        let text = text(value)
        guard text.utf8.contains(where: { " =\"".utf8.contains($0) }) else { return text }
        return String(decoding: PushJSONValue.string(text).encoded, as: UTF8.self)
    }

    private static func text(_ value: Logger.MetadataValue) -> String {
        PeerText.printable("\(value)", atMost: longest)
    }

    /// The maximum number of characters of a message or a value.
    private static let longest = 1000
}
