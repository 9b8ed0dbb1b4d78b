import APNSVocabulary
import PushCommandLine
import PushJSON
import PushPlatform
import PushQueue
import PushQueuePostgres

/// One run of `pushserve queue import`.
struct ImportRun {
    let file: String
    /// The file of the exported queue; `nil` if it need not be asked.
    let source: String?
    let address: PostgresAddress
    let json: Bool

    func run() async throws {
        let stop = StopRequest()
        let head = try ExportReader(file).head
        guard let (counts, lines) = try ExportReader.verify(file, while: { !stop.isRequested }) else {
            throw interrupted("Nothing was imported now.")
        }
        var options = PostgresQueue.Options()
        (options.isImport, options.report) = (true, { Output.note("pushserve: \($0)") })
        let target = try await PostgresQueue(address, options: options)
        try await closing(target.close) {
            report(head, counts, try await bring(head, lines, to: target, stop))
        }
    }

    private func bring(
        _ head: ExportLine.Head, _ lines: Int, to target: PostgresQueue, _ stop: StopRequest
    ) async throws -> QueueImport {
        let record = try await target.record(kind: QueueImport.kindOfDone, key: head.export.uuidString)
        if let done = record.flatMap({ QueueImport(done: $0.value) }) { return done }
        try await checkTarget(head, target, stop)
        var (progress, isDone) = try await target.beginImport(head.export)
        if isDone { return progress }
        // The target is sealed first: if it refuses, the exported queue stays as it is.
        if progress.lines == 0 {
            do { try await claim(head, for: target) } catch {
                try await target.abandonImport(head.export)
                throw error
            }
        }
        var shown = ShownProgress()
        var reader = try ExportReader(file, after: progress.lines)
        while let batch = try reader.batch() {
            if stop.isRequested {
                throw interrupted(
                    """
                    \(progress.lines) of \(lines) lines were imported. The queue is sealed until the import is complete.
                    """)
            }
            shown.show("Imported \(progress.lines) of \(lines) lines.")
            progress = try await target.take(batch)
            // Another process imports the same file, or an answer was lost.
            if progress.lines != batch.end { reader = try ExportReader(file, after: progress.lines) }
        }
        guard progress.lines == lines else { throw otherFile(progress, lines) }
        try await target.endImport(progress, audit: .command("queue.import", app: "", object: head.export.text))
        return progress
    }

    private func interrupted(_ state: String) -> CommandFailure {
        CommandFailure(.interrupted, "Interrupted: \(state) Run the command again to resume.")
    }

    private func otherFile(_ progress: QueueImport, _ lines: Int) -> CommandFailure {
        CommandFailure(
            .invalidInput,
            """
            \(file.printable) has \(lines) lines, but \(progress.lines) were imported: the import began with another file. Run the command \
            with that file.
            """)
    }

    // MARK: One target

    /// Refuses what can be seen before anything is changed.
    private func checkTarget(_ head: ExportLine.Head, _ target: PostgresQueue, _ stop: StopRequest) async throws {
        switch try await target.seal() {
        case .importing(let progress) where progress.export == head.export && progress.lines > 0: return
        case .importing(let progress) where progress.export == head.export: break
        case .some(let seal): throw QueueError.sealed(seal, address.withSchema)
        case nil: try await refuseKnownJobs(target, stop)
        }
        let id = try await QueueIdentity.of(target)
        if let other = head.target, other != id {
            throw CommandFailure(
                .cannotCreate,
                """
                \(file.printable) was exported for the queue \(other.text), and \(address.withSchema) is the queue \(id.text). No other queue \
                may import it: its pushes would be sent twice.
                """)
        }
        guard head.target == id || source != nil else {
            throw CommandFailure.usage(
                """
                Give the exported queue with --from, so that no other queue imports the same jobs. If it is on another machine, export it \
                there again with --for \(id.text), the id of \(address.withSchema).
                """)
        }
    }

    /// Makes certain that no other queue imports the export, before this one takes the first line.
    private func claim(_ head: ExportLine.Head, for target: PostgresQueue) async throws {
        guard head.target == nil, let source else { return }
        let id = try await QueueIdentity.of(target)
        try await TransferSource.with(source) { try await $0.claim(head.export, for: id) }
    }

    /// Refuses a copy of a queue that was imported: the target has its jobs. It changes nothing, so the target is not sealed for nothing.
    private func refuseKnownJobs(_ target: PostgresQueue, _ stop: StopRequest) async throws {
        guard try await !target.counts().isEmpty else { return }
        var reader = try ExportReader(file)
        while let batch = try reader.batch() {
            guard !stop.isRequested else { throw interrupted("Nothing was imported now.") }
            guard batch.part == .job else { continue }
            for (app, rows) in Dictionary(grouping: batch.rows, by: { $0["app"].text ?? "" }) {
                let ids = rows.compactMap { UUID(uuidString: $0["id"].text ?? "") }
                guard let known = try await target.jobs(ids, app: app).first else { continue }
                throw CommandFailure(
                    .cannotCreate,
                    """
                    The job \(known.id.text) is in \(address.withSchema) already: a copy of the same queue was imported there. Importing it \
                    again would send its jobs twice. Nothing was changed.
                    """)
            }
        }
    }

    // MARK: Reporting

    private func report(_ head: ExportLine.Head, _ counts: [ExportPart: Int], _ progress: QueueImport) {
        if json {
            var line = TransferReport.line("imported", head.export, counts)
            line["to"] = .string(address.withSchema)
            line["was_there"] = .integer(progress.present)
            return Output.print(line)
        }
        Output.print(TransferReport.table(counts))
        if progress.present > 0 {
            Output.print("The queue already had \(progress.present) of them, and kept its own.")
        }
        Output.print(
            """
            The queue was imported into \(address.withSchema). Set "database" in the configuration to that address, with its password and its \
            other parameters, such as sslmode, and start the service.
            """)
    }
}
