internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
import PushDelivery
import PushHTTP
import PushJSON
import PushQueue

/// A stream of pushes, one in each line. Each line is answered with a line as soon as its push is durable.
///
/// Lines that arrive during a commit share the next one. No more are read until the answers to those before are written. So the
/// memory is bounded, and the client has to read while it writes. If a client cannot do this, it can request answers for refused
/// lines only.
struct LineStream {
    enum Answers: String, CaseIterable {
        case all
        /// The lines that were refused, and at the end how many of each kind there were.
        case refused
    }

    private let request: APIRequest
    private let onlyValidates: Bool
    private let wanted: Answers
    private let reader: BodyReader
    private var cutting: LineCutting
    private var counts: [String: Int] = [:]
    private var isBodyRead = false
    private var isEnded = false
    private var stopReason: APIProblem?
    private var slowedSeconds = 0.0

    private static let linesAtOnce = 500
    /// What a stream holds at most, in bytes: parts of the body that have arrived, and a group of lines with its answers.
    static let held = 512 << 10
    /// The status waits for a line that is accepted, until this number of lines was refused. Then it is 202, whatever follows.
    private static let maximumAwaited = 1000

    private init(_ request: APIRequest) throws {
        self.request = request
        (onlyValidates, wanted) = (try request.bool("validate_only") ?? false, try Self.answers(request))
        reader = BodyReader(request.source.body)
        cutting = LineCutting(maximum: request.parts.limits.lineBytes)
    }

    static func answer(_ request: APIRequest) async throws -> Response {
        guard request.query["wait"] == nil else {
            throw APIProblem.invalid(
                "A stream can't wait for its outcomes.", field: "wait", remedy: "Read GET /v1/results.")
        }
        guard try Replay.text(of: request) == nil else {
            throw APIProblem.invalid(
                "A stream of lines can't have an idempotency key.", code: "idempotency_of_stream",
                field: "idempotency-key", remedy: "Give each line a \"dedupe_key\".")
        }
        try request.memory.grow(by: held)
        var stream = try LineStream(request)
        request.client?.gatherBody()
        let first = try await stream.begin()
        var response = Response.stream("application/x-ndjson", status: stream.status, keeping: request.memory) {
            [stream] writer in
            var running = stream
            for bytes in first { try await writer.write(bytes) }
            while let bytes = try await running.next() { try await writer.write(bytes) }
        }
        for header in stream.statusHeaders { response.headers[header.name] = header.value }
        return response
    }

    static func answers(_ request: APIRequest) throws(APIProblem) -> Answers {
        try request.choice(
            "answers", Answers.self,
            remedy: "\"refused\" answers only the lines that were refused, and ends with a summary.") ?? .all
    }

    // MARK: The status

    /// After this time without more of the body, a client that has sent refused lines is taken to wait for their answers. It gets
    /// status 202 and the answers, whatever follows.
    private static let patience = Duration.seconds(1)

    /// Reads until a line is accepted, so that the status of a body without such a line is no success. A body in chunks can be a
    /// conversation, whose client waits for the answer to a line before it sends the next one. It gets its status at once.
    private mutating func begin() async throws -> [ByteBuffer] {
        var first: [ByteBuffer] = []
        guard request.headers[.transferEncoding] == nil else { return first }
        // A group that is being stored must not end with 503: its lines are in the queue.
        try request.deadline.pause()
        defer { request.deadline.resume() }
        while !hasAccepted, counts["invalid", default: 0] < Self.maximumAwaited, let bytes = try await next() {
            first.append(bytes)
            if !isEnded, !isBodyRead, !cutting.hasCompleteLine, await !reader.hasNext(within: Self.patience) { break }
            if (try? request.memory.grow(by: bytes.readableBytes)) == nil { break }
        }
        if isEnded, counts.isEmpty, stopReason == nil {
            throw APIProblem.impossible("The body has no push.", code: "no_lines", remedy: PushShape.sentence)
        }
        return first
    }

    private var hasAccepted: Bool { counts.contains { $0.key != "invalid" } }

    /// Why nothing of the body was accepted, if that is known when the status is sent.
    private var failure: APIProblem? { isEnded && !hasAccepted ? stopReason : nil }

    private var status: HTTPResponse.Status {
        if let failure { return failure.status }
        return isEnded && !hasAccepted ? .unprocessableContent : .accepted
    }

    private var statusHeaders: [HTTPField] { failure?.headers ?? [] }

    // MARK: Reading

    /// The answers to the next lines; `nil` after the last ones.
    private mutating func next() async throws -> ByteBuffer? {
        guard !isEnded else { return nil }
        do {
            guard let lines = try await nextLines() else {
                isEnded = true
                return wanted == .refused ? ByteBuffer(lines: [summary]) : nil
            }
            // It may have been revoked since the stream began.
            try await request.checkKey()
            var (bytes, error) = await results(of: lines)
            if let error {
                var last = try end(with: error)
                bytes.writeBuffer(&last)
            }
            return bytes
        } catch {
            return try end(with: error)
        }
    }

    /// The next lines that have arrived, at most a group; `nil` at the end of the body.
    private mutating func nextLines() async throws -> [LineCutting.Line]? {
        while true {
            if let lines = cutting.next(atMost: Self.linesAtOnce) { return lines }
            if isBodyRead { return nil }
            if request.parts.answers.isOver { throw APIProblem.stopping }
            // The end of the service ends the wait for a client that has nothing to send.
            if let buffer = try await request.parts.answers.run({ [reader] in try await reader.next() }) {
                cutting.append(buffer.readableBytesView)
            } else {
                isBodyRead = true
                return cutting.finish().map { [$0] }
            }
        }
    }

    /// Ends the stream before its end. The lines that were answered are durable. The client can continue after them.
    private mutating func end(with error: any Error) throws -> ByteBuffer {
        isEnded = true
        guard let problem = APIProblem(ofLines: error) else { throw error }
        stopReason = problem
        return ByteBuffer(lines: [stopped(problem)])
    }

    /// The answers to a group of lines as bytes, and why the group was stopped. The values, which need much more memory, are gone
    /// before a slow client reads them.
    private mutating func results(
        of lines: [LineCutting.Line]
    ) async -> (bytes: ByteBuffer, problem: (any Error)?) {
        var answers = [Answer?](repeating: nil, count: lines.count)
        // The answer always has the lines that were stored, even if the group was stopped.
        let problem: (any Error)?
        let wasSlowed = slowedSeconds > 0
        do {
            try await waitForRate(lines.count)
            try await answer(lines, &answers)
            problem = nil
        } catch {
            problem = error
        }
        let known = answers.compactMap(\.self)
        for answer in known { counts[answer.name, default: 0] += 1 }
        let notes = slowedSeconds > 0 && !wasSlowed ? [slowNote] : []
        let values = notes + known.filter { wanted == .all || $0.name == "invalid" }.map(\.value)
        // The empty line shows that the lines are stored, so the connection stays open for the next ones.
        return (values.isEmpty ? ByteBuffer(string: "\n") : ByteBuffer(lines: values), problem)
    }

    private var summary: PushJSONValue {
        PushJSONValue.members([("result", .string("done"))]).adding(totals)
    }

    /// Tells the client why its lines are stored no faster.
    private var slowNote: PushJSONValue {
        let rate = request.parts.rates.limit ?? 0
        return [
            "result": "slowed", "limit": .integer(rate),
            "detail": .string(
                "The stream waits, because its key has a rate of \(rate) pushes per second: \"rate_per_key\"."),
        ]
    }

    private func stopped(_ problem: APIProblem) -> PushJSONValue {
        let value: PushJSONValue = ["result": "stopped", "problem": problem.members]
        return wanted == .refused ? value.adding(totals) : value
    }

    private var totals: [String: PushJSONValue] {
        var totals: [String: PushJSONValue] = ["lines": .object(counts.mapValues(PushJSONValue.integer))]
        if slowedSeconds > 0 { totals["slowed_seconds"] = .number((slowedSeconds * 1000).rounded() / 1000) }
        return totals
    }

    // MARK: A group

    private typealias Answer = (name: String, value: PushJSONValue)

    private mutating func answer(_ lines: [LineCutting.Line], _ answers: inout [Answer?]) async throws {
        let reader = EntryReader(
            app: request.app, defaultTopic: request.parts.apps.defaultTopic,
            now: try await request.parts.queue.now(), sender: request.key?.number,
            traceparent: request.traceparent)
        var entries: [(index: Int, entry: Entry)] = []
        try await request.reading(lines.reduce(0) { $0 + ($1.bytes?.count ?? 0) }) {
            for (index, line) in lines.enumerated() {
                do throws(APIProblem) {
                    entries.append((index, try entry(of: line, reader)))
                } catch {
                    answers[index] = ("invalid", refusal(error, line: line.number))
                }
            }
        }
        // What users make of lines is held for a few lines at a time.
        let step = entries.contains { $0.entry.user != nil } ? EntryExpansion.slice : Self.linesAtOnce
        for start in stride(from: 0, to: entries.count, by: step) {
            try await accept(Array(entries[start..<min(start + step, entries.count)]), lines, &answers)
        }
    }

    private mutating func accept(
        _ entries: [(index: Int, entry: Entry)], _ lines: [LineCutting.Line], _ answers: inout [Answer?]
    ) async throws {
        var problems = try await Intake.gone(entries.map(\.entry), request.parts.queue)
        let (found, bytes) = try await expanded(entries.map(\.entry))
        defer { try? request.memory.grow(by: -bytes) }
        var accepted: [(index: Int, entry: Entry, pushes: [Entry])] = []
        for (number, (index, entry)) in entries.enumerated() {
            if case .failure(let problem) = found[number] { problems[number] = problem }
            if let problem = problems[number] {
                answers[index] = ("invalid", refusal(problem, line: lines[index].number))
            } else {
                accepted.append((index, entry, (try? found[number].get()) ?? []))
            }
        }
        for (app, group) in Dictionary(grouping: accepted, by: \.entry.app) {
            var results = try await store(group.flatMap(\.pushes), app: app)[...]
            for (index, entry, pushes) in group {
                answers[index] = value(of: results.prefix(pushes.count), entry, pushes, line: lines[index].number)
                results = results.dropFirst(pushes.count)
            }
        }
    }

    /// The pushes of lines, those to users with one for each device. These count against the rate of the key, too.
    private mutating func expanded(
        _ entries: [Entry]
    ) async throws -> (pushes: [Result<[Entry], APIProblem>], bytes: Int) {
        guard entries.contains(where: { $0.user != nil }) else { return (entries.map { .success([$0]) }, 0) }
        let found = try await request.expand(entries)
        let more = found.pushes.reduce(0) { $0 + max(((try? $1.get().count) ?? 0) - 1, 0) }
        if more > 0 { try await waitForRate(more) }
        return found
    }

    private func entry(of line: LineCutting.Line, _ reader: EntryReader) throws(APIProblem) -> Entry {
        guard let bytes = line.bytes else {
            throw APIProblem(
                status: .contentTooLarge, code: "line_too_long",
                detail: "The line is longer than \(request.parts.limits.lineBytes) bytes.")
        }
        let tree = try APIRequest.json(bytes, firstLine: line.number, as: .line)
        return try reader.entry(TreePositions(tree), firstLine: line.number)
    }

    /// `nil` for each push if they are only validated.
    private func store(_ entries: [Entry], app: String) async throws -> [EnqueueResult?] {
        if onlyValidates || entries.isEmpty { return entries.map { _ in nil } }
        let parts = request.parts
        try await Intake.checkDepth(parts, entries.count, of: app)
        var enqueue = EnqueueRequest(entries.map(\.job), app: app)
        enqueue.isAtomic = false
        let began = ContinuousClock.now
        guard case .done(let results) = try await parts.queue.enqueue(enqueue) else {
            throw QueueError(.defect, "A request without an idempotency key wasn't carried out.")
        }
        Intake.note(results, app: app, took: .now - began, parts)
        return results
    }

    /// Waits until the rate of the key allows the lines: a stream is slowed down and not refused.
    private mutating func waitForRate(_ count: Int) async throws {
        guard let key = request.key else { return }
        while let seconds = request.parts.rates.take(count, of: key.id) {
            slowedSeconds += seconds
            try await request.waiting { try await Task.sleep(for: .seconds(seconds)) }
        }
    }

    private func value(
        of results: ArraySlice<EnqueueResult?>, _ entry: Entry, _ pushes: [Entry], line: Int
    ) -> Answer {
        let values = zip(results, pushes).map { value(of: $0, $1, line: line) }
        guard entry.user != nil else { return values[0] }
        // All or none are refused, as they differ only in the device.
        if let refused = values.first(where: { $0.name == "invalid" }) { return refused }
        let name = values.first { $0.name == "queued" }?.name ?? values.first?.name ?? "no_device"
        let items = zip(results, pushes).map { result, push in
            result.map { SendRoutes.answer(of: $0, push) } ?? SendRoutes.answer("valid", nil, push)
        }
        return (
            name,
            [
                "line": .integer(line), "result": .string(name), "items": .array(items),
                "devices": .integer(items.count),
            ]
        )
    }

    private func value(of result: EnqueueResult?, _ entry: Entry, line: Int) -> Answer {
        switch result {
        case .invalid(let refusal): ("invalid", self.refusal(APIProblem.refused(refusal, pointer: ""), line: line))
        case let result?:
            (SendRoutes.name(of: result), SendRoutes.answer(of: result, entry).adding(["line": .integer(line)]))
        case nil: ("valid", SendRoutes.answer("valid", nil, entry).adding(["line": .integer(line)]))
        }
    }

    private func refusal(_ problem: APIProblem, line: Int) -> PushJSONValue {
        ["line": .integer(line), "result": "invalid", "problem": problem.members]
    }
}

extension ByteBuffer {
    init(lines values: [PushJSONValue]) {
        self.init(bytes: values.flatMap { $0.encoded + [0x0A] })
    }
}
