#if PushService
    internal import HTTPTypes
    internal import Hummingbird
    internal import NIOCore
    import PushDelivery
    import PushHTTP
    import PushJSON
    import PushQueue

    /// A stream of pushes, one in each line. Each line is answered with a line as soon as its push is durable.
    ///
    /// The next bytes are read when the answers to the bytes before are written. So the memory is bounded.
    struct LineStream {
        private let request: APIRequest
        private let onlyValidates: Bool

        /// The maximum number of lines that are stored at once.
        private static let groupSize = 500

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
            let stream = LineStream(request: request, onlyValidates: try request.bool("validate_only"))
            return Response(
                status: .accepted, headers: [.contentType: "application/x-ndjson", .cacheControl: "no-store"],
                body: ResponseBody { writer in
                    try await stream.run(&writer)
                    try await writer.finish(nil)
                })
        }

        private func run(_ writer: inout any ResponseBodyWriter) async throws {
            var cutting = LineCutting(most: request.parts.limits.lineBytes)
            do {
                for try await buffer in request.source.body {
                    try await answer(cutting.take(buffer.readableBytesView), &writer)
                    if request.parts.answers.isOver { throw APIProblem.stopping }
                }
                if let last = cutting.finish() { try await answer([last], &writer) }
            } catch let problem as APIProblem {
                // What was answered before is durable. The client can go on after it.
                try await write([["result": "stopped", "problem": problem.members]], &writer)
            } catch let error as QueueError {
                try await write([["result": "stopped", "problem": APIProblem(error).members]], &writer)
            } catch is CancellationError {
                try await write([["result": "stopped", "problem": APIProblem.stopping.members]], &writer)
            }
        }

        private func answer(_ lines: [LineCutting.Line], _ writer: inout any ResponseBodyWriter) async throws {
            for start in stride(from: 0, to: lines.count, by: Self.groupSize) {
                let group = Array(lines[start..<min(start + Self.groupSize, lines.count)])
                let answers = try await answers(to: group)
                try await write(answers, &writer)
            }
        }

        private func write(_ values: [JSONValue], _ writer: inout any ResponseBodyWriter) async throws {
            var bytes: [UInt8] = []
            for value in values {
                value.write(to: &bytes)
                bytes.append(0x0A)
            }
            try await writer.write(ByteBuffer(bytes: bytes))
        }

        // MARK: A group

        private func answers(to lines: [LineCutting.Line]) async throws -> [JSONValue] {
            try await takeRate(lines.count)
            let reader = EntryReader(app: request.app, now: try await request.parts.queue.now())
            var answers = [JSONValue](repeating: .null, count: lines.count)
            var entries: [(index: Int, entry: Entry)] = []
            for (index, line) in lines.enumerated() {
                do throws(APIProblem) {
                    entries.append((index, try entry(of: line, reader)))
                } catch {
                    answers[index] = refusal(error, line: line.number)
                }
            }
            let gone = try await Intake.gone(entries.map(\.entry), request.parts.queue)
            for (number, problem) in gone {
                var problem = problem
                problem.field = "/token"
                answers[entries[number].index] = refusal(problem, line: lines[entries[number].index].number)
            }
            let accepted = entries.enumerated().filter { gone[$0.offset] == nil }.map(\.element)
            for (app, group) in Dictionary(grouping: accepted, by: \.entry.app.name) {
                let results = try await store(group.map(\.entry), app: app)
                for ((index, entry), result) in zip(group, results) {
                    answers[index] = value(of: result, entry, line: lines[index].number)
                }
            }
            return answers
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
            try await Intake.checkDepth(parts, entries.count)
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
        private func takeRate(_ count: Int) async throws {
            guard let key = request.key else { return }
            while let seconds = request.parts.rates.take(count, of: key.id) {
                try await request.waiting { try await Task.sleep(for: .seconds(seconds)) }
            }
        }

        private func value(of result: EnqueueResult?, _ entry: Entry, line: Int) -> JSONValue {
            switch result {
            case .invalid(let refusal): self.refusal(Intake.problem(refusal, pointer: ""), line: line)
            case let result?: SendRoutes.answer(of: result, entry).adding(["line": .integer(line)])
            case nil: SendRoutes.answer("valid", nil, entry).adding(["line": .integer(line)])
            }
        }

        private func refusal(_ problem: APIProblem, line: Int) -> JSONValue {
            ["line": .integer(line), "result": "invalid", "problem": problem.members]
        }
    }
#endif
