import PushWire
import TestSupport

/// A TLS client and a TLS server wired together in memory.
final class TLSPair {
    let client: TLSSession
    let server: TLSSession

    init(client: TLSSession, server: TLSSession) {
        self.client = client
        self.server = server
    }

    /// A pair of which nothing is refused.
    convenience init(hostName: String = "localhost", certificate: ServerCertificate) throws {
        try self.init(client: certificate.clientSession(hostName: hostName), server: certificate.serverSession())
    }

    static func established() throws -> TLSPair {
        let pair = try TLSPair(certificate: ServerCertificate())
        try pair.handshake()
        return pair
    }

    /// Goes through the handshake, to its end or to the first error; what is on the way then stays there.
    func handshake() throws {
        while !client.isEstablished || !server.isEstablished {
            try client.handshake()
            server.receive(client.takeCiphertext())
            try server.handshake()
            client.receive(server.takeCiphertext())
        }
    }
}

extension TLSSession {
    func takeCiphertext() -> [UInt8] { takeCiphertext { Array($0) } }

    func receive(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { receive($0) }
    }

    func seal(_ bytes: [UInt8]) throws(TLSError) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyBytes(from: bytes)
        try seal(UnsafeRawBufferPointer(copy))
    }

    /// All the plaintext that can be read now.
    func readAll() throws(TLSError) -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.recordBytes, alignment: 1)
        defer { buffer.deallocate() }
        var plaintext: [UInt8] = []
        while case let count = try read(into: buffer), count > 0 { plaintext.append(contentsOf: buffer.prefix(count)) }
        return plaintext
    }
}

/// One TLS record as it is seen from outside (RFC 8446 section 5.1).
struct TLSRecord: Equatable {
    static let alert: UInt8 = 21
    static let handshake: UInt8 = 22
    static let applicationData: UInt8 = 23

    var type: UInt8
    var version: UInt16 = 0x0303
    var content: [UInt8]

    var bytes: [UInt8] { [type] + version.bigEndianBytes + UInt16(content.count).bigEndianBytes + content }

    /// The records of a byte stream; `nil` when the bytes do not end with one.
    static func read(_ bytes: [UInt8]) -> [TLSRecord]? {
        var at = 0
        var records: [TLSRecord] = []
        while at < bytes.count {
            guard at + 5 <= bytes.count else { return nil }
            let length = Int(bytes[at + 3]) << 8 | Int(bytes[at + 4])
            guard at + 5 + length <= bytes.count else { return nil }
            let version = UInt16(bytes[at + 1]) << 8 | UInt16(bytes[at + 2])
            records.append(
                TLSRecord(type: bytes[at], version: version, content: Array(bytes[at + 5..<at + 5 + length])))
            at += 5 + length
        }
        return records
    }
}

/// Hellos of peers that nobody should have to run: made by hand, good for the first answer.
enum HandmadeHello {
    /// A ClientHello of a version (0x0302 is TLS 1.1, 0x0303 TLS 1.2) that offers one protocol by ALPN.
    static func client(version: UInt16, offering alpn: String) -> [UInt8] {
        let name = [UInt8(alpn.utf8.count)] + Array(alpn.utf8)
        let extensions =
            block(type: 10, [0, 2, 0, 23]) + block(type: 11, [1, 0]) + block(type: 13, [0, 2, 4, 3])
            + block(type: 16, UInt16(name.count).bigEndianBytes + name)
        // ECDHE-ECDSA with AES-128-GCM, and with AES-128-CBC for the older versions.
        let body =
            version.bigEndianBytes + [UInt8](repeating: 7, count: 32) + [0] + [0, 4, 0xC0, 0x2B, 0xC0, 0x09] + [1, 0]
            + UInt16(extensions.count).bigEndianBytes + extensions
        return message(type: 1, body, version: version)
    }

    /// A ServerHello that chooses a version.
    static func server(version: UInt16) -> [UInt8] {
        // Its only extension says that it knows of secure renegotiation, as every server of the day does.
        let extensions: [UInt8] = [0, 5] + block(type: 0xFF01, [0])
        let body = version.bigEndianBytes + [UInt8](repeating: 7, count: 32) + [0] + [0xC0, 0x09] + [0] + extensions
        return message(type: 2, body, version: version)
    }

    static func alert(_ code: UInt8) -> [UInt8] {
        TLSRecord(type: TLSRecord.alert, content: [2, code]).bytes
    }

    private static func block(type: UInt16, _ content: [UInt8]) -> [UInt8] {
        type.bigEndianBytes + UInt16(content.count).bigEndianBytes + content
    }

    private static func message(type: UInt8, _ body: [UInt8], version: UInt16) -> [UInt8] {
        let length = UInt32(body.count).bigEndianBytes.dropFirst()
        return TLSRecord(type: TLSRecord.handshake, version: version, content: [type] + length + body).bytes
    }
}
