import NIOCore
import NIOPosix
import Testing

/// A server that is no APNs: it takes connections and is silent, or says the same to everybody and hangs up.
final class StrangeServer: Sendable {
    let port: Int
    private let channel: any Channel
    private let firstConnection: EventLoopPromise<Void>

    private init(saying answer: String?) async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let firstConnection = group.any().makePromise(of: Void.self)
        self.firstConnection = firstConnection
        channel = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                firstConnection.succeed()
                return channel.eventLoop.makeCompletedFuture {
                    guard let answer else { return }
                    try channel.pipeline.syncOperations.addHandler(SayingAndHangingUp(answer: answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        port = try #require(channel.localAddress?.port)
    }

    /// Runs one around `body`.
    static func with(saying answer: String? = nil, _ body: (StrangeServer) async throws -> Void) async throws {
        let server = try await StrangeServer(saying: answer)
        do {
            try await body(server)
        } catch {
            try await server.stop()
            throw error
        }
        try await server.stop()
    }

    /// Waits until somebody has connected.
    func connected() async throws {
        try await firstConnection.futureResult.get()
    }

    /// A port on which nothing listens, and which nobody can take: the near end of a connection has it.
    func closedPort() async throws -> Int {
        let connection = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port).get()
        return try #require(connection.localAddress?.port)
    }

    private func stop() async throws {
        firstConnection.succeed()
        try await channel.close()
    }
}

private final class SayingAndHangingUp: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answer: String

    init(answer: String) {
        self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
        context.close(promise: nil)
    }
}
