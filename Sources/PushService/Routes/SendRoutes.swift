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

    /// The maximum number of pushes in an array.
    private static let mostEntries = 1000
    /// After this number of pushes, other requests get the processor.
    private static let yieldPace = 64

    @Sendable private static func send(_ request: APIRequest) async throws -> Response {
        let type = request.headers[.contentType]?.split(separator: ";").first?.lowercased() ?? ""
        if type.hasPrefix("application/x-ndjson") { return try await LineStream.answer(request) }
        try LineStream.answers(request)
        // Also of a request that is only checked.
        _ = try Replay.text(of: request)
        let body = try await request.body()
        let tree = try await request.reading(body.count) {
            try APIRequest.json(body, entries: mostEntries, as: .pushes)
        }
        try request.hold(tree)
        let reader = EntryReader(
            app: request.app, defaultTopic: request.parts.apps.defaultTopic,
            now: try await request.parts.queue.now(), sender: request.key?.number)
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
            entry = try reader.entry(TreePositions(tree))
            try await Intake.checkGone(entry, request.parts.queue)
        } catch let problem as APIProblem {
            return try await Replay.answer(to: tree.bytes, instead: problem, request) { results in
                results.first.map { answer(of: $0, nil) } ?? .null
            }
        }
        if try request.bool("validate_only") == true { return Response(json: answer("valid", nil, entry)) }
        // Taken before the push is stored: after that, it can no longer be refused.
        let reservation = try wait.map { _ in try request.parts.answers.reserve(.wait, for: request.holder) }
        defer { withExtendedLifetime(reservation) {} }
        let (results, isReplayed) = try await Intake(request).enqueue([entry], Replay.key(of: tree.bytes, request))
        guard let result = results.first else { throw APIProblem.notFound("Nothing was stored.") }
        if case .invalid(let refusal) = result { throw APIProblem.refused(refusal, pointer: "") }
        if let wait, let id = result.id {
            let (waiters, app) = (request.parts.waiters, entry.app.name)
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
        guard request.query["wait"] == nil else {
            throw APIProblem.invalid(
                "An array cannot wait for its outcomes.", field: "wait",
                remedy: "Read GET /v1/results, or send one push.")
        }
        let entries: [Entry]
        do {
            entries = try await self.entries(tree, reader, request)
        } catch let problem as APIProblem {
            return try await Replay.answer(to: tree.bytes, instead: problem, request) { results in
                ["items": .array(results.map { answer(of: $0, nil) })]
            }
        }
        if try request.bool("validate_only") == true {
            return Response(json: ["items": .array(entries.map { answer("valid", nil, $0) })])
        }
        let (results, isReplayed) = try await Intake(request).enqueue(entries, Replay.key(of: tree.bytes, request))
        let refusals = results.enumerated().compactMap { index, result -> APIProblem? in
            guard case .invalid(let refusal) = result else { return nil }
            return APIProblem.refused(refusal, pointer: "/\(index)")
        }
        if let problem = Intake.problem(ofArray: refusals) { throw problem }
        let items = zip(results, entries).map { answer(of: $0, $1) }
        return Replay.marked(Response(json: ["items": .array(items)], status: .accepted), isReplayed)
    }

    private static func entries(
        _ tree: JSONTree, _ reader: EntryReader, _ request: APIRequest
    ) async throws -> [Entry] {
        let nodes = Array(tree.children(of: JSONTree.root))
        guard (1...mostEntries).contains(nodes.count) else {
            throw APIProblem.invalid(
                "The array has \(nodes.count) pushes. It must have 1 to \(mostEntries).", code: "array_size",
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
            if index % yieldPace == yieldPace - 1 { await Task.yield() }
            do throws(APIProblem) {
                let entry = try reader.entry(positions, node: node, pointer: "/\(index)")
                guard entries.first.map({ $0.entry.app.name == entry.app.name }) ?? true else {
                    throw .impossible(
                        "The pushes of an array must be for the same app.", code: "several_apps",
                        field: "/\(index)/app", remedy: "Send an array for each app, or a stream of lines.")
                }
                entries.append((index, entry))
            } catch {
                var problem = error
                // What isn't shown needs no findings.
                if problems.count >= Intake.mostProblems { problem.more = [:] }
                problems.append((index, problem))
            }
        }
        return (entries, problems)
    }

    // MARK: Answers

    /// The members of an answer to a push.
    static func answer(of result: EnqueueResult, _ entry: Entry?) -> PushJSONValue {
        answer(name(of: result), result.id.map(JobAnswer.text), entry)
    }

    static func name(of result: EnqueueResult) -> String {
        switch result {
        case .queued: "queued"
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
