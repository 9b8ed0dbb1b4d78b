internal import CSSL
internal import FuzzSupport

@testable internal import PushWire

/// A `.p12` file: reading soon gives identities that TLS accepts, or an error that quotes nothing of the file.
enum P12Fuzzing {
    private static let passphrase = "example"

    static func run(_ file: [UInt8]) {
        read(file, SecretBuffer(Array(passphrase.utf8)))
        read(file, nil)
    }

    private static func read(_ bytes: [UInt8], _ passphrase: SecretBuffer?) {
        do throws(IdentityError) {
            let file = try IdentityFile(p12: bytes, passphrase: passphrase)
            IdentityClaims.check(file)
        } catch {
            claimHarmless(error.description, secret: error.names.isEmpty ? bytes : [])
        }
    }
}

extension P12Fuzzing {
    /// Some of the files have no MAC. With a MAC, every changed file would fail at the MAC.
    static func seeds() throws -> [String: [UInt8]] {
        let authority = try CertificateAuthority.make(commonName: "Seed authority", now: 1_700_000_000)
        let issued = try authority.issueServerCertificate(names: ["localhost"], validDays: 3650, now: 1_700_000_000)
        let pair = (try Certificate(pem: issued.certificatePEM), try P256Key(pem: issued.privateKeyPEM))
        var seeds: [String: [UInt8]] = [:]
        let plain: Int32 = -1
        let kinds: [(String, Int32)] = [
            ("plain", plain), ("aes", NID_aes_256_cbc), ("3des", NID_pbe_WithSHA1And3_Key_TripleDES_CBC),
        ]
        for (name, cipher) in kinds {
            for (suffix, rounds) in [("", Int32(1)), ("-no-mac", -1)] {
                seeds[name + suffix] = file(pair, authority, cipher, macRounds: rounds)
            }
        }
        seeds["no-passphrase"] = file(pair, authority, plain, macRounds: 1, passphrase: "")
        seeds["pem"] = issued.certificatePEM
        seeds["certificate"] = PEMText.der(issued.certificatePEM)
        seeds["key"] = PEMText.der(issued.privateKeyPEM)
        return seeds
    }

    private static func file(
        _ pair: (certificate: Certificate, key: P256Key), _ authority: CertificateAuthority, _ cipher: Int32,
        macRounds: Int32, passphrase: String = passphrase
    ) -> [UInt8] {
        let chain = OPENSSL_sk_new_null()
        defer { OPENSSL_sk_free(chain) }
        OPENSSL_sk_push(chain, UnsafeRawPointer(authority.certificate.pointer))
        let made = PKCS12_create(
            passphrase, "Seed", pair.key.pointer, pair.certificate.pointer, chain, cipher, cipher, 1, macRounds, 0)
        defer { PKCS12_free(made) }
        return OpenSSLBytes.encoded { i2d_PKCS12(made, $0) } ?? []
    }
}

// libFuzzer calls both functions by these names.

@_cdecl("LLVMFuzzerInitialize")
func initialize(_: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?) -> Int32 {
    Seeds.writeIfAsked(P12Fuzzing.seeds)
    return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    P12Fuzzing.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
