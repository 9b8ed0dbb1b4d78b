internal import DeliveryReports
package import Logging
internal import PushDelivery
internal import PushPlatform
internal import PushProvider
package import PushQueue
internal import PushTime
internal import ServiceLifecycle

/// Imports Apple's delivery counts of the apps that ask for it, once in a night and for all workers.
package final class DeliveryImports: Service {
    private let queue: any QueueBackend
    private let apps: ServedApps
    private let logger: Logger

    /// How often a worker looks whether an import is due.
    private static let pace = Duration.seconds(60)
    /// The hour at which the imports begin, in UTC: Apple counts a day no earlier than the next one. Each is put off by a random part of
    /// ``spread``, so that not all services ask Apple at once.
    private static let (hour, spread) = (Duration.seconds(4 * 3600), 7200)
    /// After a failure, at first and at most.
    private static let pauses = ExponentialBackoff(first: .seconds(300), longest: .seconds(4 * 3600))
    /// How long an import waits for Apple's export, and how long it may take in all: then another worker begins.
    private static let (longestWait, longestImport) = (Duration.seconds(1800), Duration.seconds(3600))
    /// No import is due later than this.
    private static let longestPause = Duration.seconds(2 * DeliveryCounts.secondsOfDay)
    /// How many apps are imported at a time.
    private static let most = 4
    /// The days before the last import that are read again, since Apple's counts of them can still grow.
    private static let overlap = 3
    /// The maximum size of a file with a token, in bytes.
    private static let tokenBytes = 64 << 10
    /// What is stored of a day at most: push types, counts of each, the greatest count, and the longest name, in bytes. Else the import fails.
    private static let (mostTypes, mostCounts, mostCount, longestName) = (100, 20, 1_000_000_000_000, 64)

    /// Why an import failed, and what to do, in sentences without the token.
    private struct Failure: Error { let text: String }

    package init(queue: any QueueBackend, apps: ServedApps, logger: Logger) {
        (self.queue, self.apps, self.logger) = (queue, apps, logger)
    }

    /// Imports until the graceful shutdown.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await self.round()
                try? await Task.sleep(for: Self.pace)
            }
        }
    }

    /// Imports the counts of all apps for which it is due.
    func round() async {
        let sources = apps.settings().compactMapValues(\.deliveryCounts).sorted { $0.key < $1.key }
        await withTaskGroup(of: Void.self) { group in
            for (number, (app, source)) in sources.enumerated() {
                if number >= Self.most { await group.next() }
                group.addTask {
                    // If the queue cannot be reached, the delivery logs it.
                    do throws(QueueError) { try await self.importIfDue(app, source) } catch {}
                }
            }
        }
    }

    private func importIfDue(_ app: String, _ source: DeliveryCountSource) async throws(QueueError) {
        let now = try await queue.now()
        let record = try await queue.record(kind: DeliveryImportState.kind, key: app)
        let before = DeliveryImportState(record?.value ?? [])
        // A time that far ahead was noted with a wrong clock.
        guard before.due <= now || before.due - now > Self.longestPause else { return }
        var state = before
        state.due = now + Self.longestImport
        // If another worker was first, it imports.
        guard let version = try await store(state, app, ifVersion: record?.version ?? 0) else { return }
        do {
            let days = try await importCounts(app, source, before, now)
            (state.failure, state.failures) = (nil, 0)
            // What was empty may be filled later, so all days are asked for again.
            if days > 0 { state.imported = now }
            state.due = Self.nextNight(after: now)
            logger.notice("Apple's delivery counts were imported.", metadata: ["app": "\(app)", "days": "\(days)"])
        } catch is CancellationError {
            // The next worker begins at once.
            state.due = before.due
        } catch {
            let text = (error as? Failure)?.text ?? "\(error)"
            if text != state.failure {
                logger.error("Apple's delivery counts cannot be imported: \(text)", metadata: ["app": "\(app)"])
            }
            state.failure = text
            state.due = ((try? await queue.now()) ?? now) + Self.pauses.pause(after: state.failures)
            state.failures += 1
        }
        _ = try await store(state, app, ifVersion: version)
    }

    private func store(
        _ state: DeliveryImportState, _ app: String, ifVersion version: Int64
    ) async throws(QueueError) -> Int64? {
        try await queue.store(state.encoded, kind: DeliveryImportState.kind, key: app, ifVersion: version)
    }

    static func nextNight(after now: QueueTime) -> QueueTime {
        let day = DeliveryCounts.secondsOfDay * 1000
        let tonight = QueueTime(milliseconds: now.milliseconds - now.milliseconds % day) + hour
        return (tonight > now ? tonight : tonight + .milliseconds(day)) + .seconds(Int.random(in: 0..<spread))
    }

    // MARK: An import

    /// Returns how many days were imported.
    private func importCounts(
        _ app: String, _ source: DeliveryCountSource, _ state: DeliveryImportState, _ now: QueueTime
    ) async throws -> Int {
        let most = PushDeliveryReports.mostDays
        let missed = state.imported.map { Int((now - $0).components.seconds / DeliveryCounts.secondsOfDay) + 1 } ?? most
        let days = min(max(missed, 1) + Self.overlap, most)
        // A server that is not Apple's, such as the mock, plays Apple's export too.
        let server = apps[app].flatMap { $0.environment.appleService == nil ? $0.environment : nil }
        let reports = PushDeliveryReports(
            teamID: source.teamID, token: try Self.token(source.tokenFile), server: server,
            proxy: apps[app]?.client.proxy)
        let rows: [PushDeliveryReports.Row]
        do {
            rows = try await reports.rows(
                .deliveries, app: source.bundleID, days: days, waitingAtMost: Self.longestWait)
        } catch let failure as PushDeliveryReports.Failure {
            let place = failure.code == .tokenRefused ? " Then put it in \(source.tokenFile.printable)." : ""
            throw Failure(text: failure.description + place)
        }
        // Other days were not asked for.
        let asked = Set((0...days).map { DeliveryCounts.day($0, before: now) })
        let ofDays = Dictionary(grouping: rows.filter { asked.contains($0.day) }, by: \.day)
        if ofDays.isEmpty, let first = rows.first {
            throw Failure(text: "Apple's export has none of the days that were asked for, but \(first.day.printable).")
        }
        for (day, rows) in ofDays {
            guard rows.count <= Self.mostTypes, rows.allSatisfy(Self.isPossible) else {
                throw Failure(text: "Apple's export of \(day) cannot be what Apple counts: it has too much in it.")
            }
            let types = rows.map { ($0.pushType ?? "", $0.counts) }
            try await DeliveryCounts(day: day, types: Dictionary(types) { first, _ in first }).store(app, queue)
        }
        let oldest = DeliveryCounts.day(DeliveryCounts.keptDays, before: now)
        try await DeliveryCounts.forget(app: app, before: oldest, queue)
        return ofDays.count
    }

    private static func isPossible(_ row: PushDeliveryReports.Row) -> Bool {
        row.counts.count <= mostCounts && row.counts.values.allSatisfy { $0 <= mostCount }
            && (row.counts.keys + [row.pushType ?? ""]).allSatisfy { $0.utf8.count <= longestName }
    }

    /// Why the file of `token_file` can't be used; `nil` if it can.
    package static func problem(inTokenFile path: String) -> String? {
        do throws(Failure) { _ = try token(path) } catch { return error.text }
        return nil
    }

    private static func token(_ path: String) throws(Failure) -> String {
        let file: SmallFile
        var facts = stat()
        // To open a pipe could take forever.
        if stat(path, &facts) == 0, facts.st_mode & S_IFMT != S_IFREG {
            throw Failure(text: "\"token_file\", \(path.printable), is not a file. Put the token into a file.")
        }
        do throws(SmallFile.Problem) { file = try SmallFile(path, atMost: tokenBytes) } catch {
            throw Failure(text: "The file of \"token_file\", \(path.printable), \(error.description).")
        }
        guard let token = FileText.word(file.bytes) else {
            throw Failure(text: "The first line of \(path.printable) is not a token: it must be one word.")
        }
        return token
    }
}
