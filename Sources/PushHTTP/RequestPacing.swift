internal import HTTPTypes
package import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes

/// Gives the server the requests of a connection one after the other: the next one is read when the answer before it has left.
/// It counts the bytes that the connection keeps in memory, and closes the connection when there is no room for them.
///
/// A client can send thousands of requests in one segment and read no answer. Without this, all of them are answered before the
/// socket says that it is full.
///
/// Of the additional handlers, only ``BodyGathering`` comes behind it: those before it don't see the time in which it doesn't read.
package final class RequestPacing: MessageHandler {
    /// How many bytes of a request may come before it reads its body. The rest stays in the socket.
    private static let early = 64 << 10
    /// How many bytes of what arrives, and of what leaves, don't count in the memory that clients share. So a small request is
    /// answered even while others fill it. The number of connections limits the sum.
    private static let uncounted = 4 << 10

    /// How many bytes of answers the kernel keeps for a connection; Linux takes twice as many.
    private static let sendBuffer: SocketOptionValue = 128 << 10

    private let clients: ConnectedClients
    private let memory: SharedMemory
    private let arriving = ArrivingBytes()
    private var context: ChannelHandlerContext?
    private var client: ConnectedClients.Client?
    /// The number of requests whose answer has not left.
    private var unanswered = 0
    /// Whether the end of a request that began is still to come.
    private var isInBody = false
    private var isReadWanted = false
    /// Whether the decoder can't read on. What comes then belongs to no request.
    fileprivate private(set) var isBroken = false
    fileprivate var cutting = RequestCutting()
    /// The bytes that have arrived for requests that are not answered.
    private var held: (count: Int, memory: SharedMemory.Reservation?) = (0, nil)
    /// The bytes of answers that the socket has not taken.
    private var unsent: (count: Int, memory: SharedMemory.Reservation?) = (0, nil)

    package init(_ clients: ConnectedClients, _ memory: SharedMemory) {
        (self.clients, self.memory) = (clients, memory)
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        // The kernel would take megabytes of answers for each connection that reads nothing, and the memory for them is nobody's.
        try? context.channel.syncOptions?.setOption(.socketOption(.so_sndbuf), value: Self.sendBuffer)
        client = clients.client(on: context.channel)
        arriving.pacing = self
        let pipeline = context.pipeline.syncOperations
        guard let decoder = try? pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self) else { return }
        try? pipeline.addHandler(arriving, position: .before(decoder))
        try? pipeline.addHandler(RequestLine(), position: .after(decoder))
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        (held.memory, unsent.memory) = (nil, nil)
    }

    // MARK: What arrives

    fileprivate func hasRoom(forArriving count: Int) -> Bool {
        guard isInBody, unanswered == 0 || client?.wantsBody == true else { return hold(held.count + count) }
        // The reader of a body counts it, and nobody keeps the rest of a body behind its answer.
        return hold(arriving.count)
    }

    private func hold(_ count: Int) -> Bool { set(&held, to: count) }

    /// Counts bytes for who uses the connection now. Those of an earlier holder stay with it until they are gone.
    private func set(_ bytes: inout (count: Int, memory: SharedMemory.Reservation?), to count: Int) -> Bool {
        let holder = client?.holder ?? .address("")
        if bytes.count <= Self.uncounted, bytes.memory?.holder != holder {
            bytes.memory = memory.reservation(for: holder, uncounted: Self.uncounted)
        }
        guard let memory = bytes.memory, (try? memory.set(count)) != nil else { return false }
        bytes.count = count
        return true
    }

    /// Whether the next bytes must wait: a request is complete and not answered, or nobody reads its body yet.
    fileprivate var mustWait: Bool {
        guard unanswered > 0 else { return false }
        guard isInBody else { return true }
        guard held.count > Self.early, let client, let loop = context?.eventLoop else { return false }
        let this = NIOLoopBound(self, eventLoop: loop)
        return client.whenBodyIsWanted { loop.execute { this.value.resume() } }
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            unanswered += 1
            isInBody = true
            cutting.headCame(Self.body(of: head.headerFields))
            client?.beginRequest()
        case .body: break
        case .end:
            isInBody = false
            cutting.endCame()
            if unanswered == 0 { _ = hold(arriving.count) }
        }
        context.fireChannelRead(data)
    }

    /// What tells where the body ends. The decoder has refused a length that is no number.
    private static func body(of fields: HTTPFields) -> RequestCutting.Body? {
        if fields.contains(.transferEncoding) { return .chunks }
        return fields[.contentLength].map { .length(Int($0) ?? Int($0.filter(\.isNumber)) ?? .max) }
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        isBroken = true
        context.fireErrorCaught(error)
    }

    package func read(context: ChannelHandlerContext) {
        if arriving.count > 0 { isReadWanted = true } else { context.read() }
    }

    /// Passes on what waited.
    private func resume() {
        arriving.pass()
        if arriving.count == 0, isReadWanted {
            isReadWanted = false
            context?.read()
        }
    }

    // MARK: What leaves

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        if case .head = part { return context.write(data, promise: promise) }
        let promise = promise ?? context.eventLoop.makePromise()
        if case .body(let buffer) = part {
            let count = buffer.readableBytes
            guard keep(unsent.count + count) else {
                promise.fail(ChannelError.ioOnClosedChannel)
                return context.close(promise: nil)
            }
            promise.futureResult.assumeIsolated().whenComplete { [weak self] _ in
                guard let self else { return }
                _ = keep(unsent.count - count)
            }
        } else {
            promise.futureResult.assumeIsolated().whenComplete { [weak self] _ in self?.answered() }
        }
        context.write(data, promise: promise)
    }

    private func keep(_ count: Int) -> Bool { set(&unsent, to: count) }

    private func answered() {
        unanswered -= 1
        guard unanswered == 0, context != nil else { return }
        _ = hold(arriving.count)
        resume()
    }
}

/// Holds the bytes of the requests that wait for an answer before them, and gives the decoder one request at a time.
private final class ArrivingBytes: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    weak var pacing: RequestPacing?
    private var context: ChannelHandlerContext?
    private var waiting = ByteBuffer()
    private var isPassing = false
    private var isInputClosed = false

    var count: Int { waiting.readableBytes }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        waiting = ByteBuffer()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        guard let pacing, pacing.hasRoom(forArriving: buffer.readableBytes) else {
            return context.close(promise: nil)
        }
        if count == 0 { waiting = buffer } else { waiting.writeBuffer(&buffer) }
        passRequests(context)
    }

    /// The end of the input waits for the bytes before it. Otherwise the decoder would throw them away.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed, count > 0 {
            isInputClosed = true
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    /// Passes on what waits, outside of a read of the socket.
    func pass() {
        guard let context, count > 0 else { return }
        passRequests(context)
        context.fireChannelReadComplete()
    }

    private func passRequests(_ context: ChannelHandlerContext) {
        guard !isPassing else { return }
        isPassing = true
        defer { isPassing = false }
        while count > 0, let pacing, !pacing.isBroken, !pacing.mustWait {
            let length = waiting.withUnsafeReadableBytes { pacing.cutting.length(of: $0) }
            guard !pacing.cutting.hasTooManyLines else {
                context.fireErrorCaught(HTTPParserError.headerOverflow)
                break
            }
            guard let request = waiting.readSlice(length: length) else { break }
            context.fireChannelRead(wrapInboundOut(request))
        }
        if let pacing, pacing.isBroken { waiting = ByteBuffer() }
        if count == 0 {
            waiting = ByteBuffer()
            if isInputClosed {
                isInputClosed = false
                context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            }
        } else if waiting.storageCapacity > 2 * count + 1024 {
            waiting = ByteBuffer(bytes: waiting.readableBytesView)
        }
    }
}

/// Answers a request of HTTP/1.0 in HTTP/1.0: no chunks, no 100 Continue, and the connection closes. It also adds the host of an absolute
/// address as a second field `host` if the two differ. ``RequestGate`` refuses that.
private final class RequestLine: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private var isOld = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isOld, case .head(var head) = unwrapOutboundIn(data) else {
            return context.write(data, promise: promise)
        }
        head.version = .http1_0
        head.headers.replaceOrAdd(name: "connection", value: "close")
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), head.version == .http1_0 || !head.uri.hasPrefix("/")
        else {
            return context.fireChannelRead(data)
        }
        if head.version == .http1_0 {
            isOld = true
            // Hummingbird ends the connection after a request with this field.
            head.headers.replaceOrAdd(name: "connection", value: "close")
            head.headers.remove(name: "expect")
        }
        guard !head.uri.hasPrefix("/"), let scheme = head.uri.firstRange(of: "://") else {
            return context.fireChannelRead(wrapInboundOut(.head(head)))
        }
        let authority = head.uri[scheme.upperBound...].prefix { !"/?#".contains($0) }
        if head.headers["host"].first?.lowercased() != authority.lowercased() {
            head.headers.add(name: "host", value: String(authority))
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}
