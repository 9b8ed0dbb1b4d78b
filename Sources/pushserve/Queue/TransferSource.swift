import APNSVocabulary
import NIOConcurrencyHelpers
import PushCommandLine
import PushJSON
import PushPlatform
import PushQueue

/// The queue in a file that is exported.
enum TransferSource {
    /// Opens the queue so that its seal can be changed, also while a service has it open.
    static func with(_ path: String, _ body: (SQLiteQueue) async throws -> Void) async throws {
        guard access(path, F_OK) == 0 else {
            throw CommandFailure(
                .noSuchFile, "There is no database \"\(path.printable)\". Give the file that the service used.")
        }
        var options = SQLiteQueue.Options()
        options.isExport = true
        let source = try SQLiteQueue(path, options: options)
        try await closing(source.close) { try await body(source) }
    }
}

extension DatabaseOptions {
    /// The path of the queue, which must be in a file.
    func filePath(for command: String) throws -> String {
        guard let path = try location().path else {
            throw CommandFailure.usage(
                """
                pushserve queue \(command) works on a queue in a file, and the database is a PostgreSQL address. Give the file with --database. \
                To copy a queue from one PostgreSQL to another, use pg_dump.
                """)
        }
        return path
    }
}

/// What an export or an import has, for people or programs.
enum TransferReport {
    private static let names: [(ExportPart, String)] = [
        (.job, "jobs"), (.campaign, "campaigns"), (.line, "lines of campaigns"), (.refusedLine, "refused lines"),
        (.dedupeKey, "dedupe keys"), (.idempotencyKey, "idempotency keys"), (.goneToken, "gone tokens"),
        (.collapseKey, "newest pushes of collapse ids"),
        (.record, "API keys, pauses, logins"),
    ]

    static func table(_ counts: [ExportPart: Int]) -> String {
        var table = TextTable(["what", "in the file"], numbers: [1])
        for (part, name) in names { table.add([name, "\(counts[part] ?? 0)"]) }
        return table.lines.joined(separator: "\n")
    }

    static func line(_ event: String, _ export: UUID, _ counts: [ExportPart: Int]) -> JSONLine {
        var line: JSONLine = ["event": .string(event), "export_id": .string(export.text)]
        for part in ExportPart.allCases { line["\(part.rawValue)s"] = .integer(counts[part] ?? 0) }
        return line
    }
}

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
