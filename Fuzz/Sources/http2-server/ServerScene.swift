internal import FuzzSupport

@testable internal import PushWire

/// A server's session and a genuine client. The input changes the bytes between them. The scene drives the session as the mock
/// does.
final class ServerScene {
    private let session: HTTP2Session
    private let limits: HTTP2Session.Limits
    private let client = GenuineClient()
    private let witness = HPACKWitness(of: .server)
    private var output = OutputReader(isClient: false)
    private var toServer = Pipe()
    private var toClient: [UInt8] = []
    private(set) var isOver = false

    /// Requests that have arrived and have not ended.
    private var open: Set<Int32> = []
    /// Requests that are not answered yet.
    private var waiting: [Int32] = []
    private var ended: Set<Int32> = []
    private var answers: [Int32: Answer] = [:]
    private var maximumAllowed: Int

    private struct Answer {
        var fields: HeaderBlock
        var bodyCount: Int
    }

    init(_ input: inout FuzzInput) {
        let streams = input.choice(of: [100, 1, 1000])
        maximumAllowed = streams
        var limits = HTTP2Session.Limits(
            settings: HTTP2Settings(
                maxConcurrentStreams: UInt32(streams), initialWindowSize: 65_535,
                maxHeaderListSize: 8000, headerTableSize: input.choice(of: [4096, 0, 65_536])))
        limits.bodyBytes = 300
        limits.headerBytes = 8000
        limits.notesFrames = true
        limits.refusesEarlyStreams = true
        self.limits = limits
        session = expected { try HTTP2Session(role: .server, limits: limits) }
    }

    // MARK: Choices of the input

    /// There is no genuine other side; all bytes come from the input.
    func hear(_ input: inout FuzzInput) {
        while !isOver, !input.isEmpty {
            receive(input.piece())
            act(&input)
            flush()
        }
    }

    func step(_ input: inout FuzzInput) {
        switch input.number(below: 12) {
        case 0: client.open(&input)
        case 1: toServer.append(client.send())
        case 2: for _ in 0..<input.byte() { client.open(&input) }
        case 3: client.session.reset(Int32(input.byte()))
        case 4: client.receive(take())
        case 5: act(&input)
        case 6: receive(toServer.take(&input))
        case 7: toServer.spoil(&input)
        case 8, 9: toServer.forge(Frame(&input).bytes)
        case 10: client.session.ping(1)
        default: exchange()
        }
        takeEvents()
    }

    private func act(_ input: inout FuzzInput) {
        switch input.number(below: 8) {
        case 0: while let id = waiting.popLast() { answer(id, &input) }
        case 1: session.ping(1)
        case 2: announce(&input)
        case 3: session.goAway(lastStreamID: input.choice(of: [nil, .max, 0]), debugData: input.piece())
        case 4: session.reset(Int32(input.byte()), code: .internalError)
        default: if let id = waiting.popLast() { answer(id, &input) }
        }
    }

    private func answer(_ id: Int32, _ input: inout FuzzInput) {
        claim(session.hasStream(id) || ended.contains(id), "a stream disappeared and did not end")
        var fields = HeaderBlock([(":status", input.choice(of: ["200", "400", "410", "503"]))])
        for _ in 0..<input.number(below: 4) {
            let number = input.number(below: 60)
            let name = input.choice(of: ["apns-id", "apns-unique-id", "y\(number)"])
            fields.append(name, input.longWord(), indexing: input.byte() & 1 == 0 ? .allowed : .avoided)
        }
        let body = [UInt8](repeating: 1, count: input.choice(of: [0, 30, 1000, 100_000]))
        answers[id] = Answer(fields: fields, bodyCount: body.count)
        guard input.byte() != 0xFF else {
            return expected { try session.beginResponse(OutgoingFields(fields), on: id) }
        }
        _ = expected { try session.submitResponse(OutgoingFields(fields), body: body, on: id) }
    }

    private func announce(_ input: inout FuzzInput) {
        let streams = input.choice(of: [1, 10, 1000])
        maximumAllowed = max(maximumAllowed, streams)
        expected {
            try session.announceSettings(
                HTTP2Settings(
                    maxConcurrentStreams: UInt32(streams), initialWindowSize: input.choice(of: [nil, 0, 100]),
                    headerTableSize: input.choice(of: [nil, 0, 4096])))
        }
    }

    // MARK: Bytes

    private func take() -> [UInt8] {
        flush()
        defer { toClient = [] }
        return toClient
    }

    private func flush() {
        while let frame = expected({ try session.nextFrame() }) {
            toClient.append(contentsOf: frame)
            if let headers = output.read(frame) { check(headers) }
        }
        takeEvents()
    }

    /// Checks that a reader that sees only header fields gets the fields of the answer.
    private func check(_ headers: Frame) {
        guard let answer = answers.removeValue(forKey: Int32(headers.streamID)) else {
            return claim(false, "HEADERS that belong to no answer")
        }
        guard let seen = witness.answer(headers) else { return claim(false, "an answer cannot be read") }
        let fields = [(name: ":status", value: "\(seen.status ?? 0)")] + seen.headers.fields
        let wanted = answer.fields.fields
        claim(fields.elementsEqual(wanted, by: ==), "the fields of an answer are read as \(fields)")
    }

    private func receive(_ bytes: [UInt8]) {
        guard !isOver else { return }
        var failure: HTTP2Error?
        bytes.withUnsafeBytes { buffer in
            do throws(HTTP2Error) { try session.receive(buffer) } catch { failure = error }
        }
        takeEvents()
        if let failure {
            claimPrintable(failure.description, "an error")
            isOver = true
        }
        if session.isFinished { isOver = true }
    }

    private func exchange() {
        for _ in 0..<3 {
            toServer.append(client.send())
            receive(toServer.take(toServer.bytes.count))
            client.receive(take())
        }
    }

    // MARK: Events

    private func takeEvents() {
        var events: [HTTP2Event] = []
        session.takeEvents(into: &events)
        for event in events { take(event) }
        var notes: [HTTP2FrameNote] = []
        session.takeFrameNotes(into: &notes)
        claim(open.count <= maximumAllowed, "there are more requests than allowed streams")
        claim(open.count <= session.openStreams, "a stream disappeared and did not end")
    }

    private func take(_ event: HTTP2Event) {
        switch event {
        case .requestReceived(let request): came(request)
        case .streamEnded(let end):
            claim(ended.insert(end.streamID).inserted, "stream \(end.streamID) ends twice")
            open.remove(end.streamID)
        case .goAwayReceived(let goAway): claim(goAway.debugData.count <= 4096, "the text of a GOAWAY is too long")
        case .headersReceived, .requestRefused, .settingsReceived, .pingAnswered: break
        }
    }

    private func came(_ request: HTTP2Request) {
        claim(request.streamID % 2 == 1, "a request on a stream that does not belong to a client")
        claim(!ended.contains(request.streamID), "a request on a stream that has ended")
        claim(open.insert(request.streamID).inserted, "stream \(request.streamID) has two requests")
        claim(request.headers.byteCount <= limits.headerBytes, "more header fields are kept than the limit allows")
        claim(request.body.count == min(request.bodyByteCount, limits.bodyBytes), "a part of a body is lost")
        claim(request.headers[":method"] != nil, "a request without a method")
        waiting.append(request.streamID)
    }

    /// The connection has ended: every open stream ends.
    func end() {
        flush()
        session.endAllStreams()
        takeEvents()
        claim(open.isEmpty, "streams have not ended: \(open.sorted())")
    }
}
