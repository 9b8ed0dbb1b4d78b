internal import NIOCore

/// Lets what is sent through by a few bytes at a time, whatever is behind it.
///
/// What is still held back when the connection is ended in order goes out first; an end without ceremony drops it.
final class TrickleHandler: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var bytes: Int
    private var pause: TimeAmount
    private var isStopped = false
    private var held = ByteBuffer()
    private var timer: Scheduled<Void>?
    /// An end that waits for what is held back.
    private var end: EventLoopPromise<Void>??

    init(bytes: Int, pause: TimeAmount) {
        self.bytes = bytes
        self.pause = pause
    }

    /// From now on so many bytes at a time.
    func change(bytes: Int, pause: TimeAmount) {
        (self.bytes, self.pause) = (bytes, pause)
    }

    /// Lets nothing through any more.
    func stop() {
        isStopped = true
        timer?.cancel()
        held = ByteBuffer()
    }

    /// What has been sent and is still here.
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
    }
}
