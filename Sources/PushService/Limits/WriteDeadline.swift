import NIOCore
internal import NIOHTTPTypes

/// Closes a connection whose client does not read the data that is written to it.
final class WriteDeadline: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let time: TimeAmount
    /// Writes that the socket has not taken.
    private var pending = 0
    private var timer: Scheduled<Void>?

    init(_ limits: ServiceLimits) {
        time = TimeAmount(limits.readingTime)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let promise = promise ?? context.eventLoop.makePromise()
        pending += 1
        if pending == 1 { setDeadline(context) }
        promise.futureResult.assumeIsolated().whenComplete { [weak self] _ in self?.written(context) }
        context.write(data, promise: promise)
    }

    private func written(_ context: ChannelHandlerContext) {
        pending -= 1
        if pending == 0 { timer?.cancel() } else { setDeadline(context) }
    }

    private func setDeadline(_ context: ChannelHandlerContext) {
        timer?.cancel()
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { context.close(promise: nil) }
    }
}
