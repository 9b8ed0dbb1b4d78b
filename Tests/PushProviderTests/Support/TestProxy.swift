import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import TestSupport

@testable import PushProvider

/// An HTTP proxy on a port of its own, as good or as bad as a test wants it.
///
/// It ends, and its tunnels with it, when the test lets go of it.
final class TestProxy: Sendable {
    /// How it treats a connection.
    enum Manner: Sendable {
        /// Opens the tunnel that is asked for.
        case tunnels
        /// Opens a tunnel to this port, whatever is asked for.
        case tunnelsTo(Int)
        /// Opens the one that is asked for, for who says this `user:password`; 407 for everybody else.
        case tunnelsFor(String)
        /// Opens the tunnel after it has said this, piece by piece, each in a packet of its own.
        case tunnelsAfter([String])
        /// Says this, byte for byte, and stays; or hangs up.
        case says(String, closes: Bool = false)
        /// Opens the tunnel, and closes it after this number of bytes.
        case closesAfter(bytes: Int)
        case silent
    }

    let port: Int
    /// What it was asked, each time from the request line to the empty line.
    let heads: Watched<[String]>

    private let listener: any Channel
    private let tunnels: NIOLockedValueBox<[any Channel]>

    private init(_ listener: any Channel, _ heads: Watched<[String]>, _ tunnels: NIOLockedValueBox<[any Channel]>) {
        port = listener.localAddress?.port ?? 0
        self.listener = listener
        self.heads = heads
        self.tunnels = tunnels
    }

    /// Starts one; `manner` says how the connection with a number is treated, counted from 1.
    static func start(
        host: String = "127.0.0.1", _ manner: @escaping @Sendable (Int) -> Manner = { _ in .tunnels }
    ) async throws -> TestProxy {
        let heads = Watched<[String]>([])
        let tunnels = NIOLockedValueBox<[any Channel]>([])
        let count = NIOLockedValueBox(0)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                let number = count.withLockedValue { count in
                    count += 1
                    return count
                }
                tunnels.withLockedValue { $0.append(channel) }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(FrontHandler(manner(number), heads))
                }
            }
            .bind(host: host, port: 0).get()
        return TestProxy(listener, heads, tunnels)
    }

    deinit {
        listener.close(promise: nil)
        breakTunnels()
    }

    /// Ends every connection at once.
    func breakTunnels() {
        let channels = tunnels.withLockedValue { tunnels in
            defer { tunnels = [] }
            return tunnels
        }
        for channel in channels { channel.close(promise: nil) }
    }

    /// As a client names it, with what it says: `user:password`.
    func named(for user: String? = nil) throws -> PushProxy {
        try PushProxy(url: "http://\(user.map { "\($0)@" } ?? "")127.0.0.1:\(port)")
    }
}

/// The side of the client.
private final class FrontHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let manner: TestProxy.Manner
    private let heads: Watched<[String]>
    private var head: [UInt8] = []
    private var hasHead = false
    private var server: (any Channel)?
    private var passed = 0

    init(_ manner: TestProxy.Manner, _ heads: Watched<[String]>) {
        self.manner = manner
        self.heads = heads
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        if let server {
            passed += buffer.readableBytes
            if case .closesAfter(let bytes) = manner, passed >= bytes { return context.close(promise: nil) }
            return server.writeAndFlush(buffer, promise: nil)
        }
        head += buffer.readableBytesView
        guard !hasHead, head.suffix(4) == [13, 10, 13, 10] else { return }
        hasHead = true
        let text = String(decoding: head, as: UTF8.self)
        heads.change { $0.append(text) }
        act(on: text, context.channel)
    }

    func channelInactive(context: ChannelHandlerContext) {
        server?.close(promise: nil)
    }

    private func act(on head: String, _ channel: any Channel) {
        switch manner {
        case .silent: break
        case .says(let words, let closes):
            let said = channel.writeAndFlush(ByteBuffer(bytes: words.unicodeScalars.map { UInt8($0.value) }))
            if closes { said.whenComplete { _ in channel.close(promise: nil) } }
        case .tunnels, .closesAfter: openTunnel(head, channel, ["HTTP/1.1 200 Connection established\r\n\r\n"])
        case .tunnelsTo(let port): connect("127.0.0.1", port, channel, ["HTTP/1.1 200 OK\r\n\r\n"])
        case .tunnelsAfter(let pieces): openTunnel(head, channel, pieces)
        case .tunnelsFor(let user):
            let proof = "Proxy-Authorization: Basic \(Data(user.utf8).base64EncodedString())\r\n"
            guard head.contains(proof) else {
                let refusal = "HTTP/1.1 407 Who are you\r\nProxy-Authenticate: Basic realm=\"x\"\r\n\r\n"
                return channel.writeAndFlush(ByteBuffer(string: refusal), promise: nil)
            }
            openTunnel(head, channel, ["HTTP/1.0 200 OK\r\n\r\n"])
        }
    }

    private func openTunnel(_ head: String, _ client: any Channel, _ answer: [String]) {
        let target = head.split(separator: " ")[1]
        guard let colon = target.lastIndex(of: ":"), let port = Int(target[target.index(after: colon)...]) else {
            return
        }
        connect(target[..<colon].contains(":") ? "::1" : "127.0.0.1", port, client, answer)
    }

    private func connect(_ host: String, _ port: Int, _ client: any Channel, _ answer: [String]) {
        ClientBootstrap(group: client.eventLoop)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(BackHandler(client: client))
                }
            }
            .connect(host: host, port: port)
            .assumeIsolated()
            .whenComplete { [self] result in
                switch result {
                case .failure: client.close(promise: nil)
                case .success(let channel):
                    server = channel
                    say(answer[...], client)
                }
            }
    }

    private func say(_ pieces: ArraySlice<String>, _ channel: any Channel) {
        guard let piece = pieces.first else { return }
        channel.writeAndFlush(ByteBuffer(string: piece)).assumeIsolated()
            .whenSuccess { [self] in
                // The next loop of the event loop: a packet of its own.
                channel.eventLoop.assumeIsolated().execute { self.say(pieces.dropFirst(), channel) }
            }
    }
}

/// The side of the server.
private final class BackHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let client: any Channel

    init(client: any Channel) {
        self.client = client
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        client.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        client.close(promise: nil)
    }
}
