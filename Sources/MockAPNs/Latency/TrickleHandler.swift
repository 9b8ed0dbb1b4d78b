internal import NIOCore

/// Sends bytes slowly: a few at a time, with pauses.
///
/// An orderly close waits until all held bytes are sent. Any other close drops them.
final class TrickleHandler: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var bytes: Int
    private var pause: TimeAmount
    private var isStopped = false
    private var held = ByteBuffer()
    private var timer: Scheduled<Void>?
    /// A close that waits until the held bytes are sent.
    private var end: EventLoopPromise<Void>??

    init(bytes: Int, pause: TimeAmount) {
        self.bytes = bytes
        self.pause = pause
    }

    func change(bytes: Int, pause: TimeAmount) {
        (self.bytes, self.pause) = (bytes, pause)
    }

    /// Drops the held bytes and everything that is written later.
    func stop() {
        isStopped = true
        timer?.cancel()
        held = ByteBuffer()
    }

    /// The number of bytes that have been written but not sent.
    var heldByteCount: Int { held.readableBytes }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isStopped else {
            promise?.succeed()
            return
        }
        var more = unwrapOutboundIn(data)
        held.writeBuffer(&more)
        promise?.succeed()
        if timer == nil { drip(context) }
    }

    private func drip(_ context: ChannelHandlerContext) {
        timer = nil
        guard let part = held.readSlice(length: min(bytes, held.readableBytes)), part.readableBytes > 0 else {
            if let end { context.close(mode: .output, promise: end) }
            return
        }
        if held.readerIndex > 1 << 16 { held.discardReadBytes() }
        context.writeAndFlush(wrapOutboundOut(part), promise: nil)
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: pause) { self.drip(context) }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .output, held.readableBytes > 0 else {
            timer?.cancel()
            return context.close(mode: mode, promise: promise)
        }
        end = .some(promise)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        end??.fail(ChannelError.ioOnClosedChannel)
    }
}
