internal import FuzzSupport

@testable internal import PushWire

/// A client's session and a genuine server. The input changes the bytes between them. The scene drives the session as
/// `ClientConnection` does.
final class ClientScene {
    private static let common = [(":method", "POST"), (":scheme", "https"), (":authority", "localhost")]

    private let session: HTTP2Session
    private let limits: HTTP2Session.Limits
    private let server: GenuineServer
    private let witness = HPACKWitness(of: .client)
    private var output = OutputReader(isClient: true)
    private var ledger = ClientLedger()
    private var toServer: [UInt8] = []
    private var toClient = Pipe()
    private(set) var isOver = false
    private let secret: String
    private let credential: KeptRequest
    /// The request whose HEADERS are being sent.
    private var sending: ClientLedger.Request?

    init(_ input: inout FuzzInput) {
        var limits = HTTP2Session.Limits(settings: HTTP2Settings(initialWindowSize: 1 << 20))
        limits.bodyBytes = 300
        limits.headerBytes = 600
        limits.openStreams = input.choice(of: [1, 5, 1000])
        if input.byte() & 1 == 1 { limits.keptFields = [Array("apns-id".utf8)] }
        // The last streams of a connection.
        if input.byte() == 0xFF { limits.firstStreamID = .max - 8 }
        limits.commonFields = KeptRequest(OutgoingFields(Self.common))
        secret = "bearer-" + input.word()
        credential = KeptRequest(OutgoingFields(secret: "authorization", secret))
        self.limits = limits
        session = expected { try HTTP2Session(role: .client, limits: limits) }
        server = GenuineServer(&input)
    }

    // MARK: Choices of the input

    /// There is no genuine other side; all bytes come from the input.
    func hear(_ input: inout FuzzInput) {
        toClient.forge(input.bytes(Frame.headerLength))
        while !isOver, !(toClient.bytes.isEmpty && input.isEmpty) {
            open(&input)
            flush()
            toClient.forge(input.piece())
            receive(toClient.take(toClient.bytes.count))
        }
    }

    func step(_ input: inout FuzzInput) {
        switch input.number(below: 14) {
        case 0, 1: open(&input)
        case 2: for _ in 0..<input.byte() { open(&input) }
        case 3: flush()
        case 4: letServerRead()
        case 5: server.act(&input)
        case 6: toClient.append(server.send())
        case 7: receive(toClient.take(&input))
        case 8: toClient.spoil(&input)
        case 9, 10: toClient.forge(Frame(&input).bytes)
        case 11: session.reset(Int32(input.number16()))
        case 12: session.ping(UInt64(input.byte()))
        default: exchange()
        }
        takeEvents()
    }

    private func open(_ input: inout FuzzInput) {
        let tag = ledger.tag()
        var fields = HeaderBlock([(":path", "/3/device/\(tag)")])
        for _ in 0..<input.number(below: 5) {
            let number = input.number(below: 60)
            let name = input.choice(of: ["apns-topic", "apns-id", "x", "apns-\(number)"])
            fields.append(name, input.longWord(), indexing: input.byte() & 1 == 0 ? .allowed : .avoided)
        }
        let body = [UInt8](repeating: 7, count: input.choice(of: [0, 1, 200, 5000, input.number16()]))
        let request = KeptRequest(OutgoingFields(fields), body: body)
        let isSecret = input.byte() & 1 == 1
        let free = session.freeStreams
        let id = expected {
            try session.submitRequest(
                request.outgoing, owner: request, credential: isSecret ? credential : nil, tag: tag)
        }
        claim(free > 0 || id == nil, "a stream was opened although none was free")
        guard id != nil else { return claim(free == 0 || session.freeStreams == 0, "a request was not accepted") }
        let allowed = min(Int(session.peerSettings?.maxConcurrentStreams ?? .max), limits.openStreams)
        claim(session.openStreams <= allowed, "more streams are open than allowed")
        let all =
            Self.common.map { "\($0): \($1)" } + fields.fields.map { "\($0.name): \($0.value)" }
            + (isSecret ? ["authorization: \(secret)"] : [])
        ledger.taken(tag, .init(fields: all, body: body))
        takeEvents()
    }

    // MARK: Bytes

    private func flush() {
        while let frame = expected({ try session.nextFrame() }) {
            if let tag = session.openedTag {
                sending = ledger.open[tag]
                claim(sending != nil, "a stream that has ended is opened again")
            }
            toServer.append(contentsOf: frame)
            if let headers = output.read(frame) { check(headers) }
        }
        takeEvents()
    }

    /// Checks that a reader that sees only header fields gets the fields of the request.
    private func check(_ headers: Frame) {
        guard let request = sending else { return claim(false, "HEADERS open no stream") }
        sending = nil
        let seen = witness.request(headers)?.fields.map { "\($0.name): \($0.value)" }
        claim(seen != nil, "a request cannot be read: \(request.fields)")
        claim(seen == request.fields, "the fields of a request are read as \(seen ?? [])")
        claim((headers.flags & Frame.endStream != 0) == request.body.isEmpty, "END_STREAM of a request is wrong")
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
            claim(toClient.isSpoiled, "the client refuses a genuine server: \(failure)")
            isOver = true
        }
        if session.isFinished { isOver = true }
    }

    private func letServerRead() {
        server.receive(toServer, isTrue: !toClient.isSpoiled)
        toServer.removeAll()
    }

    private func exchange() {
        for _ in 0..<3 {
            flush()
            letServerRead()
            toClient.append(server.send())
            receive(toClient.take(toClient.bytes.count))
        }
    }

    private func takeEvents() {
        var events: [HTTP2Event] = []
        session.takeEvents(into: &events)
        for event in events {
            switch event {
            case .streamEnded(let end): ledger.ended(end, limits: limits)
            case .requestReceived, .headersReceived, .requestRefused: claim(false, "a client has received a request")
            case .goAwayReceived(let goAway):
                claim(goAway.debugData.count <= 4096, "the text of a GOAWAY is too long")
                claim(session.freeStreams == 0, "streams are free after a GOAWAY")
            case .settingsReceived, .pingAnswered: break
            }
        }
        claim(ledger.open.count <= session.openStreams, "a stream disappeared and did not end")
    }

    /// The connection has ended: every open stream ends, and no stream begins.
    func end() {
        flush()
        session.endAllStreams()
        takeEvents()
        claim(ledger.open.isEmpty, "streams have not ended: \(ledger.open.keys.sorted())")
        claim(session.freeStreams == 0, "streams are free after the end")
        session.endAllStreams()
        takeEvents()
    }
}
