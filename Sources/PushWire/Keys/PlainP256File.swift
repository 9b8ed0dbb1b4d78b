internal import CSSL

/// Reads a `.p8` in one of the two usual encodings of P-256 keys: Apple's, which names the curve twice, and OpenSSL's.
/// Everything except the numbers of the key is constant (RFC 5208, RFC 5915).
///
/// OpenSSL's own function loads all its decoders first, which takes as long as ten signatures. It reads all other
/// encodings. Whether the two halves of the key belong together is checked later, for all encodings.
enum PlainP256File {
    /// Returns the key, which the caller owns; `nil` if OpenSSL must read the file.
    static func read(_ pem: ArraySlice<UInt8>) -> OpaquePointer? {
        OpenSSLBytes.read(pem) { bio in
            var (name, header): (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?)
            var der: UnsafeMutablePointer<UInt8>?
            var count = 0
            guard PEM_read_bio(bio, &name, &header, &der, &count) == 1, let name, let header, let der else {
                return nil
            }
            defer {
                OPENSSL_cleanse(der, count)
                for memory: UnsafeMutableRawPointer in [.init(name), .init(header), .init(der)] { CSSL_free(memory) }
            }
            guard String(cString: name) == "PRIVATE KEY", header.pointee == 0 else { return nil }
            return key(in: UnsafeRawBufferPointer(start: der, count: count))
        }
    }

    /// The algorithm of a P-256 key (RFC 5480): id-ecPublicKey, prime256v1.
    static let algorithm: [UInt8] = [
        0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D,
        0x03, 0x01, 0x07,
    ]
    private static let curve: [UInt8] = [0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    /// The constant bytes before the number, and between the number and the point.
    private static let forms: [(before: [UInt8], between: [UInt8])] = [[], curve].map { parameters in
        let length = UInt8(107 + parameters.count)
        let inner: [UInt8] = [0x04, length + 2, 0x30, length, 0x02, 0x01, 0x01, 0x04, 0x20]
        return (
            [0x30, 0x81, length + 28, 0x02, 0x01, 0x00] + algorithm + inner,
            parameters + [0xA1, 0x44, 0x03, 0x42, 0x00]
        )
    }

    private static func key(in der: UnsafeRawBufferPointer) -> OpaquePointer? {
        for (before, between) in forms where der.count == before.count + 32 + between.count + 65 {
            let number = before.count..<(before.count + 32)
            let point = (number.upperBound + between.count)..<der.count
            guard der.starts(with: before), der[number.upperBound...].starts(with: between), der[point.lowerBound] == 4
            else { continue }
            return key(number: der[number], point: der[point])
        }
        return nil
    }

    private static func key(
        number: Slice<UnsafeRawBufferPointer>, point: Slice<UnsafeRawBufferPointer>
    ) -> OpaquePointer? {
        // OpenSSL expects numbers in the byte order of this machine.
        var native = (1).littleEndian == 1 ? Array(number.reversed()) : Array(number)
        defer { SecretBytes.wipe(&native) }
        var point = Array(point)
        var group = Array("prime256v1".utf8CString)
        guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        let made = native.withUnsafeMutableBufferPointer { native in
            point.withUnsafeMutableBufferPointer { point in
                group.withUnsafeMutableBufferPointer { group in
                    var parameters = [
                        OSSL_PARAM_construct_utf8_string(name("group"), group.baseAddress, 0),
                        OSSL_PARAM_construct_octet_string(name("pub"), point.baseAddress, point.count),
                        OSSL_PARAM_construct_BN(name("priv"), native.baseAddress, native.count),
                        OSSL_PARAM_construct_end(),
                    ]
                    return EVP_PKEY_fromdata_init(context) == 1
                        && EVP_PKEY_fromdata(context, &key, CSSL_keypair, &parameters) == 1
                }
            }
        }
        return made ? key : nil
    }

    /// Returns a pointer to a name. A parameter keeps this pointer, so the name must be a constant of the program.
    private static func name(_ text: StaticString) -> UnsafePointer<CChar> {
        UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
