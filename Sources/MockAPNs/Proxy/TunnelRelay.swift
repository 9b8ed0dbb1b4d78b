internal import NIOCore
internal import NIOPosix
internal import PushPlatform

/// Relays the bytes of a tunnel between a client and another server, with at most what the sockets buffer in between.
///
/// Both channels are on the same event loop. Use it only there.
final class TunnelRelay {
    /// How long a connection attempt may take. After it, the client gets 502.
    private static let patience = TimeAmount.seconds(10)

    private let client: any Channel
    private let clientContext: ChannelHandlerContext
    private var server: (any Channel)?
    /// The bytes of the client before the server is connected. The client has no answer yet, so they are few.
    private var waiting = ByteBuffer()
    private var clientLeft = false
    /// A read of the client is pending until the server has read what came before.
    var isReadHeld = false

    init(client: any Channel, _ context: ChannelHandlerContext) {
        self.client = client
        clientContext = context
    }

    /// Whether the client's bytes must wait: the server is not connected, or does not read them.
    var holdsReads: Bool { !clientLeft && server?.isWritable != true }

    /// Connects to the server.
    ///
    /// - Parameters:
    ///   - host: Its name or address.
    ///   - port: Its port.
    ///   - ended: Called with the reason if there is no connection, before the first byte of the server is relayed.
    func connect(to host: String, _ port: Int, _ ended: @escaping (String?) -> Void) {
        let bound = NIOLoopBound((relay: self, ended: ended), eventLoop: client.eventLoop)
        ClientBootstrap(group: client.eventLoop)
            .connectTimeout(Self.patience)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ServerSide(bound.value.relay))
                }
            }
            .connect(host: host, port: port)
            .whenComplete { result in
                let (relay, ended) = bound.value
                switch result {
                case .success(let server): relay.connected(server, ended)
                case .failure(let error): if !relay.clientLeft { ended("\(host) \(Self.predicate(of: error))") }
                }
            }
    }

    /// What the server has done, without the names of system calls.
    private static func predicate(of error: any Error) -> String {
        if case .connectTimeout? = error as? ChannelError { return SocketFailure.predicate(ETIMEDOUT) }
        let first = (error as? NIOConnectionError)?.connectionErrors.first?.error ?? error
        if let error = first as? IOError { return SocketFailure.predicate(error.errnoCode) }
        return first is NIOConnectionError ? "wasn't resolved: check the name" : "can't be reached: \(first)"
    }

    private func connected(_ server: any Channel, _ ended: (String?) -> Void) {
        guard !clientLeft else { return server.close(promise: nil) }
        ended(nil)
        self.server = server
        if waiting.readableBytes > 0 { server.writeAndFlush(waiting, promise: nil) }
        waiting.clear()
        resumeClient()
        server.read()
    }

    // MARK: From the client

    func received(_ bytes: ByteBuffer) {
        if let server { server.writeAndFlush(bytes, promise: nil) } else { waiting.writeImmutableBuffer(bytes) }
    }

    /// Closes the connection to the server when it has what the client sent before, and after ``patience`` anyway.
    func clientHasLeft() {
        clientLeft = true
        guard let server else { return }
        self.server = nil
        let timeout = server.eventLoop.scheduleTask(in: Self.patience) { server.close(promise: nil) }
        server.writeAndFlush(ByteBuffer()).whenComplete { _ in
            timeout.cancel()
            server.close(promise: nil)
        }
    }

    func clientWritabilityChanged() {
        if client.isWritable { server?.read() }
    }

    fileprivate func resumeClient() {
        guard isReadHeld, !holdsReads else { return }
        isReadHeld = false
        clientContext.read()
    }

    // MARK: From the server

    fileprivate func serverSent(_ bytes: ByteBuffer) {
        guard !clientLeft else { return }
        clientContext.writeAndFlush(NIOAny(bytes), promise: nil)
    }

    fileprivate func serverHasEnded() {
        guard !clientLeft else { return }
        clientContext.close(mode: .output, promise: nil)
    }

    fileprivate func serverHasLeft() {
        guard !clientLeft else { return }
        server = nil
        clientContext.close(promise: nil)
    }

    fileprivate var clientReads: Bool { !clientLeft && client.isWritable }
}

/// The handler of the server's channel: reads while the client reads.
private final class ServerSide: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let relay: TunnelRelay

    init(_ relay: TunnelRelay) {
        self.relay = relay
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        relay.serverSent(unwrapInboundIn(data))
    }

    func read(context: ChannelHandlerContext) {
        if relay.clientReads { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { relay.resumeClient() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { relay.serverHasEnded() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        relay.serverHasLeft()
    }
}
