/// HTTP/2 inside TLS: bytes of the socket in, events out; verbs in, records for the socket out.
///
/// Both sides stand on it, the client and the mock. Used by one thread at a time, its owner's.
package final class HTTP2OverTLS {
    /// Why the connection cannot go on.
    package enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
        case tls(TLSError)
        case http2(HTTP2Error)

        package var description: String {
            switch self {
            case .tls(let error): error.description
            case .http2(let error): error.description
            }
        }
    }

    /// A TLS record with frames in it, or a part of the handshake.
    package struct Record {
        /// The tags of the streams whose first byte is in this record. When the kernel has taken the record's last
        /// byte, those requests count as written.
        package var opened: [Int]
    }

    package let tls: TLSSession
    package let http2: HTTP2Session

    private let plaintext: UnsafeMutableRawBufferPointer
    /// What this side has said GOAWAY with, by itself too: the library does it when the other side breaks the rules.
    package var goAwayCode: HTTP2ErrorCode? { waiting.goAwayCode.map { HTTP2ErrorCode(rawValue: $0) } }
    /// Called once, when TLS is there and before anything of HTTP/2 is read.
    package var whenEstablished: (() -> Void)?
    /// Server role: called once, when a client that has not agreed on HTTP/2 by ALPN has sent the preface of HTTP/2.
    package var whenPrefaceCame: (() -> Void)?
    /// While it is true, what the peer says in HTTP/2 stays unread, and nothing of HTTP/2 is sent; TLS goes on.
    package var holdsHTTP2 = false
    /// Reads along, where somebody wants to watch.
    @exclusivity(unchecked) package var trace: FrameTrace?
    /// Server role: what a client has said that does not speak HTTP/2, the first bytes of it.
    package private(set) var otherWords: [UInt8] = []
    private static let mostOtherWords = 16 * 1024

    /// The preface of HTTP/2 that a client begins with (RFC 9113 section 3.4).
    package static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// The other side has agreed on it by ALPN. Without ALPN: a client has sent the preface of HTTP/2, or this client needs no
    /// agreement (``TLSContext/takesOthers``).
    package var speaksHTTP2: Bool {
        if let agreement { return agreement }
        guard tls.isEstablished else { return false }
        agreement = http2.role == .client || tls.agreedOnHTTP2
        return agreement ?? false
    }

    /// What came after the preface while ``holdsHTTP2`` was true, the preface included.
    private var heldWords: [UInt8] = []
    /// Asked of OpenSSL once.
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

    /// Takes bytes of the socket; the session's `takeEvents(into:)` then tells what they meant.
    ///
    /// - Throws: ``Failure`` when the connection cannot go on; what is waiting in ``nextRecord(_:)``, an alert or a
    ///   GOAWAY, should still be sent.
    package func receive(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
        tls.receive(bytes)
        do {
            if !tls.isEstablished {
                try tls.handshake()
                guard tls.isEstablished else { return }
                whenEstablished?()
                whenEstablished = nil
            }
            try hearHeldWords()
            while !holdsHTTP2, case let count = try tls.read(into: plaintext), count > 0 {
                try hear(UnsafeRawBufferPointer(rebasing: plaintext[0..<count]))
            }
        } catch let error as TLSError {
            throw .tls(error)
        } catch let error as HTTP2Error {
            throw .http2(error)
        } catch {
            throw .tls(TLSError(code: .failed, detail: "\(error)"))
        }
    }

    /// Takes what TLS has deciphered. ``receive(_:)`` calls it. A caller that reads TLS by itself calls it directly.
    ///
    /// - Throws: `HTTP2Error` when the connection cannot go on.
    package func hear(_ said: UnsafeRawBufferPointer) throws(HTTP2Error) {
        guard speaksHTTP2 else { return try hearWithoutALPN(said) }
        trace?.read(said, .received)
        do throws(HTTP2Error) {
            try http2.receive(said)
        } catch {
            if error.code == .notHTTP2 { keep(said) }
            throw error
        }
    }

    /// Keeps what a client says that has agreed on nothing, until it is the whole preface of HTTP/2.
    private func hearWithoutALPN(_ said: UnsafeRawBufferPointer) throws(HTTP2Error) {
        let before = otherWords
        keep(said)
        guard http2.role == .server, otherWords.starts(with: Self.preface) else { return }
        otherWords = []
        agreement = true
        heldWords = before + said
        whenPrefaceCame?()
        whenPrefaceCame = nil
        try hearHeldWords()
    }

    private func hearHeldWords() throws(HTTP2Error) {
        guard !heldWords.isEmpty, !holdsHTTP2 else { return }
        let held = heldWords
        heldWords = []
        var failure: HTTP2Error?
        held.withUnsafeBytes { bytes in
            do throws(HTTP2Error) { try hear(bytes) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    private func keep(_ said: UnsafeRawBufferPointer) {
        otherWords.append(contentsOf: said.prefix(Self.mostOtherWords - otherWords.count))
    }

    /// Goes on after ``holdsHTTP2``: reads what has come meanwhile.
    ///
    /// - Throws: ``Failure`` as ``receive(_:)`` does.
    package func releaseHTTP2() throws(Failure) {
        holdsHTTP2 = false
        if tls.isEstablished { try receive(UnsafeRawBufferPointer(start: nil, count: 0)) }
    }

    /// Begins the handshake: the client's first flight is then waiting in ``nextRecord(_:)``.
    package func start() throws(Failure) {
        do throws(TLSError) { try tls.handshake() } catch { throw .tls(error) }
    }

    // MARK: Out

    /// Hands over the next record for the socket, the bytes valid only during the call of `body`.
    ///
    /// One record at a time, so that the writer learns from the kernel which records it has taken.
    ///
    /// - Returns: What `body` returned, or `nil` when there is nothing to send.
    /// - Throws: ``Failure`` when the connection cannot go on.
    package func nextRecord<Result>(
        _ body: (Record, UnsafeRawBufferPointer) -> Result
    ) throws(Failure) -> Result? {
        // The handshake, an alert or a key update goes ahead of frames.
        if tls.hasCiphertext { return tls.takeCiphertext { body(Record(opened: []), $0) } }
        guard tls.isEstablished, speaksHTTP2, !isClosed, !holdsHTTP2 else { return nil }
        do {
            try waiting.fill(from: http2, upTo: TLSSession.recordBytes, trace)
            guard let opened = try waiting.withNextPiece(upTo: TLSSession.recordBytes, tls.seal) else { return nil }
            return tls.takeCiphertext { body(Record(opened: opened), $0) }
        } catch let error as TLSError {
            throw .tls(error)
        } catch let error as HTTP2Error {
            throw .http2(error)
        } catch {
            throw .tls(TLSError(code: .failed, detail: "\(error)"))
        }
    }

    /// Sends bytes in place of frames, behind all frames that are ready: the means of a server that breaks the rules.
    ///
    /// - Throws: ``Failure`` when the connection cannot go on.
    package func sendRaw(_ bytes: [UInt8]) throws(Failure) {
        do throws(HTTP2Error) { try waiting.fill(from: http2, upTo: .max, trace) } catch { throw .http2(error) }
        waiting.append(bytes)
    }

    /// How many bytes are ready and in no record yet.
    package var waitingByteCount: Int { waiting.count }

    /// Makes TLS end by a fatal alert, as if what had come were no TLS.
    package func breakTLS() {
        // A record of application data that no key fits: `bad_record_mac`.
        let noise: [UInt8] = [0x17, 3, 3, 0, 32] + Array(repeating: 0x55, count: 32)
        noise.withUnsafeBytes { tls.receive($0) }
        isClosed = true
        while let count = try? tls.read(into: plaintext), count > 0 {}
    }

    /// Queues TLS's notice that this side sends no more; frames that were not taken before are not sent.
    package func close() {
        isClosed = true
        tls.close()
    }
}

/// Frames put one behind the other until they fill a record.
private struct GatheredFrames {
    /// The code of the last GOAWAY (RFC 9113 section 6.8) that went in.
    private(set) var goAwayCode: UInt32?
    private var bytes: [UInt8] = []
    /// So many of them were given away: the rest is moved to the front seldom.
    private var begin = 0
    /// The tags of the streams that begin in the next piece: what is in `bytes` behind it can only be the end of a frame.
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

    /// Gives the next piece away, of the size to which it was filled, and returns the tags of the streams that begin
    /// in it; `nil` when there is nothing.
    mutating func withNextPiece(
        upTo size: Int,
        _ seal: (UnsafeRawBufferPointer) throws(TLSError) -> Void
    ) throws(TLSError) -> [Int]? {
        let count = min(size, self.count)
        guard count > 0 else { return nil }
        var failure: TLSError?
        bytes.withUnsafeBytes { all in
            do throws(TLSError) { try seal(UnsafeRawBufferPointer(rebasing: all[begin..<begin + count])) } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        drop(count)
        var taken: [Int] = []
        // As many as fit a record when requests are small.
        taken.reserveCapacity(64)
        swap(&taken, &opened)
        return taken
    }

    /// What is moved is never more than what was given away since the last time.
    private mutating func drop(_ given: Int) {
        begin += given
        guard begin >= bytes.count - begin else { return }
        bytes.removeFirst(begin)
        begin = 0
    }
}
