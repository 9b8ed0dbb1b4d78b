import APNSVocabulary
import NIOConcurrencyHelpers
import PushDelivery
import PushPlatform
import PushQueue
import PushQueuePostgres
import PushService

/// One run of `pushserve queue move`.
struct MoveRun {
    let path: String
    let address: PostgresAddress
    /// Whether outcomes that webhooks have not delivered stay in the file.
    let leavesResults: Bool
    /// Whether the move may end although the target lacks jobs.
    let acceptsMissing: Bool
    let json: Bool

    private static let staying = WebhookBacklog.kindsOfOneQueue.union(DeliveryEngine.kindsOfOneQueue)

    /// Moves the queue.
    func run() async throws {
        let stop = StopRequest()
        try await withSource { source in
            let mark = try await source.moveMark()
            if mark == nil {
                // The jobs of workers that have ended get outcomes, too.
                if !leavesResults { _ = try await source.recoverLeases() }
                try await refuseUndelivered(source)
            }
            let target = try await target(mark, createsTables: mark == nil)
            try await closing(target) {
                let move = QueueMove(from: source, to: target, staying: Self.staying)
                if let mark, mark.isDone { return try await sayMoved(mark, move) }
                try await finish(move, source, stop)
            }
        }
    }

    /// Says what would be moved, after the checks of a move. Nothing is changed.
    func dryRun() async throws {
        try await withSource { source in
            let mark = try await source.moveMark()
            if mark == nil {
                try await refuseUndelivered(source)
                try await QueueMove.refuseWorkers(of: source)
            }
            let target: PostgresQueue?
            do { target = try await self.target(mark, createsTables: false) } catch let error as QueueError
                where error.code == .missing
            {
                // The move makes the tables.
                target = nil
            }
            if let target {
                let isOver = try await closing(target) {
                    let move = QueueMove(from: source, to: target, staying: Self.staying)
                    guard let mark else {
                        try await move.refuseCopy()
                        return false
                    }
                    if mark.isDone {
                        try await sayMoved(mark, move)
                    } else if try await move.progress(of: mark) == nil {
                        throw QueueError.unknownMove(path, mark, address)
                    }
                    return mark.isDone
                }
                if isOver { return }
            }
            let counts = try await source.moveCounts(mark, staying: Self.staying)
            report.sayPlan(counts, try await leftBehind(source))
        }
    }

    private var report: MoveReport { MoveReport(path: path, address: address.withSchema, json: json) }

    // MARK: Opening

    private func withSource(_ body: (SQLiteQueue) async throws -> Void) async throws {
        var options = SQLiteQueueOptions()
        (options.isService, options.isMove) = (true, true)
        let source = try SQLiteQueue(path, options: options)
        do { try await body(source) } catch {
            await source.close()
            throw error
        }
        await source.close()
    }

    /// The target. A move that has begun does not make tables: they would be in the wrong schema.
    private func target(_ mark: MoveMark?, createsTables: Bool) async throws -> PostgresQueue {
        var options = PostgresQueueOptions()
        (options.createsTables, options.report) = (createsTables, { Output.note("pushserve: \($0)") })
        do throws(QueueError) { return try await PostgresQueue(address, options: options) } catch {
            guard error.code == .missing, let mark else { throw error }
            if mark.isDone { throw CommandFailure(status: .partly, message: lost(mark, "has no queue")) }
            throw QueueError.unknownMove(path, mark, address)
        }
    }

    private func closing<Result>(_ target: PostgresQueue, _ body: () async throws -> Result) async throws -> Result {
        do {
            let result = try await body()
            await target.close()
            return result
        } catch {
            await target.close()
            throw error
        }
    }

    // MARK: Moving

    private func finish(_ move: QueueMove, _ source: SQLiteQueue, _ stop: StopRequest) async throws {
        try await move.settle()
        var state = try await move.begin()
        var shown = ShownProgress()
        let all = state.counts[.jobs] ?? 0
        while !state.isComplete {
            let arrived = state.progress.arrived[.jobs] ?? 0
            if stop.isRequested {
                throw CommandFailure(
                    status: .interrupted,
                    message: "Interrupted: \(arrived) of \(all) jobs were moved. Run the command again to continue."
                )
            }
            shown.show("Moved \(arrived) of \(all) jobs.")
            state = try await move.step(state)
        }
        let proof = try await move.prove(state) { shown.show("Found \($0) of \(all) jobs in the target.") }
        let isDone = proof.isComplete || acceptsMissing && proof.isRightButForMissing
        if isDone { try await move.end(state) }
        report.print(state, proof, try await leftBehind(source), isDone: isDone)
        if !isDone { throw incomplete(proof) }
    }

    private func incomplete(_ proof: QueueMove.Proof) -> CommandFailure {
        var sentences = [
            "The target has some jobs twice, or its counts differ from those of the file. See the report."
        ]
        if proof.isRightButForMissing {
            let missing = proof.missing.sorted { $0.key < $1.key }.map { "\($0.value) of \($0.key.printable)" }
            sentences = [
                "Jobs that were moved are missing in the target: \(missing.joined(separator: ", ")).",
                "If they were erased there since, finish the move with --accept-missing.",
            ]
        }
        sentences.append("The file keeps everything: \(Self.listing(path))")
        return CommandFailure(status: .partly, message: sentences.joined(separator: " "))
    }

    private static func listing(_ path: String) -> String {
        "pushserve queue list --database \(ShellWord.quoted(path))"
    }

    /// What stays in the file.
    private func leftBehind(_ source: SQLiteQueue) async throws -> MoveReport.Left {
        let counts = try await source.counts().values
        return MoveReport.Left(
            finished: counts.reduce(0) { $0 + $1.kept }, deadLetters: counts.reduce(0) { $0 + $1.deadLetters },
            undelivered: try await WebhookBacklog.count(source).values.reduce(0, +))
    }

    private func refuseUndelivered(_ source: SQLiteQueue) async throws {
        guard !leavesResults else { return }
        let backlog = try await WebhookBacklog.count(source)
        guard !backlog.isEmpty else { return }
        let apps = backlog.sorted { $0.key < $1.key }.map { "\($0.value) of \($0.key.printable)" }
        throw CommandFailure(
            status: .tryAgain,
            message: """
                Webhooks have not delivered all outcomes: \(apps.joined(separator: ", ")). They cannot be delivered from the target. Nothing \
                was moved. Run the service until they are delivered, or leave them in the file with --leave-results.
                """)
    }

    // MARK: Moved before

    /// Asks the target, too: it may be another one, or an old backup of it.
    private func sayMoved(_ mark: MoveMark, _ move: QueueMove) async throws {
        guard let progress = try await move.progress(of: mark) else {
            throw CommandFailure(status: .partly, message: lost(mark, "does not know this move"))
        }
        guard progress.position.part == .end else {
            throw CommandFailure(status: .partly, message: lost(mark, "has only a part of this move"))
        }
        MoveReport(path: path, address: mark.address, json: json).sayMoved(mark)
    }

    private func lost(_ mark: MoveMark, _ fact: String) -> String {
        """
        The queue \(path.printable) was moved to \(mark.address), but \(address.withSchema) \(fact). If the address is right, the target was lost \
        or replaced by an old backup: restore a newer backup there. The file still has what was moved: \(Self.listing(path))
        """
    }
}

/// Whether Ctrl-C or SIGTERM has come. The second one ends the process at once, which does no harm to a move.
private final class StopRequest: Sendable {
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

/// Lines on a terminal, so that a long move does not look as if it hung.
private struct ShownProgress {
    private let isShown = isatty(STDERR_FILENO) == 1
    private var last = ContinuousClock.now

    mutating func show(_ text: String) {
        guard isShown, ContinuousClock.now - last >= .seconds(2) else { return }
        last = .now
        Output.note(text)
    }
}
