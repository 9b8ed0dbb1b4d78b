import PushDelivery
import PushHTTP
import PushJSON
import PushPlatform
import PushQueue
import PushQueuePostgres
import PushWire

/// Moves the rows of an inbox into the queue. A row whose push cannot be sent becomes a job that has its outcome at once.
struct InboxMover {
    typealias Row = PostgresInbox.Row

    let inbox: PostgresInbox
    let parts: ServiceParts
    /// The name by which pushes of the inbox are known in the queue.
    let name: String
    /// A row that waited for longer is not sent. The queue may have forgotten that it has its id already.
    let longestWait: Duration
    /// The apps whose queue is full, and until when that is believed.
    private var full: [String: ContinuousClock.Instant] = [:]
    /// The apps whose table of devices cannot be asked, so that pushes to users wait, and until when that is believed.
    private var unasked: [String: ContinuousClock.Instant] = [:]
    /// How many rows to users of an app are expanded at once, if its table is slow: the rows stay locked meanwhile.
    private var slices: [String: Int] = [:]
    /// The apps that had rows in the last rounds. Those of the others are looked for first, so that no app holds up another.
    private var served: Set<String> = []
    /// The last erasure before the pushes of the round were read.
    private var lastErasure: Int64?
    /// When they are looked for again: all rows before them are read.
    private var looksAt = ContinuousClock.now

    /// How long a round asks the table of an app for users. If it is slow, rows of other apps are next.
    var longestAsking = Duration.seconds(5)

    /// How long a full queue, or a table that cannot be asked, is left alone.
    private static let pause = Duration.milliseconds(500)
    /// The time between two looks at rows behind those of other apps, at least, and how many times as long as one takes.
    private static let lookPace = (least: Duration.milliseconds(100), factor: 5)
    /// How often the queue is asked to store the pushes of a round: each time has fewer of them.
    private static let tries = 20

    init(_ inbox: PostgresInbox, _ parts: ServiceParts, name: String, longestWait: Duration) {
        (self.inbox, self.parts, self.name, self.longestWait) = (inbox, parts, name, longestWait)
    }

    private struct ErasedMeanwhile: Error {}

    private struct Item {
        /// The id of its outcome.
        var id: UUID
        var job: NewQueueJob
        /// The push as it was read; `nil` if it has its outcome already.
        var entry: Entry?
    }

    /// How long to wait after a round without rows that took a time. Rows that wait for their table or their queue are looked through each
    /// time.
    func rest(after time: Duration, _ poll: Duration) -> Duration {
        unasked.isEmpty && full.isEmpty ? poll : max(poll, min(time * 20, Self.pause))
    }

    /// Moves the next rows.
    ///
    /// - Returns: Whether there may be more at once.
    mutating func round() async throws -> Bool {
        (full, unasked) = (full.filter { $0.value > .now }, unasked.filter { $0.value > .now })
        let rows = try await take()
        guard !rows.isEmpty else { return false }
        do {
            var moved: [Row] = []
            for (app, ofApp) in Dictionary(grouping: rows, by: \.app).sorted(by: { $0.key < $1.key }) {
                guard let settings = parts.apps[app], try await hasRoom(app) else { continue }
                moved += try await store(ofApp, settings)
            }
            try await inbox.clear(moved)
            for (app, ofApp) in Dictionary(grouping: moved, by: \.app) { parts.metrics.moved(ofApp.count, app: app) }
            return !moved.isEmpty
        } catch {
            await inbox.giveBack()
            throw error
        }
    }

    /// Takes rows of apps that had none in the last rounds, or the next ones.
    private mutating func take() async throws -> [Row] {
        let apps = parts.apps.settings().keys.sorted()
        let open = apps.filter { full[$0] == nil }
        if open.isEmpty { return [] }
        let (others, begun) = (open.filter { !served.contains($0) }, ContinuousClock.now)
        if !served.isEmpty, !others.isEmpty, looksAt <= begun {
            let rows = try await inbox.take(
                served: apps, from: others, withoutUsers: Array(unasked.keys), isAhead: true)
            looksAt = .now + max(Self.lookPace.least, begun.duration(to: .now) * Self.lookPace.factor)
            served.formUnion(rows.map(\.app))
            if !rows.isEmpty { return rows }
        }
        let rows = try await inbox.take(served: apps, from: open, withoutUsers: Array(unasked.keys))
        served = Set(rows.map(\.app))
        return rows
    }

    /// Whether the queue takes more jobs of an app. It may get one round more than its limit.
    private mutating func hasRoom(_ app: String) async throws -> Bool {
        do {
            try await Intake.checkDepth(parts, 1, of: app)
            return true
        } catch is APIProblem {
            full[app] = .now + Self.pause
            return false
        }
    }

    /// Stores the rows of an app, whatever becomes of them. After an erasure in the meantime, it begins again: the devices of a user may be
    /// others, and rows are erased if the connection broke.
    ///
    /// - Returns: The rows that are stored: all, except pushes to users whose table of devices cannot be asked.
    private mutating func store(_ rows: [Row], _ app: AppSettings) async throws -> [Row] {
        var (left, size, stored, failures): (ArraySlice<Row>, Int, [Row], Int) = (rows[...], rows.count, [], 0)
        while !left.isEmpty {
            lastErasure = try await parts.queue.lastErasure()
            try await inbox.checkTaken()
            do {
                stored += try await storeOnce(Array(left.prefix(size)), app)
                left = left.dropFirst(size)
                failures = 0
            } catch is ErasedMeanwhile {
                failures += 1
                guard failures < Self.tries else { throw notAccepted }
                // Fewer rows take less time, so that an erasure of many devices, one by one, lets them through.
                size = max(size / 2, 1)
            }
        }
        return stored
    }

    private mutating func storeOnce(_ rows: [Row], _ app: AppSettings) async throws -> [Row] {
        let items = try await items(of: rows, app)
        try await store(items.filter { $0.entry?.user == nil }, app)
        var toUsers = items.filter { $0.entry?.user != nil }[...]
        let begun = ContinuousClock.now
        while !toUsers.isEmpty {
            let slice = toUsers.prefix(slices[app.name] ?? EntryExpansion.slice)
            let asked = ContinuousClock.now
            let found: [Result<[Entry], APIProblem>]
            do { found = try await EntryExpansion.expand(slice.compactMap(\.entry)) } catch is APIProblem {
                slices[app.name] = max(slice.count / 2, 1)
                unasked[app.name] = .now + Self.pause
                break
            }
            if asked.duration(to: .now) < longestAsking / 4 {
                slices[app.name] = min(slice.count * 2, EntryExpansion.slice)
            }
            try await store(zip(slice, found).map(pushes), app)
            toUsers = toUsers.dropFirst(slice.count)
            if !toUsers.isEmpty, begun.duration(to: .now) >= longestAsking {
                unasked[app.name] = .now + Self.pause
                break
            }
        }
        let waiting = Set(toUsers.map(\.id))
        return rows.filter { !waiting.contains($0.id) }
    }

    /// Stores pushes.
    ///
    /// - Returns: The ids that were stored before, by the ids of their outcomes.
    @discardableResult
    private func store(_ items: [Item], _ app: AppSettings) async throws -> [UUID: UUID] {
        var (items, earlier): ([Item], [UUID: UUID]) = (items, [:])
        for _ in 0..<Self.tries where !items.isEmpty {
            var request = EnqueueRequest(items.map(\.job), app: app.name)
            (request.isAtomic, request.lastErasure) = (false, lastErasure)
            let answer = try await parts.queue.enqueue(request)
            // It has no idempotency key, so nothing else can be in conflict.
            if answer == .conflict { throw ErasedMeanwhile() }
            guard case .done(let results) = answer else { break }
            let new = zip(items, results).count { item, result in
                if case .queued = result { item.job.outcome == nil } else { false }
            }
            parts.depth.added(new, to: app.name)
            items = zip(items, results).compactMap { item, result in
                if case .stored(let id) = result { earlier[item.id] = id }
                return again(item.job, of: item.id, after: result).map { Item(id: item.id, job: $0) }
            }
        }
        guard items.isEmpty else { throw notAccepted }
        return earlier
    }

    private var notAccepted: QueueError {
        QueueError(.conflict, "The queue didn't accept rows of the inbox of \(inbox.address). They're retried.")
    }

    // MARK: Users

    /// What is stored of a push to a user: a push for each device, or one that is not sent.
    private func pushes(of item: Item, _ found: Result<[Entry], APIProblem>) -> [Item] {
        switch found {
        case .success(let entries) where !entries.isEmpty: entries.map { Item(id: item.id, job: $0.job) }
        case .success:
            [Item(id: item.id, job: refused(item.job, "no_device", "The user has no device for a push of this type."))]
        case .failure(let problem): [Item(id: item.id, job: refused(item.job, problem))]
        }
    }

    /// Stores the pushes of each row: one with the row's id, the others with ids that a row and a token always have.
    ///
    /// A mover may have died here before, and the user's devices may be others now. So the queue says first which device has the row's id.
    private func store(_ rows: [[Item]], _ app: AppSettings) async throws {
        let earlier = try await store(rows.map { $0[0] }, app)
        let known = try await parts.queue.jobs(Array(earlier.values), app: app.name)
        let targets = Dictionary(known.map { ($0.id, $0.target) }) { first, _ in first }
        var others: [Item] = []
        for pushes in rows {
            var first: QueueJobTarget? = pushes[0].job.target
            if let id = earlier[pushes[0].id] { first = targets[id] }
            // Without a device, the row has ended.
            guard let first, first != .device(InboxOutcome.noToken) else { continue }
            others += pushes.filter { $0.job.target != first }.map(child)
        }
        try await store(others, app)
    }

    /// A device's pushes of several rows are in the order of the rows, also within a millisecond: the number of a row comes before the digits
    /// that tell the devices apart. Of devices with the same digits, each row renames the same ones.
    private func child(_ item: Item) -> Item {
        guard case .device(let token) = item.job.target,
            let digest = Fingerprint.digest(of: item.id.bytes + token.utf8),
            let hash = UUID(bytes: digest.prefix(16))?.halves,
            let device = Fingerprint.digest(of: Array(token.utf8))?.first
        else { return item }
        let time = item.id.halves.0 >> 16 & (1 << 43 - 1)
        let number = UInt64(bitPattern: JobKey(item.id)?.row ?? Int64(hash.0 & .max >> 1)) & 0x1FFF
        let row = Int64(time << 20 | number << 7 | UInt64(device & 0x7F))
        let key = JobKey(row: row, tag: Int64(bitPattern: hash.1 & JobKey.tagBits))
        var child = item
        (child.id, child.job.id) = (key.id, key.id)
        return child
    }

    // MARK: Refusals of the queue

    /// What is stored in place of a job that the queue has not taken; `nil` if it has taken it.
    private func again(_ job: NewQueueJob, of id: UUID, after result: EnqueueResult) -> NewQueueJob? {
        switch result {
        case .queued, .stored: nil
        case .omitted: job
        case .duplicate(let holder):
            refused(job, "duplicate", "The push \(JobAnswer.text(holder)) has this dedupe key.")
        case .invalid(.id): renamed(job, of: id)
        case .invalid(.expiresTooEarly):
            refused(job, QueueJobOutcome.expired, "The push expired before it reached the queue.")
        case .invalid(let refusal): refused(job, .refused(refusal, pointer: ""))
        }
    }

    // MARK: Rows

    private static let pushesBetweenYields = 64

    private func items(of rows: [Row], _ app: AppSettings) async throws -> [Item] {
        let now = try await parts.queue.now()
        var reader = EntryReader(
            app: { (named, field) throws(APIProblem) in
                guard let named, named != app.name else { return app }
                throw .invalid(
                    "The push names another app than the call.", field: field, remedy: "Leave \"app\" out.")
            },
            defaultTopic: parts.apps.defaultTopic, now: now, inbox: name)
        var items: [Item] = []
        for (index, row) in rows.enumerated() {
            if index % Self.pushesBetweenYields == Self.pushesBetweenYields - 1 { await Task.yield() }
            // As if the push had come to the service at the moment of the call.
            reader.now = now + (.zero - row.age)
            let (job, entry) = read(row, reader, now)
            items.append(Item(id: row.id, job: job, entry: entry))
        }
        let good = items.indices.filter { items[$0].entry != nil }
        for (number, problem) in try await Intake.gone(good.compactMap { items[$0].entry }, parts.queue) {
            items[good[number]].job = refused(items[good[number]].job, "gone", Self.sentence(problem))
        }
        return items
    }

    private func read(_ row: Row, _ reader: EntryReader, _ now: QueueTime) -> (NewQueueJob, Entry?) {
        var job = NewQueueJob(to: .device(InboxOutcome.noToken), payload: [])
        job.id = row.id
        let tree: JSONTree
        do throws(APIProblem) { tree = try APIRequest.json(row.push) } catch {
            return (refused(job, row.isAllowed ? error : forbidden(row)), nil)
        }
        // So that the outcome has the token, also of a push that is not sent.
        if let token = Entry.tokens(in: tree).last { job.target = .device(token) }
        guard row.isAllowed else { return (refused(job, forbidden(row)), nil) }
        guard row.age < longestWait else {
            let waited = "The row waited for longer than half of \"keep: jobs\". It may have been sent before."
            return (refused(job, QueueJobOutcome.expired, waited), nil)
        }
        do throws(APIProblem) {
            var entry = try reader.entry(TreePositions(tree))
            entry.job.id = row.id
            Self.setPlace(of: &entry.job, called: reader.now)
            guard Self.countDown(&entry.job, from: reader.now, to: now) else {
                return (refused(job, QueueJobOutcome.expired, "The push expired before it reached the queue."), nil)
            }
            // A push to a user has no target of its own. What is refused of it has none that anybody knows.
            return (entry.user == nil ? entry.job : job, entry)
        } catch {
            return (refused(job, error), nil)
        }
    }

    /// The id has the time of the call. A push that is due later has the place of that time among those that it replaces, as one that the
    /// queue has given its id.
    private static func setPlace(of job: inout NewQueueJob, called: QueueTime) {
        guard case .at(let due) = job.due, due > called, let id = job.id, var details = PushDetails(encoded: job.push),
            details.collapseID != nil
        else { return }
        details.after = ReplacementRules.place(of: id, due: due)
        job.push = details.encoded
    }

    /// Takes the time since the call off the lifetime of a push. Returns whether some is left.
    private static func countDown(_ job: inout NewQueueJob, from called: QueueTime, to now: QueueTime) -> Bool {
        guard case .after(let lifetime) = job.expiry else { return true }
        var begin = called
        if case .at(let due) = job.due { begin = max(called, due) }
        guard begin < now else { return true }
        let left = lifetime - (now - begin)
        job.expiry = .after(left)
        return left > .zero
    }

    // MARK: Pushes that are not sent

    private func forbidden(_ row: Row) -> APIProblem {
        .invalid(
            "The role that inserted the row may not send pushes of the app.", code: "forbidden",
            remedy: "Allow it: pushserve inbox grant --role NAME --app \(row.app)")
    }

    private func refused(_ job: NewQueueJob, _ problem: APIProblem) -> NewQueueJob {
        refused(job, problem.code == "forbidden" ? "forbidden" : "invalid", Self.sentence(problem))
    }

    /// A job that ends at once. Of the push, it has only the token.
    private func refused(_ job: NewQueueJob, _ reason: String, _ detail: String) -> NewQueueJob {
        var refused = NewQueueJob(to: job.target, payload: Array("{}".utf8))
        var details = PushDetails()
        details.inbox = PushDetails(encoded: job.push)?.inbox ?? name
        (refused.id, refused.push) = (job.id, details.encoded)
        refused.outcome = QueueJobOutcome(.notSent, reason: reason, detail: detail)
        return refused
    }

    /// `invalid_token /token: The token has an odd number of digits. Correct it.`
    private static func sentence(_ problem: APIProblem) -> String {
        let head = [problem.code, problem.field].compactMap(\.self).joined(separator: " ")
        let text = [problem.detail, problem.remedy].compactMap(\.self).joined(separator: " ")
        return String("\(head): \(text)".prefix(1000))
    }

    /// The same job with the next id, always in the same order, because the queue cannot have the one before. The push says which id
    /// it had in the inbox.
    private func renamed(_ job: NewQueueJob, of id: UUID) -> NewQueueJob {
        let (high, low) = (job.id ?? id).halves
        let key =
            job.id.flatMap { JobKey($0) }
            ?? JobKey(row: Int64(high >> 2), tag: Int64(bitPattern: low & JobKey.tagBits))
        var renamed = job
        renamed.id = JobKey(row: (key.row &+ 1 << 20) & .max, tag: key.tag).id
        var details = PushDetails(encoded: job.push) ?? PushDetails()
        details.inbox = "\(name) \(JobAnswer.text(id))"
        renamed.push = details.encoded
        return renamed
    }
}
