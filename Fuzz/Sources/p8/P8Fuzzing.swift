internal import CSSL
internal import FuzzSupport

@testable internal import PushWire

/// A `.p8` file: reading gives a key that works, or an error that quotes nothing of the file.
enum P8Fuzzing {
    static func run(_ file: [UInt8]) {
        readPrivate(file)
        readPublic(file)
        compareReaders(file)
    }

    private static func readPrivate(_ file: [UInt8]) {
        do throws(KeyError) {
            let key = try SigningKey(pem: file)
            let again = try SigningKey(pem: key.pem())
            claim(again.fingerprint == key.fingerprint, "a key changes when it is written and read again")
            let message = Array(file.prefix(100))
            let signature = try key.sign(message)
            claim(again.verifyingKey.verify(signature: signature, over: message), "a key refuses its own signature")
            claim(!again.verifyingKey.verify(signature: signature, over: message + [0]), "it verifies another message")
        } catch {
            PEMText.claimHarmless(error.description, secret: file)
        }
    }

    private static func readPublic(_ file: [UInt8]) {
        do throws(KeyError) {
            let key = try VerifyingKey(pem: file)
            claim(!key.verify(signature: Array(file.prefix(64)), over: file), "the file is a signature of itself")
        } catch {
            PEMText.claimHarmless(error.description, secret: file)
        }
    }

    /// Every key that the fast reader accepts is the same key for the decoders of OpenSSL.
    private static func compareReaders(_ file: [UInt8]) {
        guard let block = try? KeyFile.block(in: file), block.isPrivate, let short = PlainP256File.read(block.text)
        else { return }
        defer { EVP_PKEY_free(short) }
        let long = OpenSSLBytes.read(block.text) { PEM_read_bio_PrivateKey($0, nil, refusePassphrase, nil) }
        defer { EVP_PKEY_free(long) }
        OpenSSLErrorQueue.clear()
        guard (try? SigningKey(pem: file)) != nil else { return }
        claim(long != nil, "OpenSSL does not read what PlainP256File reads")
        claim(EVP_PKEY_eq(short, long) == 1, "PlainP256File reads another key than OpenSSL")
    }
}

extension P8Fuzzing {
    static func seeds() throws -> [String: [UInt8]] {
        let key = try SigningKey.generate()
        let pem = try key.pem()
        let rsa = FreshKeys.rsa()
        defer { EVP_PKEY_free(rsa) }
        let authority = try CertificateAuthority.make(commonName: "Seed", now: 1_700_000_000)
        return [
            "pkcs8": pem,
            "windows": pem.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] },
            "one-line": pem.map { $0 == 0x0A ? 0x20 : $0 },
            "cut": Array(pem.dropLast(40)),
            "apple": PEMText.of("PRIVATE KEY", namingTheCurveTwice(PEMText.der(pem))),
            "sec1": PEMText.written {
                PEM_write_bio_PrivateKey_traditional($0, key.key.pointer, nil, nil, 0, nil, nil)
            },
            "public": PEMText.written { PEM_write_bio_PUBKEY($0, key.key.pointer) },
            "rsa": PEMText.written { PEM_write_bio_PrivateKey($0, rsa, nil, nil, 0, nil, nil) },
            "encrypted": PEMText.written {
                PEM_write_bio_PrivateKey($0, key.key.pointer, EVP_aes_128_cbc(), "secret", 6, nil, nil)
            },
            "der": PEMText.der(pem),
            "certificate": authority.certificatePEM,
            "two": Array("A note.\n".utf8) + authority.certificatePEM + pem,
        ]
    }

    /// The form of Apple's files, which name the curve again inside the key.
    private static func namingTheCurveTwice(_ der: [UInt8]) -> [UInt8] {
        let curve: [UInt8] = [0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        // The three lengths around it are at these positions. The point follows the number of the key.
        let (lengths, point) = ([2, 27, 29], 68)
        guard der.count > point else { return der }
        var longer = der
        for index in lengths { longer[index] += UInt8(curve.count) }
        longer.insert(contentsOf: curve, at: point)
        return longer
    }
}

// libFuzzer calls both functions by these names.

@_cdecl("LLVMFuzzerInitialize")
func initialize(_: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?) -> Int32 {
    Seeds.writeIfAsked(P8Fuzzing.seeds)
    return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    P8Fuzzing.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
