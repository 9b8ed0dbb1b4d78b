internal import CSSL
internal import FuzzSupport

@testable internal import PushWire

extension CertificatesFuzzing {
    /// PKCS#8, with few rounds.
    static func encrypted(_ pem: [UInt8]) throws -> [UInt8] {
        let key = try P256Key(pem: pem)
        return PEMText.written {
            PEM_write_bio_PKCS8PrivateKey_nid(
                $0, key.pointer, NID_pbe_WithSHA1And3_Key_TripleDES_CBC, "example", 7, nil, nil)
        }
    }

    /// The older format, RFC 1421.
    static func encryptedInside(_ pem: [UInt8]) throws -> [UInt8] {
        let key = try P256Key(pem: pem)
        return PEMText.written {
            PEM_write_bio_PrivateKey_traditional(
                $0, key.pointer, EVP_aes_128_cbc(), Array("example".utf8), 7, nil, nil)
        }
    }
}
