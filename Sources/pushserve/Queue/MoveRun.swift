#if PushService
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
        let json: Bool

        private static let staying = WebhookBacklog.kindsOfOneQueue.union(DeliveryEngine.kindsOfOneQueue)

        /// Moves the queue.
        func run() async throws {
            let stop = StopWish()
            let source = try openSource()
            do {
                let mark = try await source.moveMark()
                if mark == nil { try await refuseUndelivered(source) }
                if let mark, mark.isDone { return await sayMoved(mark, source) }
                try await move(source, stop)
            } catch {
                await source.close()
                throw error
            }
            await source.close()
        }

        /// Says what would be moved.
        func look() async throws {
            let source = try openSource()
            do {
                do throws(QueueError) {
                    let target = try await openTarget(createsTables: false)
                    await target.close()
                } catch {
                    // The move makes the tables.
                    if error.code != .missing { throw error }
                }
                let counts = try await source.moveCounts(source.moveMark(), staying: Self.staying)
                let left = try await leftBehind(source)
                MoveReport(path: path, address: address.description, json: json).sayPlan(counts, left)
            } catch {
                await source.close()
                throw error
            }
            await source.close()
        }

        // MARK: Opening

        private func openSource() throws(QueueError) -> SQLiteQueue {
            var options = SQLiteQueueOptions()
            (options.isService, options.isMove) = (true, true)
            return try SQLiteQueue(path, options: options)
        }

        private func openTarget(createsTables: Bool) async throws(QueueError) -> PostgresQueue {
            var options = PostgresQueueOptions()
            (options.createsTables, options.report) = (createsTables, { Output.note("pushserve: \($0)") })
            return try await PostgresQueue(address, options: options)
        }

        // MARK: Moving

        private func move(_ source: SQLiteQueue, _ stop: StopWish) async throws {
            let target = try await openTarget(createsTables: true)
            do {
                try await move(from: source, to: target, stop)
            } catch {
                await target.close()
                throw error
            }
            await target.close()
        }

        private func move(from source: SQLiteQueue, to target: PostgresQueue, _ stop: StopWish) async throws {
            let move = QueueMove(from: source, to: target, staying: Self.staying)
            try await move.settle()
            var state = try await move.begin()
            var shown = ShownProgress()
            let all = state.counts[.jobs] ?? 0
            while !state.isComplete {
                let arrived = state.progress.arrived[.jobs] ?? 0
                if stop.isWished {
                    throw CommandFailure(
                        status: .interrupted,
                        message: "Interrupted: \(arrived) of \(all) jobs were moved. Run the command again to go on.")
                }
                shown.show("Moved \(arrived) of \(all) jobs.")
                state = try await move.step(state)
            }
            let proof = try await move.prove(state) { shown.show("Found \($0) of \(all) jobs in the target.") }
            if proof.isComplete { try await move.end(state) }
            let report = MoveReport(path: path, address: address.description, json: json)
            report.say(state, proof, try await leftBehind(source))
            guard proof.isComplete else {
                throw CommandFailure(
                    status: .partly,
                    message: """
                        The target lacks something that was moved there. If it was erased there meanwhile, all is well, and the service may use \
                        the target. The file keeps everything: pushserve queue list --database \(path.printable)
                        """)
            }
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
            // What ended workers had becomes an outcome, too.
            _ = try await source.recoverLeases()
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

        private func sayMoved(_ mark: MoveMark, _ source: SQLiteQueue) async {
            await source.close()
            MoveReport(path: path, address: mark.address, json: json).sayMoved(mark)
        }
    }

    /// Whether Ctrl-C or SIGTERM has come. The second one ends the process at once, which does no harm to a move.
    private final class StopWish: Sendable {
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

        var isWished: Bool { isSet.withLockedValue { $0 } }
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
#endif
