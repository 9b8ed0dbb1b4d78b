internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
import PushDelivery
import PushHTTP
import PushJSON
import PushQueue

/// A stream of pushes, one in each line. Each line is answered with a line as soon as its push is durable.
///
/// The next bytes are read when the answers to the bytes before are written. So the memory is bounded, and the client has to
/// read while it writes. If a client cannot do this, it can request answers for refused lines only.
struct LineStream {
    /// Which lines are answered.
    private enum Answers: String {
        /// Each line.
        case all
        /// The lines that were refused, and at the end how many of each kind there were.
        case refused
    }

    private let request: APIRequest
    private let onlyValidates: Bool
    private let wanted: Answers
    private var counts: [String: Int] = [:]

    /// The maximum number of lines that are stored at once.
    private static let groupSize = 500
    /// What a stream holds at most, in bytes: parts of the body that have arrived, and a group of lines with its answers.
    private static let held = 512 << 10

    /// Answers a request with a stream.
    static func answer(_ request: APIRequest) async throws -> Response {
        guard request.query["wait"] == nil else {
            throw APIProblem.invalid(
                "A stream cannot wait for its outcomes.", field: "wait", remedy: "Read GET /v1/results.")
        }
        guard try Replay.text(of: request) == nil else {
            throw APIProblem.invalid(
                "A stream of lines has no idempotency key.", code: "idempotency_of_stream",
                field: "idempotency-key", remedy: "Give each line a \"dedupe_key\".")
        }
        try request.memory.grow(by: held)
        let stream = LineStream(
            request: request, onlyValidates: try request.bool("validate_only"), wanted: try answers(request))
        return Response(
            status: .accepted, headers: [.contentType: "application/x-ndjson", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                var running = stream
                try await running.run(&writer)
                try await writer.finish(nil)
            })
    }

    private static func answers(_ request: APIRequest) throws(APIProblem) -> Answers {
        guard let text = request.query["answers"] else { return .all }
        guard let answers = Answers(rawValue: text) else {
            throw APIProblem.invalid(
                "answers must be \"all\" or \"refused\".", field: "answers",
                remedy: "\"refused\" answers only the lines that were refused, and ends with a summary.")
        }
        return answers
    }

    private mutating func run(_ writer: inout any ResponseBodyWriter) async throws {
        var cutting = LineCutting(most: request.parts.limits.lineBytes)
        let reader = BodyReader(request.source.body)
        do {
            // The end of the service ends the wait for a client that has nothing to send.
            while let buffer = try await request.parts.answers.run({ try await reader.next() }) {
                cutting.append(buffer.readableBytesView)
                while let lines = cutting.next(atMost: Self.groupSize) { try await answer(lines, &writer) }
                if request.parts.answers.isOver { throw APIProblem.stopping }
            }
            if let last = cutting.finish() { try await answer([last], &writer) }
            if wanted == .refused { try await writer.write(Self.bytes(of: [summary])) }
        } catch let problem as APIProblem {
            // The lines that were answered are durable. The client can continue after them.
            try await writer.write(Self.bytes(of: [stopped(problem)]))
        } catch let error as QueueError {
            try await writer.write(Self.bytes(of: [stopped(APIProblem(error))]))
        } catch let error as BrokenBody {
            try await writer.write(Self.bytes(of: [stopped(APIProblem(error))]))
        } catch is CancellationError {
            try await writer.write(Self.bytes(of: [stopped(.stopping)]))
        }
    }

    private mutating func answer(
        _ lines: [LineCutting.Line], _ writer: inout any ResponseBodyWriter
    ) async throws {
        // It may have been revoked since the stream began.
        try await request.checkKey()
        let (bytes, problem) = await results(of: lines)
        try await writer.write(bytes)
        if let problem { throw problem }
    }

    /// The answers to a group of lines as bytes, and why the group was stopped. The values, which need much more memory, are gone
    /// before a slow client reads them.
    private mutating func results(
        of lines: [LineCutting.Line]
    ) async -> (bytes: ByteBuffer, problem: (any Error)?) {
        var answers = GroupAnswers(count: lines.count)
        // The answer always has the lines that were stored, even if the group was stopped.
        let problem: (any Error)?
        do {
            try await answer(lines, &answers)
            problem = nil
        } catch {
            problem = error
        }
        for name in answers.names { counts[name, default: 0] += 1 }
        let values = answers.values(onlyRefused: wanted == .refused)
        // The empty line shows that the lines are stored, so the connection stays open for the next ones.
        return (values.isEmpty ? ByteBuffer(string: "\n") : Self.bytes(of: values), problem)
    }

    /// How many lines there were of each kind.
    private var summary: PushJSONValue {
        PushJSONValue.members([("result", .string("done"))]).adding(totals)
    }

    private func stopped(_ problem: APIProblem) -> PushJSONValue {
        let value: PushJSONValue = ["result": "stopped", "problem": problem.members]
        return wanted == .refused ? value.adding(totals) : value
    }

    private var totals: [String: PushJSONValue] { ["lines": .object(counts.mapValues(PushJSONValue.integer))] }

    private static func bytes(of values: [PushJSONValue]) -> ByteBuffer {
        var bytes: [UInt8] = []
        for value in values {
            value.write(to: &bytes)
            bytes.append(0x0A)
        }
        return ByteBuffer(bytes: bytes)
    }

    // MARK: A group

    private func answer(_ lines: [LineCutting.Line], _ answers: inout GroupAnswers) async throws {
        try await waitForRate(lines.count)
        let reader = EntryReader(
            app: request.app, defaultTopic: request.parts.apps.defaultTopic,
            now: try await request.parts.queue.now(), sender: request.key?.number)
        var entries: [(index: Int, entry: Entry)] = []
        try await request.reading(lines.reduce(0) { $0 + $1.byteCount }) {
            for (index, line) in lines.enumerated() {
                do throws(APIProblem) {
                    entries.append((index, try entry(of: line, reader)))
                } catch {
                    answers[index] = ("invalid", refusal(error, line: line.number))
                }
            }
        }
        let gone = try await Intake.gone(entries.map(\.entry), request.parts.queue)
        for (number, problem) in gone {
            var problem = problem
            problem.field = "/token"
            answers[entries[number].index] = (
                "invalid", refusal(problem, line: lines[entries[number].index].number)
            )
        }
        let accepted = entries.enumerated().filter { gone[$0.offset] == nil }.map(\.element)
        for (app, group) in Dictionary(grouping: accepted, by: \.entry.app.name) {
            let results = try await store(group.map(\.entry), app: app)
            for ((index, entry), result) in zip(group, results) {
                answers[index] = value(of: result, entry, line: lines[index].number)
            }
        }
    }

    private func entry(of line: LineCutting.Line, _ reader: EntryReader) throws(APIProblem) -> Entry {
        switch line {
        case .tooLong:
            throw APIProblem(
                status: .contentTooLarge, code: "line_too_long",
                detail: "The line is longer than \(request.parts.limits.lineBytes) bytes.")
        case .text(let bytes, let number):
            return try reader.entry(
                TreePositions(try APIRequest.json(bytes, firstLine: number)), firstLine: number)
        }
    }

    /// Stores the pushes of an app; `nil` for each if they are only validated.
    private func store(_ entries: [Entry], app: String) async throws -> [EnqueueResult?] {
        if onlyValidates { return entries.map { _ in nil } }
        let parts = request.parts
        try await Intake.checkDepth(parts, entries.count, of: app)
        var enqueue = EnqueueRequest(entries.map(\.job), app: app)
        enqueue.isAtomic = false
        let began = ContinuousClock.now
        guard case .done(let results) = try await parts.queue.enqueue(enqueue) else {
            throw QueueError(.defect, "A request without an idempotency key was not carried out.")
        }
        Intake.note(results, app: app, took: .now - began, parts)
        return results
    }

    /// Waits until the rate of the key allows the lines: a stream is slowed down and not refused.
    private func waitForRate(_ count: Int) async throws {
        guard let key = request.key else { return }
        while let seconds = request.parts.rates.take(count, of: key.id) {
            try await request.waiting { try await Task.sleep(for: .seconds(seconds)) }
        }
    }

    private func value(of result: EnqueueResult?, _ entry: Entry, line: Int) -> GroupAnswers.Answer {
        switch result {
        case .invalid(let refusal): ("invalid", self.refusal(Intake.problem(refusal, pointer: ""), line: line))
        case let result?:
            (SendRoutes.name(of: result), SendRoutes.answer(of: result, entry).adding(["line": .integer(line)]))
        case nil: ("valid", SendRoutes.answer("valid", nil, entry).adding(["line": .integer(line)]))
        }
    }

    private func refusal(_ problem: APIProblem, line: Int) -> PushJSONValue {
        ["line": .integer(line), "result": "invalid", "problem": problem.members]
    }
}

/// The known answers to the lines of a group.
private struct GroupAnswers {
    /// The name of the result, and the whole answer.
    typealias Answer = (name: String, value: PushJSONValue)

    private var answers: [Answer?]

    init(count: Int) {
        answers = Array(repeating: nil, count: count)
    }

    subscript(index: Int) -> Answer {
        get { answers[index] ?? ("", .null) }
        set { answers[index] = newValue }
    }

    var names: [String] { answers.compactMap { $0?.name } }

    func values(onlyRefused: Bool) -> [PushJSONValue] {
        answers.compactMap { $0 }.filter { !onlyRefused || $0.name == "invalid" }.map(\.value)
    }
}

/// The parts of a body.
///
/// `@unchecked Sendable` is correct: only the loop of one stream uses it, and it waits for the end of each call of ``next()``
/// before the next one. It must be sendable because each call runs in its own task, which the end of the service cancels.
private final class BodyReader: @unchecked Sendable {
    private var iterator: RequestBody.AsyncIterator

    init(_ body: RequestBody) {
        iterator = body.makeAsyncIterator()
    }

    /// The next part; `nil` after the last one.
    func next() async throws -> ByteBuffer? { try await iterator.next() }
}
