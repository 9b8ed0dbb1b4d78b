internal import CSSL

/// Converts between the two encodings of a P-256 signature.
enum ECDSASignature {
    /// Returns r and s of an ASN.1 SEQUENCE, 32 bytes each.
    static func raw(der: [UInt8]) -> [UInt8]? {
        let signature = der.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            return d2i_ECDSA_SIG(nil, &start, bytes.count)
        }
        guard let signature else { return nil }
        defer { ECDSA_SIG_free(signature) }
        var raw = [UInt8](repeating: 0, count: 64)
        let fits = raw.withUnsafeMutableBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return false }
            return BN_bn2binpad(ECDSA_SIG_get0_r(signature), start, 32) == 32
                && BN_bn2binpad(ECDSA_SIG_get0_s(signature), start + 32, 32) == 32
        }
        return fits ? raw : nil
    }

    /// Returns the ASN.1 SEQUENCE for r and s of `width` bytes each.
    static func der(raw: [UInt8], width: Int = 32) -> [UInt8]? {
        guard raw.count == 2 * width, let signature = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(signature) }
        let r = BN_bin2bn(Array(raw.prefix(width)), Int32(width), nil)
        let s = BN_bin2bn(Array(raw.suffix(width)), Int32(width), nil)
        // On success the signature owns both numbers; otherwise they must be freed here.
        guard r != nil, s != nil, ECDSA_SIG_set0(signature, r, s) == 1 else {
            BN_free(r)
            BN_free(s)
            return nil
        }
        return OpenSSLBytes.encoded { i2d_ECDSA_SIG(signature, $0) }
    }
}
