/// HTTP/2 inside TLS, without a socket: it converts bytes from the socket to events, and calls to records for the
/// socket.
///
/// Both the client and the mock use it. Only one thread may use it at a time.
package final class HTTP2OverTLS {
    /// Why the connection cannot continue.
    package enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
        case tls(TLSError)
        case http2(HTTP2Error)

        fileprivate init(_ error: any Error) {
            switch error {
            case let error as TLSError: self = .tls(error)
            case let error as HTTP2Error: self = .http2(error)
            default: self = .tls(TLSError(.failed, "\(error)"))
            }
        }

        package var description: String {
            switch self {
            case .tls(let error): error.description
            case .http2(let error): error.description
            }
        }
    }

    package let tls: TLSSession
    package let http2: HTTP2Session

    private let plaintext: UnsafeMutableRawBufferPointer
    /// The code of the GOAWAY that this side sent. The library also sends a GOAWAY by itself, if the peer breaks the
    /// protocol.
    package var goAwayCode: HTTP2ErrorCode? { waiting.goAwayCode.map { HTTP2ErrorCode(rawValue: $0) } }
    /// Called once, when the TLS handshake is complete, before any HTTP/2 is read.
    package var whenEstablished: (() -> Void)?
    /// Server role: called once, when a client that did not negotiate HTTP/2 with ALPN has sent the preface of HTTP/2.
    package var whenPrefaceCame: (() -> Void)?
    /// Whether HTTP/2 is paused: nothing of HTTP/2 is read or sent, but TLS continues.
    package var holdsHTTP2 = false
    /// Records the frames in both directions; `nil` without a trace.
    @exclusivity(unchecked) package var trace: FrameTrace?
    /// Server role: the first bytes from a client that does not use HTTP/2.
    package private(set) var otherBytes: [UInt8] = []
    /// The maximum size of ``otherBytes``, in bytes. Further bytes are dropped.
    private static let maximumOtherBytes = 16 * 1024

    /// The preface of HTTP/2, the first bytes from a client (RFC 9113 section 3.4).
    package static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// Whether the connection uses HTTP/2: it was negotiated with ALPN, or a client has sent the preface of HTTP/2, or
    /// this client needs no negotiation (``TLSContext/acceptsOthers``).
    package var speaksHTTP2: Bool {
        if let agreement { return agreement }
        guard tls.isEstablished else { return false }
        agreement = http2.role == .client || tls.agreedOnHTTP2
        return agreement ?? false
    }

    /// The bytes received without ALPN that HTTP/2 has not read yet: the preface and the bytes after it.
    private var heldBytes: [UInt8] = []
    /// The cached value of ``speaksHTTP2``; `nil` before it is known.
    @exclusivity(unchecked) private var agreement: Bool?
    @exclusivity(unchecked) private var waiting = GatheredFrames()
    @exclusivity(unchecked) private var isClosed = false

    package init(tls: TLSSession, http2: HTTP2Session) {
        self.tls = tls
        self.http2 = http2
        plaintext = .allocate(byteCount: TLSSession.recordBytes, alignment: 16)
    }

    deinit {
        plaintext.deallocate()
    }

    // MARK: In

    /// Reads bytes from the socket. Get the resulting events with `takeEvents(into:)` of the session.
    ///
    /// - Parameter bytes: The bytes from the socket.
    /// - Throws: ``Failure`` if the connection cannot continue. Still send the records of ``nextRecord(_:)``: they may
    ///   have an alert or a GOAWAY.
    package func receive(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
        tls.receive(bytes)
        do {
            if !tls.isEstablished {
                try tls.handshake()
                guard tls.isEstablished else { return }
                whenEstablished?()
                whenEstablished = nil
            }
            try receiveHeldBytes()
            while !holdsHTTP2, case let count = try tls.read(into: plaintext), count > 0 {
                try receivePlaintext(UnsafeRawBufferPointer(rebasing: plaintext[0..<count]))
            }
        } catch {
            throw Failure(error)
        }
    }

    /// Reads bytes that TLS has decrypted. ``receive(_:)`` calls it. A caller that reads TLS itself calls it directly.
    ///
    /// - Parameter bytes: The decrypted bytes.
    /// - Throws: `HTTP2Error` if the connection cannot continue.
    package func receivePlaintext(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error) {
        guard speaksHTTP2 else { return try receiveWithoutALPN(bytes) }
        trace?.read(bytes, .received)
        do throws(HTTP2Error) {
            try http2.receive(bytes)
        } catch {
            if error.code == .notHTTP2 { keep(bytes) }
            throw error
        }
    }

    /// Stores bytes from a client that negotiated no protocol, until they contain the whole preface of HTTP/2.
    private func receiveWithoutALPN(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error) {
        let before = otherBytes
        keep(bytes)
        guard http2.role == .server, otherBytes.starts(with: Self.preface) else { return }
        otherBytes = []
        agreement = true
        heldBytes = before + bytes
        whenPrefaceCame?()
        whenPrefaceCame = nil
        try receiveHeldBytes()
    }

    private func receiveHeldBytes() throws(HTTP2Error) {
        guard !heldBytes.isEmpty, !holdsHTTP2 else { return }
        let held = heldBytes
        heldBytes = []
        try held.withUnsafeBufferPointer { bytes throws(HTTP2Error) in
            try receivePlaintext(UnsafeRawBufferPointer(bytes))
        }
    }

    private func keep(_ bytes: UnsafeRawBufferPointer) {
        otherBytes.append(contentsOf: bytes.prefix(Self.maximumOtherBytes - otherBytes.count))
    }

    /// Ends the pause of ``holdsHTTP2``, and reads the bytes received in the meantime.
    ///
    /// - Throws: ``Failure``, like ``receive(_:)``.
    package func releaseHTTP2() throws(Failure) {
        holdsHTTP2 = false
        if tls.isEstablished { try receive(UnsafeRawBufferPointer(start: nil, count: 0)) }
    }

    /// Begins the handshake. The first message of the client is then available from ``nextRecord(_:)``.
    package func start() throws(Failure) {
        do throws(TLSError) { try tls.handshake() } catch { throw .tls(error) }
    }

    // MARK: Out

    /// Calls the closure with the next record for the socket.
    ///
    /// It gives one record at a time, so that the caller knows which records the kernel has accepted.
    ///
    /// - Parameter body: The closure. It gets the tags of the streams whose first byte is in this record: these requests
    ///   count as written when the kernel has accepted the last byte of the record. The bytes are valid only during the
    ///   call.
    /// - Returns: The result of `body`; `nil` if there is nothing to send.
    /// - Throws: ``Failure`` if the connection cannot continue.
    package func nextRecord<Result>(
        _ body: (_ opened: [Int], UnsafeRawBufferPointer) -> Result
    ) throws(Failure) -> Result? {
        // The handshake, an alert or a key update is sent before frames.
        if tls.hasCiphertext { return tls.takeCiphertext { body([], $0) } }
        guard tls.isEstablished, speaksHTTP2, !isClosed, !holdsHTTP2 else { return nil }
        do {
            try waiting.fill(from: http2, upTo: TLSSession.recordBytes, trace)
            guard let opened = try waiting.withNextPiece(upTo: TLSSession.recordBytes, tls.seal) else { return nil }
            return tls.takeCiphertext { body(opened, $0) }
        } catch {
            throw Failure(error)
        }
    }

    /// Sends any bytes after all frames that are ready, for a server that breaks the protocol.
    ///
    /// - Parameter bytes: The bytes instead of frames.
    /// - Throws: ``Failure`` if the connection cannot continue.
    package func sendRaw(_ bytes: [UInt8]) throws(Failure) {
        do throws(HTTP2Error) { try waiting.fill(from: http2, upTo: .max, trace) } catch { throw .http2(error) }
        waiting.append(bytes)
    }

    /// The number of bytes that are ready, but in no record yet.
    package var waitingByteCount: Int { waiting.count }

    /// Ends TLS with a fatal alert, as if invalid data had been received.
    package func breakTLS() {
        // A record of application data that no key can decrypt: `bad_record_mac`.
        let noise: [UInt8] = [0x17, 3, 3, 0, 32] + Array(repeating: 0x55, count: 32)
        noise.withUnsafeBytes { tls.receive($0) }
        isClosed = true
        while let count = try? tls.read(into: plaintext), count > 0 {}
    }

    /// Closes TLS with the alert `close_notify`. Frames that are not in a record yet are not sent.
    package func close() {
        isClosed = true
        tls.close()
    }
}

/// A buffer that collects frames until they fill a record.
private struct GatheredFrames {
    /// The code of the last GOAWAY (RFC 9113 section 6.8) in the buffer.
    private(set) var goAwayCode: UInt32?
    private var bytes: [UInt8] = []
    /// The number of bytes at the start of `bytes` that were already given away. The others are rarely moved to the
    /// front.
    private var begin = 0
    /// The tags of the streams that begin in the next piece. The bytes after it can only be the end of a frame.
    private var opened: [Int] = []

    var count: Int { bytes.count - begin }

    mutating func append(_ more: [UInt8]) {
        bytes.append(contentsOf: more)
    }

    mutating func fill(from http2: HTTP2Session, upTo size: Int, _ trace: FrameTrace?) throws(HTTP2Error) {
        while count < size, let frame = try http2.nextFrame() {
            trace?.read(frame, .sent)
            if frame.count >= 17, frame[3] == 7 {
                goAwayCode = frame.loadUnaligned(fromByteOffset: 13, as: UInt32.self).bigEndian
            }
            if let tag = http2.openedTag { opened.append(tag) }
            bytes.append(contentsOf: frame)
        }
    }

    /// Passes the next piece to `seal`, removes it, and returns the tags of the streams that begin in it; `nil` if the
    /// buffer is empty. The size must be the same as for `fill`.
    mutating func withNextPiece(
        upTo size: Int,
        _ seal: (UnsafeRawBufferPointer) throws(TLSError) -> Void
    ) throws(TLSError) -> [Int]? {
        let count = min(size, self.count)
        guard count > 0 else { return nil }
        try bytes.withUnsafeBufferPointer { all throws(TLSError) in
            try seal(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: all[begin..<begin + count])))
        }
        drop(count)
        var taken: [Int] = []
        // The number of small requests that fit a record.
        taken.reserveCapacity(64)
        swap(&taken, &opened)
        return taken
    }

    /// Removes bytes from the front. It moves the others only if they are not more than the removed ones.
    private mutating func drop(_ given: Int) {
        begin += given
        guard begin >= bytes.count - begin else { return }
        bytes.removeFirst(begin)
        begin = 0
    }
}
