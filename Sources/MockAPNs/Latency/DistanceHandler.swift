internal import DequeModule
internal import NIOCore

/// Delays everything that is sent by a fixed time, in order, to simulate network latency.
///
/// The client's bytes are not delayed: only the round trip time matters for a client that waits for an answer or a window. The
/// time that the mock needs to answer is part of the delay, not added to it.
final class DistanceHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Step {
        case write(ByteBuffer)
        case close(CloseMode, EventLoopPromise<Void>?)
    }

    private let roundTrip: TimeAmount
    private var underWay: Deque<(due: NIODeadline, step: Step)> = []
    private var timer: Scheduled<Void>?
    /// When the bytes that are being processed were received.
    private var readSince: NIODeadline?

    init(roundTrip: Duration) {
        self.roundTrip = TimeAmount(roundTrip)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if readSince == nil { readSince = .now() }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        readSince = nil
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        add(.write(unwrapOutboundIn(data)), context)
        promise?.succeed()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard !underWay.isEmpty else { return context.close(mode: mode, promise: promise) }
        add(.close(mode, promise), context)
    }

    private func add(_ step: Step, _ context: ChannelHandlerContext) {
        underWay.append(((readSince ?? .now()) + roundTrip, step))
        if timer == nil { schedule(context) }
    }

    private func schedule(_ context: ChannelHandlerContext) {
        guard let next = underWay.first else { return }
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: next.due) { self.arrive(context) }
    }

    private func arrive(_ context: ChannelHandlerContext) {
        timer = nil
        let now = NIODeadline.now()
        var wrote = false
        while let next = underWay.first, next.due <= now {
            underWay.removeFirst()
            switch next.step {
            case .write(let bytes):
                context.write(wrapOutboundOut(bytes), promise: nil)
                wrote = true
            case .close(let mode, let promise):
                if wrote { context.flush() }
                context.close(mode: mode, promise: promise)
            }
        }
        if wrote { context.flush() }
        schedule(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        for case (_, .close(_, let promise)) in underWay { promise?.fail(ChannelError.ioOnClosedChannel) }
        underWay = []
    }
}
