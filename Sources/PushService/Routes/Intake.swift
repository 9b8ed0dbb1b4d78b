internal import HTTPTypes
import PushDelivery
internal import PushHTTP
import PushJSON
import PushQueue

/// Puts pushes into the queue, within the limits of the service.
enum Intake {
    /// Puts pushes of one app into the queue: all of them, or no push.
    ///
    /// - Returns: The results, and whether they are those of an earlier request with the same key.
    static func enqueue(
        _ entries: [Entry], _ key: QueueIdempotencyKey?, _ parts: ServiceParts
    ) async throws -> (results: [EnqueueResult], isReplayed: Bool) {
        guard let app = entries.first?.app else { return ([], false) }
        do {
            try await checkDepth(parts, entries.count, of: app)
        } catch let problem as APIProblem {
            guard let key, let results = try await Replay.results(of: key, app: app, parts.queue) else {
                throw problem
            }
            return (results, true)
        }
        let began = ContinuousClock.now
        let answer = try await parts.queue.enqueue(
            EnqueueRequest(entries.map(\.job), app: app, idempotency: key))
        switch answer {
        case .done(let results):
            note(results, app: app, took: .now - began, parts)
            return (results, false)
        case .replayed(let results): return (results, true)
        case .conflict: throw Replay.conflict
        case .inProgress: throw Replay.inProgress
        }
    }

    // MARK: Limits

    static func checkDepth(_ parts: ServiceParts, _ count: Int, of app: String) async throws {
        let apps = parts.apps.settings().count
        guard let (maximum, refusal) = try await parts.depth.refusal(of: count, for: app, amongApps: apps) else {
            return
        }
        throw APIProblem.later(
            .serviceUnavailable, code: "queue_full",
            refusal == .whole
                ? "The queue has \(maximum) unfinished notifications already."
                : "The app \(app) has \(maximum) unfinished notifications already, half of the limit of the queue.",
            afterSeconds: 5)
    }

    static func note(_ results: [EnqueueResult], app: String, took: Duration, _ parts: ServiceParts) {
        let queued = results.count { if case .queued = $0 { true } else { false } }
        parts.depth.added(queued, to: app)
        parts.metrics.queued(queued, app: app)
        parts.metrics.record(took, .store, app: app)
    }

    /// Counts pushes against the rate of the key. `counted` pushes of the request were counted before.
    static func consumeRate(of request: APIRequest, _ count: Int, after counted: Int = 0) throws(APIProblem) {
        if let key = request.key { try consumeRate(of: key, request.parts, count, after: counted) }
    }

    static func consumeRate(
        of key: APIKey, _ parts: ServiceParts, _ count: Int, after counted: Int = 0
    ) throws(APIProblem) {
        guard count > 0, let seconds = parts.rates.take(count, of: key.id, after: counted) else { return }
        throw .later(
            .tooManyRequests, code: "too_many_requests",
            "The pushes and other requests with this key exceed its rate: \(parts.rates.limit ?? 0) per second.",
            afterSeconds: Int(seconds.rounded(.up)))
    }

    // MARK: Refusals

    /// A token that was registered again since is not gone.
    static func checkGone(_ entry: Entry, _ queue: any QueueBackend) async throws {
        if let problem = try await gone([entry], queue)[0] { throw problem }
    }

    /// The problems of the pushes to gone tokens, by the numbers of the pushes.
    static func gone(_ entries: [Entry], _ queue: any QueueBackend) async throws -> [Int: APIProblem] {
        var asked: [String: [(index: Int, token: String)]] = [:]
        for (index, entry) in entries.enumerated() where entry.refusesGone && entry.user == nil {
            // The devices of a user are not the caller's mistake: the worker skips those that are gone.
            guard case .device(let token) = entry.job.target else { continue }
            asked[entry.app, default: []].append((index, token.lowercased()))
        }
        var problems: [Int: APIProblem] = [:]
        for (app, tokens) in asked {
            let gone = try await queue.gone(among: tokens.map(\.token), app: app)
            let since = Dictionary(gone.map { ($0.token.lowercased(), $0.since) }) { max($0, $1) }
            for (index, token) in tokens {
                guard let time = since[token], entries[index].registered.map({ $0 <= time }) ?? true else {
                    continue
                }
                problems[index] = .impossible(
                    "Apple has reported that the device token has been gone since \(time.rfc3339).",
                    code: "token_gone", field: "/token",
                    remedy:
                        "Remove the token. If it was registered again since, give the time as \"registered_at\".")
            }
        }
        return problems
    }

    /// The problem of an array: that of its first push that can't be accepted, with those of the others.
    static func problem(ofArray problems: [APIProblem]) -> APIProblem? {
        guard var first = problems.first else { return nil }
        let shown = problems.prefix(maximumProblems).map(\.members)
        first.more["refused"] = .integer(problems.count)
        first.more["problems"] = .array(shown)
        return first
    }

    /// The maximum number of pushes of an array whose problems are in the answer. `refused` counts all.
    static let maximumProblems = 100
}
