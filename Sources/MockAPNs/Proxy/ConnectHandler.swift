internal import NIOCore
internal import NIOPosix

/// Answers CONNECT at the start of a connection, so that the mock is also a proxy. For all other connections it removes itself
/// after the first bytes.
///
/// For Apple's hosts, the bytes of the tunnel go to the next handler, which serves them. For other hosts, the handler stays and
/// relays them to the other server.
final class ConnectHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let relaysOthers: Bool
    /// Called for a CONNECT request. It closes the connection of a refused one.
    private let whenAsked: (ConnectDestination) -> Void
    private var received: [UInt8] = []
    private var relay: TunnelRelay?
    private var isRefused = false

    init(relaysOthers: Bool, whenAsked: @escaping (ConnectDestination) -> Void) {
        self.relaysOthers = relaysOthers
        self.whenAsked = whenAsked
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if let relay { return relay.received(unwrapInboundIn(data)) }
        guard !isRefused else { return }
        received.append(contentsOf: unwrapInboundIn(data).readableBytesView)
        switch ConnectRequest(received) {
        case .undecided: break
        case .other: passOn(received, context)
        case .malformed(let why): refuse("400 Bad Request", "The CONNECT request is malformed: \(why).", context)
        case .tunnel(let host, let port, let length):
            let destination = ConnectDestination(host: host, port: port, relaysOthers: relaysOthers)
            begin(destination, Array(received.dropFirst(length)), context)
        }
    }

    private func begin(_ destination: ConnectDestination, _ rest: [UInt8], _ context: ChannelHandlerContext) {
        switch destination {
        case .refused(let why): refuse("403 Forbidden", why, context)
        case .apns:
            whenAsked(destination)
            answer("HTTP/1.1 200 Connection established\r\n\r\n", context)
            passOn(rest, context)
        case .other(let host, let port):
            whenAsked(destination)
            connect(to: host, port, rest, context)
        }
    }

    /// Gives the bytes to the next handler, and leaves the connection to it.
    private func passOn(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        received = []
        if !bytes.isEmpty { context.fireChannelRead(NIOAny(ByteBuffer(bytes: bytes))) }
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }

    private func refuse(_ status: String, _ why: String, _ context: ChannelHandlerContext) {
        isRefused = true
        received = []
        let message = "\(why)\n"
        let head = """
            HTTP/1.1 \(status)\r
            content-type: text/plain; charset=utf-8\r
            content-length: \(message.utf8.count)\r
            connection: close\r
            \r

            """
        answer(head + message, context)
        whenAsked(.refused(why))
    }

    private func answer(_ text: String, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    }

    // MARK: Other servers

    private func connect(to host: String, _ port: Int, _ rest: [UInt8], _ context: ChannelHandlerContext) {
        let relay = TunnelRelay(client: context.channel, context)
        self.relay = relay
        relay.received(ByteBuffer(bytes: rest))
        relay.connect(to: host, port) { [self] failure in
            guard let failure else { return answer("HTTP/1.1 200 Connection established\r\n\r\n", context) }
            self.relay = nil
            refuse(
                "502 Bad Gateway", "No connection to \(Finding.quote(host)) on port \(port) could be made: \(failure)",
                context)
        }
    }

    func read(context: ChannelHandlerContext) {
        if relay?.holdsReads == true { relay?.isReadHeld = true } else { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        relay?.clientWritabilityChanged()
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if relay == nil { context.fireErrorCaught(error) } else { context.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        relay?.clientHasLeft()
        relay = nil
        context.fireChannelInactive()
    }
}
