@testable package import PushWire

/// One side of a TLS connection, driven as `HTTP2OverTLS` drives it.
package final class TLSParty {
    package let session: TLSSession
    /// The plaintext from the records of the other side.
    package private(set) var heard: [UInt8] = []
    /// The plaintext that it has encrypted.
    package private(set) var said: [UInt8] = []
    package private(set) var failure: TLSError?
    private var isClosed = false
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: TLSSession.recordBytes, alignment: 16)
    private var taken: UInt64 = 0

    package init(_ session: TLSSession) {
        self.session = session
    }

    deinit {
        buffer.deallocate()
    }

    package func start() {
        attempt { () throws(TLSError) in try session.handshake() }
    }

    package func receive(_ bytes: [UInt8]) {
        guard failure == nil else { return }
        bytes.withUnsafeBytes { session.receive($0) }
        attempt { () throws(TLSError) in
            if !session.isEstablished { try session.handshake() }
            guard session.isEstablished else { return }
            while case let count = try session.read(into: buffer), count > 0 {
                claim(count <= buffer.count, "more was read than the buffer can contain")
                heard.append(contentsOf: buffer.prefix(count))
            }
        }
    }

    package func say(_ bytes: [UInt8]) {
        guard session.isEstablished, failure == nil, !isClosed, !bytes.isEmpty else { return }
        attempt { () throws(TLSError) in
            var failure: TLSError?
            bytes.withUnsafeBytes { plaintext in
                do throws(TLSError) { try session.seal(plaintext) } catch { failure = error }
            }
            if let failure { throw failure }
            said.append(contentsOf: bytes)
        }
    }

    package func close() {
        isClosed = true
        session.close()
    }

    /// All bytes to send. They must be complete records, and the session must count all of them.
    package func send() -> [UInt8] {
        guard session.hasCiphertext else { return [] }
        let bytes = session.takeCiphertext { Array($0) }
        taken += UInt64(bytes.count)
        claim(taken == session.ciphertextCount, "the count of the ciphertext is wrong")
        var at = 0
        while at < bytes.count {
            claim(at + 5 <= bytes.count && (20...23).contains(bytes[at]), "the output is not a TLS record")
            at += 5 + Int(bytes[at + 3]) << 8 + Int(bytes[at + 4])
        }
        claim(at == bytes.count, "the output ends in the middle of a record")
        return bytes
    }

    private func attempt(_ body: () throws(TLSError) -> Void) {
        do throws(TLSError) {
            try body()
        } catch {
            claimHarmless(error.description)
            failure = error
        }
    }
}
