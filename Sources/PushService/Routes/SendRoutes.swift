internal import HTTPTypes
internal import Hummingbird
import PushDelivery
import PushHTTP
import PushJSON
import PushQueue
internal import PushWire

/// Accepts pushes: one push, an array, or a stream of lines.
enum SendRoutes {
    static let all = [
        ServiceRoute(
            .post, "/v1/notifications", .send, query: ["app", "wait", "validate_only", "answers"],
            handler: send)
    ]

    static let maximumEntries = 1000
    private static let pushesBetweenYields = 64

    @Sendable private static func send(_ request: APIRequest) async throws -> Response {
        if request.source.contentType == "application/x-ndjson" { return try await LineStream.answer(request) }
        guard try LineStream.answers(request) == .all else {
            throw APIProblem.invalid(
                "Only a stream of lines can leave out answers.", field: "answers",
                remedy: "Leave it out, or send the pushes as lines, with content-type: application/x-ndjson.")
        }
        // Also of a request that is only checked.
        _ = try Replay.text(of: request)
        let body = try await request.body()
        let tree = try await request.reading(body.count) {
            try APIRequest.json(body, entries: maximumEntries, as: .pushes)
        }
        try request.hold(tree)
        let reader = EntryReader(
            app: request.app, defaultTopic: request.parts.apps.defaultTopic,
            now: try await request.parts.queue.now(), sender: request.key?.number,
            traceparent: request.traceparent)
        switch tree.nodes[JSONTree.root].kind {
        case .array: return try await array(tree, reader, request)
        default: return try await single(tree, reader, request)
        }
    }

    private static func single(
        _ tree: JSONTree, _ reader: EntryReader, _ request: APIRequest
    ) async throws -> Response {
        let wait = try request.duration("wait", atMost: request.parts.limits.longestWait)
        let entry: Entry
        do {
            entry = try await request.reading(tree.bytes.count) { try reader.entry(TreePositions(tree)) }
            try await Intake.checkGone(entry, request.parts.queue)
            if entry.user != nil {
                guard wait == nil else { throw noWait("A push to a user") }
                return try await accept(
                    try await devices(of: [entry], request), of: [entry], to: .user, tree, request)
            }
        } catch let problem as APIProblem {
            let isForUser = hasUser([JSONTree.root], tree)
            return try await Replay.answer(to: tree.bytes, instead: problem, request) { results in
                if isForUser { return answer(of: results, [], to: .user) }
                return results.first.map { answer(of: $0, nil) } ?? .null
            }
        }
        if try request.bool("validate_only") == true { return Response(json: answer("valid", nil, entry)) }
        // Taken before the push is stored: after that, it can no longer be refused.
        let reservation = try wait.map { _ in try request.parts.answers.reserve(.wait, for: request.holder) }
        defer { withExtendedLifetime(reservation) {} }
        let (results, isReplayed) = try await Intake.enqueue(
            [entry], Replay.key(of: tree.bytes, request), request.parts)
        guard let result = results.first else { throw APIProblem.notFound("Nothing was stored.") }
        if case .invalid(let refusal) = result { throw APIProblem.refused(refusal, pointer: "") }
        if let wait, let id = result.id {
            let (waiters, app) = (request.parts.waiters, entry.app)
            // The push is stored in any case, and the answer shows that.
            let job = try? await request.waiting { await waiters.outcome(of: id, app: app, within: wait) }
            if let job {
                let value = answer(of: result, entry).adding(["notification": JobAnswer.value(job)])
                return Replay.marked(Response(json: value), isReplayed)
            }
        }
        return Replay.marked(Response(json: answer(of: result, entry), status: .accepted), isReplayed)
    }

    private static func array(
        _ tree: JSONTree, _ reader: EntryReader, _ request: APIRequest
    ) async throws -> Response {
        guard request.query["wait"] == nil else { throw noWait("An array") }
        let target = hasUser(Array(tree.children(of: JSONTree.root)), tree) ? Target.users : .tokens
        do {
            let entries = try await self.entries(tree, reader, request)
            return try await accept(try await devices(of: entries, request), of: entries, to: target, tree, request)
        } catch let problem as APIProblem {
            return try await Replay.answer(to: tree.bytes, instead: problem, request) { results in
                answer(of: results, [], to: target)
            }
        }
    }

    // MARK: Several pushes

    private enum Target {
        case user
        /// An array of pushes, at least one of which is for a user.
        case users
        /// An array of other pushes.
        case tokens
    }

    private static func noWait(_ what: String) -> APIProblem {
        .invalid(
            "\(what) can't wait for its outcomes.", field: "wait",
            remedy: "Read GET /v1/results, or send one push to a token.")
    }

    private static func hasUser(_ nodes: [Int], _ tree: JSONTree) -> Bool {
        nodes.contains { node in tree.member("user", of: node).map { tree.nodes[$0].kind != .null } ?? false }
    }

    /// The pushes of entries: those to the devices of users, and the others.
    private static func devices(of entries: [Entry], _ request: APIRequest) async throws -> [Entry] {
        guard entries.contains(where: { $0.user != nil }) else { return entries }
        let found = try await request.expand(entries).pushes
        let problems = found.compactMap { result in if case .failure(let problem) = result { problem } else { nil } }
        if let problem = problems.count > 1 ? Intake.problem(ofArray: problems) : problems.first { throw problem }
        let pushes = found.flatMap { (try? $0.get()) ?? [] }
        // The entries were counted before.
        try Intake.consumeRate(of: request, pushes.count - entries.count, after: entries.count)
        return pushes
    }

    /// All of them, or none. `entries` are what the request has.
    private static func accept(
        _ pushes: [Entry], of entries: [Entry], to target: Target, _ tree: JSONTree, _ request: APIRequest
    ) async throws -> Response {
        if try request.bool("validate_only") == true {
            let items = pushes.map { item(answer("valid", nil, $0), $0, target) }
            return Response(json: answer(items, to: target))
        }
        let key = try await Replay.key(of: tree.bytes, request)
        var (results, isReplayed) = try await Intake.enqueue(pushes, key, request.parts)
        if pushes.isEmpty, let key, let app = entries.first?.app,
            let earlier = try await Replay.results(of: key, app: app, request.parts.queue)
        {
            // The users had devices when the first request with the key came.
            (results, isReplayed) = (earlier, true)
        }
        let refusals = zip(results, pushes).compactMap { result, push -> APIProblem? in
            guard case .invalid(let refusal) = result else { return nil }
            return APIProblem.refused(refusal, pointer: target == .user ? "" : "/\(push.index)")
        }
        if let problem = Intake.problem(ofArray: refusals) { throw problem }
        let value = answer(of: results, isReplayed && target != .tokens ? [] : pushes, to: target)
        return Replay.marked(Response(json: value, status: results.isEmpty ? .ok : .accepted), isReplayed)
    }

    /// The answer to several pushes. Without the pushes, the results are those of an earlier request, whose users may have had other devices.
    private static func answer(of results: [EnqueueResult], _ pushes: [Entry], to target: Target) -> PushJSONValue {
        let items = results.enumerated().map { number, result in
            guard number < pushes.count else { return answer(of: result, nil) }
            return item(answer(of: result, pushes[number]), pushes[number], target)
        }
        return answer(items, to: target)
    }

    private static func answer(_ items: [PushJSONValue], to target: Target) -> PushJSONValue {
        .members([("items", .array(items)), ("devices", target == .tokens ? nil : .integer(items.count))])
    }

    /// The push of an array has its number in the answer if users make several of one.
    private static func item(_ value: PushJSONValue, _ push: Entry, _ target: Target) -> PushJSONValue {
        target == .users ? value.adding(["index": .integer(push.index)]) : value
    }

    private static func entries(
        _ tree: JSONTree, _ reader: EntryReader, _ request: APIRequest
    ) async throws -> [Entry] {
        let nodes = Array(tree.children(of: JSONTree.root))
        guard (1...maximumEntries).contains(nodes.count) else {
            throw APIProblem.invalid(
                "The array has \(nodes.count) pushes. It must have 1 to \(maximumEntries).", code: "array_size",
                remedy: "Send more as a stream of lines, with content-type: application/x-ndjson.")
        }
        // The request itself was counted as one.
        try Intake.consumeRate(of: request, nodes.count - 1, after: 1)
        var (entries, problems) = try await request.reading(tree.bytes.count) {
            await read(nodes, of: tree, reader)
        }
        for (number, problem) in try await Intake.gone(entries.map(\.entry), request.parts.queue) {
            var problem = problem
            problem.field = "/\(entries[number].index)/token"
            problems.append((entries[number].index, problem))
        }
        problems.sort { $0.index < $1.index }
        if let problem = Intake.problem(ofArray: problems.map(\.problem)) { throw problem }
        return entries.map(\.entry)
    }

    /// Reads the pushes of an array: those that can be accepted, and the problems of the others, each with its number.
    private static func read(
        _ nodes: [Int], of tree: JSONTree, _ reader: EntryReader
    ) async -> (entries: [(index: Int, entry: Entry)], problems: [(index: Int, problem: APIProblem)]) {
        let positions = TreePositions(tree)
        var entries: [(index: Int, entry: Entry)] = []
        var problems: [(index: Int, problem: APIProblem)] = []
        entries.reserveCapacity(nodes.count)
        for (index, node) in nodes.enumerated() {
            // Other requests need the processor, too.
            if index % pushesBetweenYields == pushesBetweenYields - 1 { await Task.yield() }
            do throws(APIProblem) {
                var entry = try reader.entry(positions, node: node, pointer: "/\(index)")
                entry.index = index
                guard entries.first.map({ $0.entry.app == entry.app }) ?? true else {
                    throw .impossible(
                        "The pushes of an array must be for the same app.", code: "several_apps",
                        field: "/\(index)/app", remedy: "Send an array for each app, or a stream of lines.")
                }
                entries.append((index, entry))
            } catch {
                var problem = error
                // What isn't shown needs no findings.
                if problems.count >= Intake.maximumProblems { problem.more = [:] }
                problems.append((index, problem))
            }
        }
        return (entries, problems)
    }

    // MARK: Answers

    static func answer(of result: EnqueueResult, _ entry: Entry?) -> PushJSONValue {
        answer(name(of: result), result.id.map(JobAnswer.text), entry)
    }

    static func name(of result: EnqueueResult) -> String {
        switch result {
        case .queued, .stored: "queued"
        case .duplicate: "duplicate"
        case .invalid: "invalid"
        case .omitted: "omitted"
        }
    }

    static func answer(_ result: String, _ id: String?, _ entry: Entry?) -> PushJSONValue {
        let warnings = entry?.warnings ?? []
        return .members([
            ("id", id.map(PushJSONValue.string)), ("result", .string(result)),
            ("warnings", warnings.isEmpty ? nil : .array(warnings)),
        ])
    }
}
