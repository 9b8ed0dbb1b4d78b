internal import HTTPTypes
package import NIOCore
package import NIOHTTPTypes

/// Gathers what comes of a body while its reader is busy, and gives it to the reader as one part. So lines that arrive during a
/// commit share the next one, also if a client sends each line in a chunk of its own.
///
/// It does so for requests that ask for it with ``ConnectedClients/Client/gatherBody()``, and until their answer has ended: what
/// comes then is thrown away by the server, which asks for nothing. Other requests get what one read brings as one part.
///
/// It belongs behind ``RequestPacing``, which sees the time in which this doesn't read as time in which nobody reads.
package final class BodyGathering: MessageHandler {
    /// How many bytes one read brings at most. The reader counts them in what it holds.
    private static let maximum = 64 << 10

    private let clients: ConnectedClients
    private var client: ConnectedClients.Client?
    private var context: ChannelHandlerContext?
    private var gathered = ByteBuffer()
    /// The end of the body, which came behind what is gathered.
    private var end: HTTPRequestPart?
    private var isReadWanted = false
    /// Whether the socket is read in large parts. By default, a read takes 2 KiB at first, which is a few lines.
    private var readsLargeParts = false

    package init(_ clients: ConnectedClients) {
        self.clients = clients
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        client = clients.client(on: context.channel)
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        gathered = ByteBuffer()
    }

    // MARK: What arrives

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let gathers = client?.gathersBody == true
        switch unwrapInboundIn(data) {
        case .head: context.fireChannelRead(data)
        case .body(var buffer):
            if gathers { readLargeParts(context) }
            if gathered.readableBytes == 0 { gathered = buffer } else { gathered.writeBuffer(&buffer) }
        case .end(let fields):
            if !gathers { pass(context) }
            if gathered.readableBytes == 0 { context.fireChannelRead(data) } else { end = .end(fields) }
        }
    }

    private func readLargeParts(_ context: ChannelHandlerContext) {
        guard !readsLargeParts else { return }
        readsLargeParts = true
        let allocator = FixedSizeRecvByteBufferAllocator(capacity: Self.maximum)
        try? context.channel.syncOptions?.setOption(.recvAllocator, value: allocator)
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        // Without a request that gathers, the parts of one read are one part.
        if client?.gathersBody == true { passIfWanted(context) } else { pass(context) }
        context.fireChannelReadComplete()
    }

    package func read(context: ChannelHandlerContext) {
        // What the reader has not asked for yet stays in the socket. One read brings much of it.
        if gathered.readableBytes > 0 { isReadWanted = true } else { context.read() }
    }

    /// Passes on what is gathered if the reader waits for it; otherwise as soon as it does.
    @discardableResult
    private func passIfWanted(_ context: ChannelHandlerContext) -> Bool {
        guard gathered.readableBytes > 0, let client else { return false }
        let (this, loop) = (NIOLoopBound(self, eventLoop: context.eventLoop), context.eventLoop)
        guard client.takePart(orWhenWanted: { loop.execute { this.value.partIsWanted() } }) else { return false }
        pass(context)
        return true
    }

    private func partIsWanted() {
        guard let context, passIfWanted(context) else { return }
        context.fireChannelReadComplete()
    }

    private func pass(_ context: ChannelHandlerContext) {
        guard gathered.readableBytes > 0 else { return }
        let (buffer, last) = (gathered, end)
        (gathered, end) = (ByteBuffer(), nil)
        context.fireChannelRead(wrapInboundOut(.body(buffer)))
        if let last { context.fireChannelRead(wrapInboundOut(last)) }
        if isReadWanted {
            isReadWanted = false
            context.read()
        }
    }

    // MARK: Ends

    /// The reader gets what came before the connection ended.
    package func channelInactive(context: ChannelHandlerContext) {
        passAll(context)
        context.fireChannelInactive()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        passAll(context)
        context.fireErrorCaught(error)
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { passAll(context) }
        context.fireUserInboundEventTriggered(event)
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        context.write(data, promise: promise)
        guard case .end = part, let client, client.gathersBody else { return }
        client.endGathering()
        // Idle connections hold no large buffers.
        readsLargeParts = false
        try? context.channel.syncOptions?.setOption(.recvAllocator, value: AdaptiveRecvByteBufferAllocator())
        passAll(context)
    }

    private func passAll(_ context: ChannelHandlerContext) {
        guard gathered.readableBytes > 0 else { return }
        pass(context)
        context.fireChannelReadComplete()
    }
}

/// Tells a client that asks whether to send its body to send it, RFC 9110 section 10.1.1. curl asks before a large body,
/// and waits a second for the answer.
package final class ContinueHandler: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundOut = HTTPResponsePart

    package init() {}

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data),
            head.headerFields[.expect]?.lowercased() == "100-continue"
        {
            context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
        }
        context.fireChannelRead(data)
    }
}
