internal import DeliveryReports
package import Logging
internal import NIOConcurrencyHelpers
internal import PushDelivery
internal import PushPlatform
internal import PushProvider
package import PushQueue
internal import PushTime
internal import PushWire
internal import ServiceLifecycle

/// Imports Apple's delivery counts of the apps that ask for it, once in a night and for all workers.
package final class DeliveryImports: Service {
    private let queue: any QueueBackend
    private let apps: ServedApps
    private let logger: Logger
    /// How long a request, and all requests of an import, may take.
    private let limits: (request: Duration, whole: Duration)
    private let memory = NIOLockedValueBox(Memory())

    /// How often a worker looks whether an import is due, and at first whether an export is ready.
    private static let pace = Duration.seconds(20)
    /// The hour at which the imports begin, in UTC: Apple counts a day no earlier than the next one. Each is put off by a random part of
    /// ``spread``, so that not all services ask Apple at once.
    private static let (hour, spread) = (Duration.seconds(4 * 3600), 7200)
    /// After a failure, at first and at most.
    private static let pauses = ExponentialBackoff(first: .seconds(300), longest: .seconds(4 * 3600))
    /// How often it is looked at least whether an export is ready, and when it is a failure that it isn't.
    private static let (longestCheck, patience) = (Duration.seconds(600), Duration.seconds(6 * 3600))
    package static let longestImport = Duration.seconds(180)
    /// How much later another worker begins, because the one that imports has died.
    private static let spare = Duration.seconds(60)
    /// After a failure, not even a new token is tried for so long: a service that starts again and again asks Apple once in a minute.
    private static let shortestPause = Duration.seconds(60)
    /// No import is due later than this.
    private static let longestPause = Duration.seconds(2 * DeliveryCounts.secondsOfDay)
    /// An app whose export isn't ready is none of them.
    private static let importsAtOnce = 8
    /// How many days ago the newest day ended that is compared with those before: Apple's counts of later ones can still grow.
    private static let completeAfter = 2
    /// What is stored of a day at most: push types, counts of each, the greatest count, and the longest name, in bytes. Else the import fails.
    private static let (maximumTypes, maximumCounts, maximumCount, longestName) = (100, 20, 1_000_000_000_000, 64)
    /// The maximum length of a failure that is stored, in characters.
    private static let longestFailure = 600

    private struct Memory {
        var running: Set<String> = []
        /// What an import of an app would have used when this worker looked last, as ``DeliveryImportState/used``.
        var used: [String: String] = [:]
        /// When old days were removed last.
        var tidied: QueueTime?
    }

    private struct Import {
        var app: AppSettings
        var source: DeliveryCountSource
        var used: String
        var state: DeliveryImportState
        var version: Int64
        /// Whether it uses a token, an app, a team or a server that no worker has tried.
        var isNew: Bool
    }

    /// Why an import failed, and what to do, in sentences without the token and without paths, since others read them in the status.
    private struct Failure: Error { let text: String }

    package init(
        queue: any QueueBackend, apps: ServedApps, logger: Logger,
        limits: (request: Duration, whole: Duration) = (.seconds(30), longestImport)
    ) {
        (self.queue, self.apps, self.logger, self.limits) = (queue, apps, logger, limits)
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                while !Task.isCancelled {
                    await self.begin(in: &group)
                    try? await Task.sleep(for: Self.pace)
                }
            }
        }
    }

    /// Begins the imports that are due, and waits for their end.
    func round() async { await withDiscardingTaskGroup { await self.begin(in: &$0) } }

    /// The longest due first. One that takes long holds up no other app.
    private func begin(in group: inout DiscardingTaskGroup) async {
        // If the queue cannot be reached, the delivery logs it.
        guard let now = try? await queue.now(), let imports = try? await dueImports(now) else { return }
        for next in imports {
            let app = next.app.name
            let begins = memory.withLockedValue { memory in
                memory.running.count < Self.importsAtOnce && memory.running.insert(app).inserted
            }
            guard begins else { continue }
            group.addTask {
                do throws(QueueError) { try await self.run(next, now) } catch {}
                self.memory.withLockedValue { _ = $0.running.remove(app) }
            }
        }
        try? await tidy(now)
    }

    private func dueImports(_ now: QueueTime) async throws(QueueError) -> [Import] {
        let records = Dictionary(try await queue.records(kind: DeliveryImportState.kind).map { ($0.key, $0) }) {
            first, _ in first
        }
        var imports: [Import] = []
        for app in apps.settings().values {
            guard let source = app.deliveryCounts else { continue }
            let record = records[app.name]
            let state = DeliveryImportState(record?.value ?? [])
            let used = Self.digest(of: source, app.environment)
            let isNew = self.isNew(used, app.name, state)
            // A time that far ahead was noted with a wrong clock.
            let isFree = state.busy <= now || state.busy - now > (Self.longestImport + Self.spare) * 2
            let isDue = state.due <= now || state.due - now > Self.longestPause
            guard isFree, isDue || isNew else { continue }
            imports.append(
                Import(
                    app: app, source: source, used: used, state: state, version: record?.version ?? 0, isNew: isNew))
        }
        return imports.sorted { ($0.state.due, $0.app.name) < ($1.state.due, $1.app.name) }
    }

    /// Whether this worker has seen a change that no worker has tried. Workers whose files differ so do not take turns for ever. Before the
    /// start, there may have been a change: then a failure is a reason to try.
    private func isNew(_ used: String, _ app: String, _ state: DeliveryImportState) -> Bool {
        memory.withLockedValue { memory in
            let isNew = memory.used[app].map { $0 != used && state.used != used } ?? (state.failure != nil)
            // What is new stays so until this worker begins, or another one has begun with it.
            if !isNew { memory.used[app] = used }
            return isNew
        }
    }

    /// The digest of all that an import uses: whoever reads the record learns nothing about the token.
    private static func digest(of source: DeliveryCountSource, _ environment: PushEnvironment) -> String {
        let token: String
        do throws(DeliveryCountSource.TokenMistake) { token = try source.readToken().token } catch {
            token = error.description
        }
        let used = [token, source.teamID, source.bundleID, environment.description].joined(separator: "\n")
        return Fingerprint.of(Array(used.utf8)) ?? ""
    }

    /// Removes days that are no longer kept, at the start and once in a day, whether imports work or not.
    private func tidy(_ now: QueueTime) async throws(QueueError) {
        if let last = memory.withLockedValue({ $0.tidied }), now - last < .seconds(DeliveryCounts.secondsOfDay) {
            return
        }
        try await DeliveryCounts.forget(before: DeliveryCounts.day(DeliveryCounts.keptDays, before: now), queue)
        memory.withLockedValue { $0.tidied = now }
    }

    // MARK: An import

    private func run(_ next: Import, _ now: QueueTime) async throws(QueueError) {
        let app = next.app.name
        var (state, days) = (next.state, [DeliveryCounts]())
        if next.isNew { (state.failures, state.export) = (0, nil) }
        // If this worker dies, another one begins when it is no longer busy.
        (state.used, state.due) = (next.used, min(state.due, now))
        state.busy = now + Self.longestImport + Self.spare
        // If another worker was first, it imports.
        guard let version = try await store(state, app, ifVersion: next.version) else { return }
        memory.withLockedValue { $0.used[app] = next.used }
        let asked = state.export?.asked ?? now
        do {
            // Apple has 30 days. The first of them may be cut off, so it does not replace one that was imported whole.
            let count = PushDeliveryReports.maximumDays - (state.imported == nil ? 0 : 1)
            let names = (1...count).map { DeliveryCounts.day($0, before: asked) }
            switch try await export(next, state.export?.address, names) {
            case .making(let address):
                guard (Duration.zero..<Self.patience).contains(now - asked) else {
                    throw Failure(
                        text: "Apple is still making the export after six hours. The service requests it anew.")
                }
                state.export = (address, asked)
                state.due = now + min(max((now - asked) / 2, Self.pace), Self.longestCheck)
                state.busy = .earliest
            case .made(let all):
                days = all
                (state.due, state.busy, state.imported) = (Self.nextNight(after: now), .earliest, asked)
                (state.failure, state.failures, state.export) = (nil, 0, nil)
                let newest = DeliveryCounts.day(Self.completeAfter, before: asked)
                state.newest = DeliveryCounts.sums(days.filter { $0.day == newest })
                state.earlier = DeliveryCounts.sums(days.filter { $0.day < newest })
            }
        } catch is CancellationError {
            // The next worker begins at once.
            state = next.state
            state.due = min(state.due, now)
        } catch {
            note(error, next, &state)
            let end = try await queue.now()
            state.due = end + Self.pauses.pause(after: state.failures)
            state.busy = end + Self.shortestPause
            state.failures += 1
            state.export = nil
        }
        // All in one step: a worker that dies has stored nothing, and one that was too slow, or whose app was purged, stores nothing.
        let isStored = try await store(state, app, ifVersion: version, with: days.map { $0.record(of: app) }) != nil
        guard isStored, state.imported != next.state.imported else { return }
        logger.notice("Apple's delivery counts were imported.", metadata: ["app": "\(app)", "days": "\(days.count)"])
    }

    /// The log tells it once.
    private func note(_ error: any Error, _ next: Import, _ state: inout DeliveryImportState) {
        let text = (error as? Failure)?.text ?? "\(error)"
        let failure = PeerText.printable(text, atMost: Self.longestFailure)
        if failure != state.failure || next.isNew {
            logger.error(
                "Apple's delivery counts can't be imported: \(failure)",
                metadata: ["app": "\(next.app.name)", "token_file": "\(next.source.tokenFile.printable)"])
        }
        state.failure = failure
    }

    private func store(
        _ state: DeliveryImportState, _ app: String, ifVersion version: Int64,
        with days: [(kind: String, key: String, value: [UInt8])] = []
    ) async throws(QueueError) -> Int64? {
        try await queue.store(
            state.encoded, kind: DeliveryImportState.kind, key: app, ifVersion: version, with: days)
    }

    static func nextNight(after now: QueueTime) -> QueueTime {
        let day = DeliveryCounts.secondsOfDay * 1000
        let tonight = QueueTime(milliseconds: now.milliseconds - now.milliseconds % day) + hour
        return (tonight > now ? tonight : tonight + .milliseconds(day)) + .seconds(Int.random(in: 0..<spread))
    }

    private enum Export {
        case making(address: String)
        case made([DeliveryCounts])
    }

    /// Requests an export of all days that Apple has, so that those that were missed come, and counts that have grown; or looks whether the
    /// one that was requested is ready.
    private func export(_ next: Import, _ requested: String?, _ names: [String]) async throws -> Export {
        let source = next.source
        let token = try rethrowing(try source.readToken().token) { (problem: DeliveryCountSource.TokenMistake) in
            Failure(text: "The file of \"token_file\" \(problem.description)")
        }
        // A server that is not Apple's, such as the mock, plays Apple's export too.
        let server = next.app.environment.appleService == nil ? next.app.environment : nil
        let reports = PushDeliveryReports(
            teamID: source.teamID, token: token, server: server, proxy: next.app.client.proxy,
            timeout: limits.request)
        let found: (address: String, rows: [PushDeliveryReports.Row]?)
        do {
            found = try await Self.within(limits.whole) {
                var address = requested
                if address == nil {
                    address = try await reports.request(
                        .deliveries, app: source.bundleID, from: names.last ?? "", to: names.first ?? "")
                }
                return (address ?? "", try await reports.rows(.deliveries, ofExport: address ?? ""))
            }
        } catch let failure as PushDeliveryReports.Failure where failure.code == .tokenRefused {
            throw Failure(text: "\(failure.description) Then put it in the file of \"token_file\".")
        }
        guard let rows = found.rows else { return .making(address: found.address) }
        // Other days were not asked for.
        let ofDays = Dictionary(grouping: rows.filter { names.contains($0.day) }, by: \.day)
        if ofDays.isEmpty, let first = rows.first {
            throw Failure(text: "Apple's export has none of the requested days; its first is \(first.day.printable).")
        }
        let days = try ofDays.map { day, rows in
            guard rows.count <= Self.maximumTypes, rows.allSatisfy(Self.isPossible) else {
                throw Failure(text: "Apple's export of \(day) can't be what Apple counts: it has too much in it.")
            }
            let types = rows.map { ($0.pushType ?? "", $0.counts) }
            return DeliveryCounts(day: day, types: Dictionary(types) { first, _ in first })
        }
        return .made(days)
    }

    private static func within<Answer: Sendable>(
        _ limit: Duration, _ work: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try await withThrowingTaskGroup(of: Answer.self) { group in
            group.addTask(operation: work)
            group.addTask {
                try await Task.sleep(for: limit)
                throw Failure(text: "Apple's server took too long to answer. The service tries again later.")
            }
            defer { group.cancelAll() }
            guard let answer = try await group.next() else { throw CancellationError() }
            return answer
        }
    }

    private static func isPossible(_ row: PushDeliveryReports.Row) -> Bool {
        row.counts.count <= maximumCounts && row.counts.values.allSatisfy { $0 <= maximumCount }
            && (row.counts.keys + [row.pushType ?? ""]).allSatisfy { $0.utf8.count <= longestName }
    }
}
