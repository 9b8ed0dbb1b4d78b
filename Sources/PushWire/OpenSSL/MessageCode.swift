internal import CSSL

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
