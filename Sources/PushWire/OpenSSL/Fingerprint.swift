internal import CSSL

/// SHA-256 in hex, to distinguish keys and certificates.
package enum Fingerprint {
    package static func of(_ bytes: [UInt8]) -> String? {
        digest(of: bytes).map(hex)
    }

    /// SHA-256 as 32 bytes.
    package static func digest(of bytes: [UInt8]) -> [UInt8]? {
        var hash = [UInt8](repeating: 0, count: 32)
        guard EVP_Digest(bytes, bytes.count, &hash, nil, EVP_sha256(), nil) == 1 else { return nil }
        return hash
    }

    static func ofCertificate(_ x509: OpaquePointer) -> String? {
        var hash = [UInt8](repeating: 0, count: 32)
        guard X509_digest(x509, EVP_sha256(), &hash, nil) == 1 else { return nil }
        return hex(hash)
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

/// HMAC with SHA-256 (RFC 2104). It proves to a receiver that the sender of a message has the same key.
package enum MessageCode {
    /// Returns the 32 bytes of the code; `nil` if OpenSSL fails.
    package static func sha256(of message: [UInt8], key: [UInt8]) -> [UInt8]? {
        var code = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        guard HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, &code, &length) != nil else {
            return nil
        }
        return Array(code.prefix(Int(length)))
    }
}
