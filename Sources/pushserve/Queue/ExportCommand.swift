import APNSVocabulary
import ArgumentParser
import PushCommandLine
import PushDelivery
import PushJSON
import PushPlatform
import PushQueue
import PushService

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Seal a queue in a file, and write what waits in it for an import into PostgreSQL.",
        discussion: """
            Examples:
              pushserve queue export queue.ndjson
              pushserve queue export queue.ndjson --for ID

            First stop the service. From the export on, the queue sends and accepts nothing. If you change your mind before an import has \
            begun, pushserve queue unseal makes it usable again.

            Jobs without an outcome are exported with their ids, and so are campaigns that haven't ended, dedupe and idempotency \
            keys, the newest push of each collapse id, gone tokens, API keys, pauses and logins. Finished jobs and dead letters stay in \
            the queue, which can still be read. The file contains device tokens and payloads, and only its owner may read it.

            You can run the command again at any time: while the queue is sealed, it writes the same file.

            Exit codes: \(ExitStatus.success.code) everything is on the disk, \(ExitStatus.cannotCreate.code) the file exists, \
            \(ExitStatus.tryAgain.code) a process is still sending, or a webhook, an inbox or your own table lacks \
            outcomes, \
            \(ExitStatus.interrupted.code) ended by Ctrl-C.
            """)

    @Argument(help: "The file to write.", completion: .file())
    var file: String

    @OptionGroup var database: DatabaseOptions

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            """
            The id of the only queue that may import the file, as pushserve queue import shows it. Then the import doesn't need this \
            queue, and this queue stays sealed for good.
            """, valueName: "id"))
    var target: String?

    @Flag(
        help: "Export even if a webhook, an inbox or your own table lacks outcomes. Those outcomes stay in the queue.")
    var leaveResults = false

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() async throws {
        let target = try target.map { text in
            guard let id = UUID(uuidString: text) else {
                throw CommandFailure.usage(
                    "\"\(text.printable)\" isn't the id of a queue. Give --for the id that \"pushserve queue import\" shows."
                )
            }
            return id
        }
        let path = try database.filePath(for: "export")
        let stop = StopRequest()
        let writer = try ExportWriter(file)
        try await TransferSource.with(path) { source in
            if !leaveResults, try await source.seal() == nil { try await Self.refuseUndelivered(source) }
            let export = try await source.seal(for: target, audit: .command("queue.export", app: ""))
            let jobs = try await source.counts().values.reduce(0) { $0 + $1.unfinished }
            let head = ExportLine.Head(
                export: export.id, source: try await QueueIdentity.of(source), target: export.target,
                sealed: export.sealed, jobs: jobs)
            let counts = try await Self.write(source, export, head, writer) { stop.isRequested }
            try await report(source, path, head, counts)
        }
    }

    // MARK: Writing

    /// The kinds of records that have no meaning in another queue.
    private static let staying = QueueBacklog.kindsOfOneQueue.union(DeliveryEngine.kindsOfOneQueue).union(
        QueueSeal.kinds)

    static func write(
        _ source: SQLiteQueue, _ export: QueueExport, _ head: ExportLine.Head, _ writer: ExportWriter,
        isStopped: @escaping @Sendable () -> Bool
    ) async throws -> [ExportPart: Int] {
        writer.begin(head)
        do {
            try await source.export(export, without: staying) { (row) throws(QueueError) in
                guard !isStopped() else { throw QueueError(.cancelled, interrupted) }
                try writer.add(row)
            }
        } catch  where isStopped() {
            throw CommandFailure(.interrupted, interrupted)
        }
        try writer.finish()
        guard case .exported(let now) = try await source.seal(), now.id == export.id else {
            throw CommandFailure(
                .tryAgain,
                """
                The queue was unsealed during the export, so the file wasn't written: it couldn't be imported. Run the command again.
                """)
        }
        try writer.publish()
        return writer.counts
    }

    private static let interrupted = """
        Interrupted: the file wasn't written. The queue is sealed. Run the command again, or make the queue usable again with pushserve \
        queue unseal.
        """

    private static func refuseUndelivered(_ source: SQLiteQueue) async throws {
        let backlog = try await QueueBacklog(source)
        guard backlog.count > 0 else { return }
        func list(_ counts: [String: Int], _ text: (Int, String) -> String) -> String {
            counts.sorted { $0.key < $1.key }.map { text($0.value, $0.key.printable) }.joined(separator: ", ")
        }
        let sentences = [
            ("Webhooks haven't delivered all outcomes: ", list(backlog.webhooks) { "\($0) of \($1)" }),
            ("Not copied yet: ", list(backlog.inboxes) { "\(counted($0, "outcome")) for the inbox \($1)" }),
            ("Not deleted from your own table yet: ", list(backlog.gone) { "\(counted($0, "gone token")) of \($1)" }),
        ].filter { !$0.1.isEmpty }.map { "\($0.0)\($0.1)." }
        throw CommandFailure(
            .tryAgain,
            """
            \(sentences.joined(separator: " ")) This can't be done from another queue. The queue wasn't sealed. Run the service until it \
            is done, or leave these outcomes in the queue with --leave-results.
            """)
    }

    // MARK: Reporting

    private func report(
        _ source: SQLiteQueue, _ path: String, _ head: ExportLine.Head, _ counts: [ExportPart: Int]
    ) async throws {
        let all = try await source.counts().values
        let left = [
            ("finished_left", all.reduce(0) { $0 + $1.kept }),
            ("dead_letters_left", all.reduce(0) { $0 + $1.deadLetters }),
            ("undelivered_left", try await QueueBacklog(source).count),
        ]
        if json {
            var line = TransferReport.line("exported", head.export, counts)
            line["file"] = .string(file)
            for (key, count) in left { line[key] = .integer(count) }
            return Output.print(line)
        }
        Output.print(TransferReport.table(counts))
        let sentences = [
            "\(left[0].1) finished jobs stay in the queue, which can be read.",
            "\(left[1].1) of them are dead letters. pushserve queue list --dead shows them.",
            "\(left[2].1) outcomes that a webhook, an inbox or your own table lacks stay in the queue.",
        ]
        for (sentence, (_, count)) in zip(sentences, left) where count > 0 { Output.print(sentence) }
        let from = head.target == nil ? " --from \(ShellWord.quoted(path))" : ""
        Output.print(
            """
            The queue is sealed. Import the file into PostgreSQL: pushserve queue import \(ShellWord.quoted(file))\(from) --database ADDRESS
            """)
    }
}
