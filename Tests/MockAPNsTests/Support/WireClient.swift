import MockAPNs
import NIOCore
import NIOPosix
import PushProvider
import PushWire
import TestSupport

/// A client that does only what a test orders and shows all that comes: what `PushClient` hides is seen here.
final class WireClient {
    enum Happening: Sendable {
        case settings(HTTP2Settings)
        case ended(HTTP2StreamEnd)
        case goAway(HTTP2GoAway)
        case pong
        /// TLS was closed properly.
        case closedTLS
        /// TCP has ended, and how.
        case closed(String)
    }

    struct Over: Error {
        var seen: [Happening]
    }

    private(set) var seen: [Happening] = []
    private let handler: NIOLoopBound<Handler>
    let channel: any Channel
    private let happenings: AsyncStream<Happening>
    private let authorization: String

    private init(
        handler: NIOLoopBound<Handler>, channel: any Channel, happenings: AsyncStream<Happening>, authorization: String
    ) {
        self.handler = handler
        self.channel = channel
        self.happenings = happenings
        self.authorization = authorization
    }

    static func connect(to mock: MockServer) async throws -> WireClient {
        let made = mock.credentials
        let key = try PushProviderKey(p8: made.p8.utf8, keyID: made.keyID, teamID: made.teamID)
        let token = try key.providerToken()
        let tls = try TLSContext(trust: .authorities(pem: Array(made.authority.utf8)))
        let (stream, continuation) = AsyncStream.makeStream(of: Happening.self)
        let (channel, handler) = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: mock.host, port: mock.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let wire = HTTP2OverTLS(
                        tls: try TLSSession(context: tls, hostName: "localhost"),
                        http2: try HTTP2Session(role: .client))
                    let handler = Handler(wire, continuation)
                    try channel.pipeline.syncOperations.addHandler(handler)
                    return (channel, NIOLoopBound(handler, eventLoop: channel.eventLoop))
                }
            }
        return WireClient(
            handler: handler, channel: channel, happenings: stream, authorization: "bearer \(token)")
    }

    /// Opens a stream with a request that the mock accepts; `nil` when none is free.
    @discardableResult
    func open(token: String = "5f3ad1c07b9e4286", topic: String = "com.example.app") async throws -> Int32? {
        try await openTogether(1, token: token, topic: topic).first
    }

    /// Opens a stream with another provider token.
    @discardableResult
    func open(as other: String, token: String = "5f3ad1c07b9e4286") async throws -> Int32? {
        let headers = OutgoingFields([
            (":method", "POST"), (":scheme", "https"), (":authority", "localhost"), (":path", "/3/device/\(token)"),
            ("authorization", "bearer \(other)"), ("apns-topic", "com.example.app"), ("apns-push-type", "alert"),
        ])
        return try await perform { wire in
            let request = KeptRequest(headers, body: Array(#"{"aps":{}}"#.utf8))
            return try wire.http2.submitRequest(request.outgoing, owner: request, credential: nil, tag: 0)
        }
    }

    /// Opens streams by one write, so that their requests arrive together.
    @discardableResult
    func openTogether(
        _ count: Int, token: String = "5f3ad1c07b9e4286", topic: String = "com.example.app",
        body: String = #"{"aps":{}}"#
    ) async throws -> [Int32] {
        let headers = OutgoingFields([
            (":method", "POST"), (":scheme", "https"), (":authority", "localhost"), (":path", "/3/device/\(token)"),
            ("authorization", authorization), ("apns-topic", topic), ("apns-push-type", "alert"),
        ])
        return try await perform { wire in
            try (0..<count).compactMap { _ in
                let request = KeptRequest(headers, body: Array(body.utf8))
                return try wire.http2.submitRequest(request.outgoing, owner: request, credential: nil, tag: 0)
            }
        }
    }

    /// Opens a stream with a request of a test's own, its provider token excepted.
    @discardableResult
    func open(fields: [(String, String)], body: [UInt8], token: String = "5f3ad1c07b9e4286") async throws -> Int32? {
        let head = [
            (":method", "POST"), (":scheme", "https"), (":authority", "localhost"), (":path", "/3/device/\(token)"),
            ("authorization", authorization),
        ]
        let headers = OutgoingFields(head + fields)
        return try await perform { wire in
            let request = KeptRequest(headers, body: body)
            return try wire.http2.submitRequest(request.outgoing, owner: request, credential: nil, tag: 0)
        }
    }

    /// Opens a stream with a whole request and resets it, by one write. The library would keep back a request that it resets, so
    /// the RST_STREAM is made by hand.
    func openAndReset(token: String = "5f3ad1c07b9e4286") async throws {
        let headers = OutgoingFields([
            (":method", "POST"), (":scheme", "https"), (":authority", "localhost"), (":path", "/3/device/\(token)"),
            ("authorization", authorization), ("apns-topic", "com.example.app"),
        ])
        try await perform { wire in
            let request = KeptRequest(headers, body: Array("{}".utf8))
            guard let id = try wire.http2.submitRequest(request.outgoing, owner: request, credential: nil, tag: 0)
            else { return }
            let reset: [UInt8] = [0, 0, 4, 3, 0, 0, 0, 0, UInt8(id), 0, 0, 0, 8]
            try wire.sendRaw(reset)
        }
    }

    func reset(_ streamID: Int32, _ code: HTTP2ErrorCode) async throws {
        try await perform { $0.http2.reset(streamID, code: code) }
    }

    func perform<Result: Sendable>(_ body: @escaping @Sendable (HTTP2OverTLS) throws -> Result) async throws -> Result {
        try await channel.eventLoop.submit { [handler] in
            let result = try body(handler.value.wire)
            handler.value.flush()
            return result
        }.get()
    }

    /// Waits until what has come is as wanted.
    @discardableResult
    func wait(until isWanted: ([Happening]) -> Bool) async throws -> [Happening] {
        if isWanted(seen) { return seen }
        for await happening in happenings {
            seen.append(happening)
            if isWanted(seen) { return seen }
        }
        throw Over(seen: seen)
    }

    func close() async {
        try? await channel.close()
    }

    /// The side of the event loop.
    final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        let wire: HTTP2OverTLS
        private let continuation: AsyncStream<Happening>.Continuation
        private var context: ChannelHandlerContext?
        private var error = "end of TCP"

        init(_ wire: HTTP2OverTLS, _ continuation: AsyncStream<Happening>.Continuation) {
            self.wire = wire
            self.continuation = continuation
        }

        func handlerAdded(context: ChannelHandlerContext) { self.context = context }
        func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

        func channelActive(context: ChannelHandlerContext) {
            try? wire.start()
            flush()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            try? unwrapInboundIn(data).withUnsafeReadableBytes { try wire.receive($0) }
            var events: [HTTP2Event] = []
            wire.http2.takeEvents(into: &events)
            for event in events {
                switch event {
                case .settingsReceived(let settings): continuation.yield(.settings(settings))
                case .streamEnded(let end): continuation.yield(.ended(end))
                case .goAwayReceived(let goAway): continuation.yield(.goAway(goAway))
                case .pingAnswered: continuation.yield(.pong)
                case .headersReceived, .requestReceived, .requestRefused: break
                }
            }
            if wire.tls.isClosedByPeer { continuation.yield(.closedTLS) }
            flush()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            self.error = "\(error)".contains("reset") ? "reset of TCP" : "\(error)"
            context.close(promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            continuation.yield(.closed(error))
            continuation.finish()
        }

        func flush() {
            guard let context else { return }
            var isMore = true
            while isMore {
                let wrote: Void? = try? wire.nextRecord { _, bytes in
                    context.write(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
                }
                isMore = wrote != nil
            }
            context.flush()
        }
    }
}

extension [WireClient.Happening] {
    var ends: [HTTP2StreamEnd] { compactMap { if case .ended(let end) = $0 { end } else { nil } } }
    var settings: [HTTP2Settings] { compactMap { if case .settings(let it) = $0 { it } else { nil } } }
    var goAways: [HTTP2GoAway] { compactMap { if case .goAway(let it) = $0 { it } else { nil } } }
    var closing: String? { compactMap { if case .closed(let how) = $0 { how } else { nil } }.first }
    var closedTLS: Bool { contains { if case .closedTLS = $0 { true } else { false } } }
}
