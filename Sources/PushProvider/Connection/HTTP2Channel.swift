internal import Logging
internal import NIOCore
internal import PushPlatform
internal import PushWire

/// The bytes of a connection: reads and writes HTTP/2 over TLS on a NIO channel. Use it only on the event loop of the
/// channel.
final class HTTP2Channel {
    let wire: HTTP2OverTLS
    private let logger: Logger
    private let records = RecordWriter()
    @exclusivity(unchecked) private var context: ChannelHandlerContext?
    /// Why TLS or HTTP/2 could not make the next record. The socket is closed then.
    private(set) var failure: HTTP2OverTLS.Failure?

    init(_ wire: HTTP2OverTLS, logger: Logger) {
        self.wire = wire
        self.logger = logger
        if logger.logLevel <= .trace { wire.trace = FrameTrace(role: .client) }
    }

    var http2: HTTP2Session { wire.http2 }
    var tls: TLSSession { wire.tls }

    // MARK: The NIO channel

    /// Begins to use the channel of a context; `nil` ends that.
    func attach(_ context: ChannelHandlerContext?) {
        self.context = context
    }

    /// Whether the socket accepts more bytes.
    var isWritable: Bool { context?.channel.isWritable ?? false }
    /// Whether the socket accepts no more bytes for now.
    var isBlocked: Bool { context?.channel.isWritable == false }

    /// Runs the body after this time, on the event loop.
    ///
    /// - Returns: `nil` without a channel.
    func schedule(after time: Duration, _ body: @escaping () -> Void) -> Scheduled<Void>? {
        context?.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(clamping: time), body)
    }

    /// Closes the socket.
    ///
    /// - Returns: `false` if there is none.
    func closeSocket() -> Bool {
        guard let context else { return false }
        context.close(promise: nil)
        return true
    }

    /// Reads the round-trip time of TCP, as the kernel measures it.
    ///
    /// - Parameter completion: Called with the time, perhaps later; with `nil` if the platform does not report it.
    func readRoundTrip(_ completion: @escaping @Sendable (Duration?) -> Void) {
        #if os(Linux)
            if let socket = context?.channel as? any SocketOptionProvider {
                return socket.getTCPInfo().whenComplete { result in
                    completion((try? result.get()).map { .microseconds(Int($0.tcpi_rtt)) })
                }
            }
        #endif
        completion(nil)
    }

    // MARK: Bytes in

    func receive(_ buffer: ByteBuffer) throws(HTTP2OverTLS.Failure) {
        var thrown: HTTP2OverTLS.Failure?
        buffer.withUnsafeReadableBytes { bytes in
            do throws(HTTP2OverTLS.Failure) { try wire.receive(bytes) } catch { thrown = error }
        }
        logFrames()
        if let thrown { throw thrown }
    }

    // MARK: Bytes out

    /// Submits a request to HTTP/2.
    ///
    /// - Returns: The stream id, 0 if the session has ended the request at once; `nil` if the stream ids of the
    ///   connection are used up.
    // Inlined, because it is a part of every request, and a call costs as much as its body.
    @inline(__always)
    func submit(_ send: PendingSend, _ token: ProviderToken?, tag: Int) -> Int32? {
        records.begin(tag)
        return try? wire.http2.submitRequest(send.request, owner: send, credential: token?.field, tag: tag)
    }

    /// Submits a request of a probe.
    ///
    /// - Returns: The stream id; `nil` if the server accepts none.
    func submit(_ request: KeptRequest, tag: Int) -> Int32? {
        records.begin(tag)
        return try? wire.http2.submitRequest(request.outgoing, owner: request, credential: nil, tag: tag)
    }

    /// Whether the kernel has accepted the record that holds the first byte of this request.
    func isWritten(_ tag: Int) -> Bool {
        records.isWritten(tag)
    }

    /// Gives everything that is ready to the socket, one record per write. If a record cannot be made, closes the
    /// socket.
    func flush() {
        guard let context else { return }
        do throws(HTTP2OverTLS.Failure) { try writeRecords(to: context) } catch {
            if failure == nil { failure = error }
            // An alert or a GOAWAY tells the server the reason.
            try? writeRecords(to: context)
            context.close(promise: nil)
        }
    }

    private func writeRecords(to context: ChannelHandlerContext) throws(HTTP2OverTLS.Failure) {
        var wrote = false
        defer { if wrote { context.flush() } }
        while try writeRecord(to: context) { wrote = true }
    }

    /// - Returns: Whether there was a record.
    private func writeRecord(to context: ChannelHandlerContext) throws(HTTP2OverTLS.Failure) -> Bool {
        defer { logFrames() }
        return try wire.nextRecord { opened, bytes in
            records.write(bytes, endingAt: wire.tls.ciphertextCount, opened: opened, to: context)
        } != nil
    }

    /// Logs each received and sent frame at the level `trace`.
    private func logFrames() {
        guard let trace = wire.trace else { return }
        for frame in trace.takeFrames() {
            logger.trace("\(FrameDescription.message(frame))", metadata: FrameDescription.metadata(frame))
        }
    }
}
