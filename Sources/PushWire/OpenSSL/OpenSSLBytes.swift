internal import CSSL

/// Passes bytes to and from OpenSSL's buffers.
enum OpenSSLBytes {
    /// Gives OpenSSL access to bytes without a copy; `nil` if it has no memory or there are too many bytes for its lengths.
    static func read<Result>(_ bytes: ArraySlice<UInt8>, _ body: (OpaquePointer) -> Result?) -> Result? {
        guard let count = Int32(exactly: bytes.count) else { return nil }
        return bytes.withUnsafeBytes { buffer in
            guard let bio = BIO_new_mem_buf(buffer.baseAddress, count) else { return nil }
            defer { BIO_free(bio) }
            return body(bio)
        }
    }

    /// Returns the bytes that OpenSSL writes, for example a PEM block. OpenSSL's copy is wiped, because it can be a
    /// private key.
    static func written(_ body: (OpaquePointer) -> Int32) -> [UInt8]? {
        guard let bio = BIO_new(BIO_s_mem()) else { return nil }
        defer { BIO_free(bio) }
        guard body(bio) == 1 else { return nil }
        var start: UnsafeMutablePointer<CChar>?
        let count = CSSL_BIO_get_mem_data(bio, &start)
        guard count > 0, let start else { return nil }
        defer { OPENSSL_cleanse(start, count) }
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Returns the bytes that an `i2d_` function encodes.
    static func encoded(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>) -> Int32) -> [UInt8]? {
        var start: UnsafeMutablePointer<UInt8>?
        let count = encode(&start)
        defer { CSSL_free(start) }
        guard count > 0, let start else { return nil }
        return Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }
}
