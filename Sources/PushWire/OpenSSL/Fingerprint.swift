internal import CSSL
internal import PushPlatform

/// SHA-256 in hex, to distinguish keys and certificates.
package enum Fingerprint {
    package static func of(_ bytes: [UInt8]) -> String? {
        digest(of: bytes).map { HexText.of($0) }
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
        return HexText.of(hash)
    }
}

/// SHA-256 of bytes that come in pieces. Only one thread may use it at a time.
package final class RunningFingerprint {
    /// Owned, and freed with the object; `nil` if OpenSSL has no memory, and then there is no result.
    private let context = EVP_MD_CTX_new()
    private var isWorking: Bool

    package init() {
        isWorking = EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1
    }

    deinit { EVP_MD_CTX_free(context) }

    package func add(_ bytes: UnsafeRawBufferPointer) {
        isWorking = isWorking && EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
    }

    /// The digest in hex; `nil` if OpenSSL failed. Nothing can be added afterwards.
    package func finish() -> String? {
        var hash = [UInt8](repeating: 0, count: 32)
        guard isWorking, EVP_DigestFinal_ex(context, &hash, nil) == 1 else { return nil }
        isWorking = false
        return HexText.of(hash)
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
