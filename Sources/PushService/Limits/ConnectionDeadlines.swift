internal import HTTPTypes
import NIOCore
internal import NIOHTTPTypes
import PushHTTP

/// Closes a connection whose client is too slow with a head or a body, so that slow clients cannot use up all
/// connections.
///
/// The time in which the service itself does not read is not counted.
final class ConnectionDeadlines: MessageHandler {
    /// What the client has to send next.
    private enum Phase {
        /// A head. The deadline is not moved by a part of it.
        case head
        /// The body, of which this many bytes have arrived since the deadline was set.
        case body(Int)
        /// Nothing: the request is being answered.
        case answer
    }

    private let headTime: TimeAmount
    private let bodyTime: TimeAmount
    private let bodyPace: Int
    private let maximumDiscarded: Int
    private var phase = Phase.head
    /// The number of requests whose answer has not ended. A client may send the next request before an answer ends.
    private var unanswered = 0
    /// The number of body bytes that came after the answer. They are thrown away.
    private var discarded = 0
    private var isReading = false
    private var timer: Scheduled<Void>?

    init(_ limits: ServiceLimits) {
        (headTime, bodyTime) = (TimeAmount(limits.headTime), TimeAmount(limits.bodyTime))
        (bodyPace, maximumDiscarded) = (limits.bodyPace, limits.bodyBytes)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        setDeadline(after: headTime, context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    func read(context: ChannelHandlerContext) {
        isReading = true
        context.read()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isReading = false
        context.fireChannelReadComplete()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            unanswered += 1
            phase = .body(0)
            setDeadline(after: bodyTime, context)
        case .body(let buffer):
            guard case .body(let count) = phase else { break }
            if unanswered == 0 {
                discarded += buffer.readableBytes
                if discarded > maximumDiscarded { return context.close(promise: nil) }
            } else if count + buffer.readableBytes >= bodyPace {
                phase = .body(0)
                setDeadline(after: bodyTime, context)
            } else {
                phase = .body(count + buffer.readableBytes)
            }
        case .end:
            phase = .answer
            timer?.cancel()
            if unanswered == 0 { beginRequest(context) }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head: break
        case .body:
            // A part of the body was worth an answer: the client does not only keep the connection open.
            if case .body = phase, unanswered == 1 {
                phase = .body(0)
                setDeadline(after: bodyTime, context)
            }
        case .end:
            unanswered -= 1
            discarded = 0
            switch phase {
            case .answer: if unanswered == 0 { beginRequest(context) }
            // The rest of the body is read, so that the client reads the answer. It has this time.
            case .body: setDeadline(after: bodyTime, context)
            case .head: break
            }
        }
        context.write(data, promise: promise)
    }

    private func beginRequest(_ context: ChannelHandlerContext) {
        phase = .head
        setDeadline(after: headTime, context)
    }

    private func setDeadline(after time: TimeAmount, _ context: ChannelHandlerContext) {
        timer?.cancel()
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { [weak self] in
            self?.pass(context, time)
        }
    }

    private func pass(_ context: ChannelHandlerContext, _ time: TimeAmount) {
        if case .body = phase, !isReading {
            setDeadline(after: time, context)
        } else {
            context.close(promise: nil)
        }
    }
}

/// Closes a connection whose client does not read the data that is written to it. A large part is written in slices, each with the whole
/// time, so a slow client that keeps reading gets everything.
final class WriteDeadline: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// How many bytes must leave within the time.
    private static let slice = 32 << 10

    private let time: TimeAmount
    private var pending = 0
    private var timer: Scheduled<Void>?

    init(_ limits: ServiceLimits) {
        time = TimeAmount(limits.readingTime)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .body(var buffer) = unwrapOutboundIn(data), buffer.readableBytes > Self.slice else {
            return writeWhole(context, data, promise)
        }
        while buffer.readableBytes > Self.slice, let slice = buffer.readSlice(length: Self.slice) {
            writeWhole(context, wrapOutboundOut(.body(slice)), nil)
            // TLS reports all that is flushed together as one write.
            context.flush()
        }
        writeWhole(context, wrapOutboundOut(.body(buffer)), promise)
    }

    private func writeWhole(_ context: ChannelHandlerContext, _ data: NIOAny, _ promise: EventLoopPromise<Void>?) {
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
