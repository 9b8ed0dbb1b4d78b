internal import NIOCore

/// Asks a proxy for a tunnel on a connected channel, and removes itself when the tunnel is open. The bytes after the
/// proxy's answer go to the next handler. Use it only on the event loop of its channel.
final class TunnelHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let proxy: PushProxy
    private let environment: PushEnvironment
    private var reader = ProxyAnswerReader()
    /// Called once. A handler that it adds to the pipeline gets the remaining bytes.
    private var ended: ((Result<Void, ConnectionFailure>) -> Void)?

    init(
        through proxy: PushProxy, to environment: PushEnvironment,
        ended: @escaping (Result<Void, ConnectionFailure>) -> Void
    ) {
        self.proxy = proxy
        self.environment = environment
        self.ended = ended
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let request = ByteBuffer(bytes: proxy.request(to: environment))
        context.writeAndFlush(wrapOutboundOut(request), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard ended != nil else { return context.fireChannelRead(data) }
        var buffer = unwrapInboundIn(data)
        switch reader.receive(buffer.readableBytesView) {
        case .needsMore: break
        case .failed(let problem): end(.failure(.noAnswer(by: proxy, problem)))
        case .answer(let answer, let consumed):
            guard answer.opensTunnel else {
                return end(.failure(.refused(by: proxy, answer, to: environment)))
            }
            buffer.moveReaderIndex(forwardBy: consumed)
            end(.success(()))
            if buffer.readableBytes > 0 { context.fireChannelRead(NIOAny(buffer)) }
            context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(.failure(.hungUp(proxy)))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(.failure(.socket(error, peer: "the proxy \(proxy)", phase: .proxy)))
    }

    private func end(_ result: Result<Void, ConnectionFailure>) {
        guard let ended else { return }
        self.ended = nil
        ended(result)
    }
}
