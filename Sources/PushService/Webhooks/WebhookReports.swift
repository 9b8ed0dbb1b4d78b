import APNSVocabulary
import PushJSON
import PushPlatform
package import PushQueue
internal import PushWire

/// How the posts of a webhook go, as a record of the queue: the worker that posts stores it, and all workers show it.
struct WebhookReport: Equatable {
    struct Failure: Equatable {
        var time: QueueTime
        var job: String
        var detail: String
        var isGivenUp: Bool
        /// The digest of the device token, so that the failure is removed with it.
        var token: String
        /// What was posted, with a shortened device token.
        var body: PushJSONValue
    }

    /// Since when posts have failed; `nil` if the last one was taken.
    var failingSince: QueueTime?
    /// The last answer of the receiver; `nil` before the first one.
    var lastAnswer: QueueTime?
    var failures: [Failure] = []
    /// The number of the last outcome that was not posted, because it is from before the webhook or before its `events` had this kind, by
    /// the name of the kind.
    private var beginnings: [String: Int] = [:]
    /// The numbers of the events that were given up, in their order: the last ones, at most ``maximumGivenUp``.
    private(set) var givenUp: [Int] = []

    /// The maximum number of failures that are kept, how long, and the length of a body that is kept, in bytes.
    static let (maximum, kept, longestBody) = (20, Duration.seconds(7 * 86_400), 16 << 10)
    /// The maximum number of given up events that are known. Of those before, nobody knows any more whether they were delivered.
    private static let maximumGivenUp = 1000

    init() {}

    /// Reads what ``encoded`` has written; an empty report if it is something else.
    init(_ bytes: [UInt8]) {
        guard let value = PushJSONValue(json: bytes) else { return }
        failingSince = value["failing_since"]?.time
        lastAnswer = value["last_answer_at"]?.time
        if case .object(let members)? = value["beginnings"] { beginnings = members.compactMapValues(\.integer) }
        if case .array(let items)? = value["given_up"] { givenUp = items.compactMap(\.integer) }
        guard case .array(let items)? = value["failures"] else { return }
        failures = items.compactMap { item in
            guard let time = item["at"]?.time, case .string(let job)? = item["id"],
                case .string(let detail)? = item["detail"], case .bool(let isGivenUp)? = item["given_up"],
                case .string(let token)? = item["token"], let body = item["body"]
            else { return nil }
            return Failure(time: time, job: job, detail: detail, isGivenUp: isGivenUp, token: token, body: body)
        }
    }

    var encoded: [UInt8] {
        PushJSONValue.members([
            ("failing_since", failingSince.map { .integer(Int($0.milliseconds)) }),
            ("last_answer_at", lastAnswer.map { .integer(Int($0.milliseconds)) }),
            ("beginnings", .object(beginnings.mapValues(PushJSONValue.integer))),
            ("given_up", .array(givenUp.map(PushJSONValue.integer))),
            ("failures", .array(failures.map { $0.value(time: .integer(Int($0.time.milliseconds)), isStored: true) })),
        ]).encoded
    }

    /// Notes from where on outcomes of these kinds are posted. For a webhook that is older than its report, nobody knows: from the start.
    mutating func begin(_ kinds: Set<QueueJobOutcome.Kind>, after cursor: QueueResultCursor, isNew: Bool) {
        let first = isNew || !beginnings.isEmpty ? Int(cursor.number) : 0
        let kinds = kinds.map { ($0.name, beginnings[$0.name] ?? first) }
        beginnings = Dictionary(uniqueKeysWithValues: kinds)
    }

    /// Whether an outcome is from before the webhook, or before its `events` had this kind.
    func isBeforeBeginning(_ cursor: QueueResultCursor, _ kind: QueueJobOutcome.Kind) -> Bool {
        cursor.number <= beginnings[kind.name] ?? 0
    }

    /// Whether an event was given up; `nil` if that isn't known any more.
    func isGivenUp(_ cursor: QueueResultCursor) -> Bool? {
        if givenUp.contains(Int(cursor.number)) { return true }
        return givenUp.count == Self.maximumGivenUp && cursor.number < givenUp[0] ? nil : false
    }

    mutating func take(_ cursor: QueueResultCursor, at now: QueueTime) {
        (failingSince, lastAnswer) = (nil, now)
        givenUp.removeAll { $0 == cursor.number }
    }

    mutating func add(_ failure: Failure, of cursor: QueueResultCursor) {
        if failure.isGivenUp {
            givenUp = Array(Set(givenUp + [Int(cursor.number)]).sorted().suffix(Self.maximumGivenUp))
        }
        failingSince = failingSince ?? failure.time
        lastAnswer = failure.time
        failures = Array(([failure] + failures).prefix(Self.maximum))
    }

    /// What failed last isn't posted any more, because its job was removed.
    mutating func takeBack() { if failures.first?.isGivenUp != true { failingSince = nil } }

    mutating func forget(at now: QueueTime) { failures.removeAll { now - $0.time > Self.kept } }
}

extension WebhookReport.Failure {
    /// The digest of the token is not shown.
    func value(time: PushJSONValue, isStored: Bool = false) -> PushJSONValue {
        .members([
            ("at", time), ("id", .string(job)), ("detail", .string(detail)), ("given_up", .bool(isGivenUp)),
            ("token", isStored ? .string(token) : nil), ("body", body),
        ])
    }
}

package enum WebhookReports {
    static let kind = "webhook_report"
    /// A change of this record asks the worker that posts to post what has failed again, now.
    static let retryKind = "webhook_retry"

    static func read(_ app: String, _ queue: any QueueBackend) async throws(QueueError) -> WebhookReport {
        let now = try await queue.now()
        var report = WebhookReport(try await queue.record(kind: kind, key: app)?.value ?? [])
        report.forget(at: now)
        return report
    }

    /// Changes a report. If another worker changes it at the same time, both changes are kept.
    ///
    /// - Returns: The report as it is then.
    @discardableResult
    static func change(
        _ app: String, _ queue: any QueueBackend, _ change: (inout WebhookReport) -> Void
    ) async throws(QueueError) -> WebhookReport {
        let now = try await queue.now()
        while true {
            let record = try await queue.record(kind: kind, key: app)
            let old = WebhookReport(record?.value ?? [])
            var new = old
            new.forget(at: now)
            change(&new)
            if new == old { return old }
            let version = record?.version ?? 0
            if try await queue.store(new.encoded, kind: kind, key: app, ifVersion: version) != nil { return new }
        }
    }

    /// Forgets the failures of a device token.
    ///
    /// - Parameters:
    ///   - token: The device token, in hex.
    ///   - app: The app; `nil` for all.
    ///   - queue: The queue.
    /// - Throws: ``QueueError``.
    package static func forget(
        token: String, app: String?, _ queue: any QueueBackend
    ) async throws(QueueError) {
        let digest = digest(of: token)
        for record in try await queue.records(kind: kind, after: nil, limit: 1000) where app ?? record.key == record.key
        {
            try await change(record.key, queue) { $0.failures.removeAll { $0.token == digest } }
        }
    }

    package static func forget(app: String, _ queue: any QueueBackend) async throws(QueueError) {
        _ = try await queue.removeRecord(kind: kind, key: app, ifVersion: nil)
    }

    static func digest(of token: String) -> String {
        Fingerprint.digest(of: Array(token.lowercased().utf8)).map { HexText.of($0) } ?? ""
    }

    static func failure(
        _ job: QueueJobRecord, _ body: [UInt8], _ detail: String, isGivenUp: Bool, at now: QueueTime
    ) -> WebhookReport.Failure {
        let token = if case .device(let token) = job.target { token } else { "" }
        var shown = body.count <= WebhookReport.longestBody ? PushJSONValue(json: body) ?? [:] : [:]
        if case .object(var members) = shown, case .object(var data)? = members["data"], data["token"] != nil {
            data["token"] = .string(DeviceToken.shortened(token))
            // A job of a queue of an earlier version.
            if case .string(let key)? = data["dedupe_key"], key.lowercased().hasSuffix(":\(token)") {
                data["dedupe_key"] = .string(key.dropLast(token.count) + DeviceToken.shortened(token))
            }
            members["data"] = .object(data)
            shown = .object(members)
        }
        return WebhookReport.Failure(
            time: now, job: JobAnswer.text(job.id), detail: String(detail.prefix(1000)), isGivenUp: isGivenUp,
            token: token.isEmpty ? "" : digest(of: token), body: shown)
    }
}

/// Stores how the posts of one webhook go. Successes after a success are stored once a minute.
actor WebhookReporter {
    private let app: String
    private let queue: any QueueBackend
    /// What is stored, as far as this worker knows: whether posts fail, and the time of the last answer.
    private var stored: (isFailing: Bool, time: QueueTime)?
    /// The events that were given up before the worker began. It posts those again that its position is before.
    private var givenUp: [Int] = []

    private static let pace = Duration.seconds(60)

    init(_ app: String, _ queue: any QueueBackend) {
        (self.app, self.queue) = (app, queue)
    }

    func begin(_ kinds: Set<QueueJobOutcome.Kind>, _ stored: WebhookRecord.Stored) async {
        let report = try? await WebhookReports.change(app, queue) {
            $0.begin(kinds, after: stored.position.cursor, isNew: stored.isNew)
        }
        givenUp = report?.givenUp ?? []
    }

    /// A report is for people: if the queue cannot be written now, the next one is stored.
    func failed(_ failure: WebhookReport.Failure, of cursor: QueueResultCursor) async {
        stored = (true, failure.time)
        _ = try? await WebhookReports.change(app, queue) { $0.add(failure, of: cursor) }
    }

    func vanished(at now: QueueTime) async {
        stored = (false, now)
        _ = try? await WebhookReports.change(app, queue) { $0.takeBack() }
    }

    func succeeded(_ cursor: QueueResultCursor, at now: QueueTime) async {
        if let stored, !stored.isFailing, now - stored.time < Self.pace, !givenUp.contains(Int(cursor.number)) {
            return
        }
        stored = (false, now)
        _ = try? await WebhookReports.change(app, queue) { $0.take(cursor, at: now) }
    }
}

extension PushJSONValue {
    var time: QueueTime? { integer.map { QueueTime(milliseconds: Int64($0)) } }
}
