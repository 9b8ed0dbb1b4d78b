import Foundation
import PushWire
import TestSupport
import Testing

/// Keys and certificates as editors, secret stores and YAML hand them on.
@Suite struct RestoredFileTests {
    /// A text in the forms in which a whole key still is a key.
    private static func forms(of text: String) -> [(name: String, bytes: [UInt8])] {
        let base64 = Data(text.utf8).base64EncodedString()
        let body = text.split(separator: "\n").dropFirst().dropLast().joined()
        let texts = [
            ("indented", text.split(separator: "\n").map { "    \($0)\n" }.joined()),
            ("blank lines", text.replacing("\n", with: "\n\n")),
            ("quoted", "\"\(text)\""), ("named", "APNS_KEY=\"\(text)\"\n"),
            ("CR alone", text.replacing("\n", with: "\r")),
            ("CR LF", text.replacing("\n", with: "\r\n")), ("one line", text.replacing("\n", with: " ")),
            ("no line ends", text.replacing("\n", with: "")), ("escaped", text.replacing("\n", with: "\\n")),
            ("escaped twice", text.replacing("\n", with: "\\\\r\\\\n")), ("marked", "\u{FEFF}\(text)"),
            ("continued", text.replacing("\n", with: "\\\n")),
            ("a list", "[" + text.split(separator: "\n").map { "\"\($0)\"" }.joined(separator: ",\n ") + "]"),
            ("base64", base64), ("base64 named", "KEY=\(base64)\n"), ("base64 in YAML", "key: |\n  \(base64)\n"),
            ("base64 in quotes", "'\(base64)'"),
            ("the body alone", body + "\n"),
        ].map { ($0.0, Array($0.1.utf8)) }
        let little = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        let big = text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        return texts + [
            ("UTF-16 LE", [0xFF, 0xFE] + little), ("UTF-16 BE", [0xFE, 0xFF] + big), ("UTF-16 LE without mark", little),
            ("UTF-16 BE without mark", big),
        ]
    }

    @Test func `a whole key in another form is the same key`() throws {
        let key = try SigningKey.generate()
        let text = String(decoding: try key.pem(), as: UTF8.self)
        for (name, bytes) in Self.forms(of: text) {
            let again = try? SigningKey(pem: bytes)
            #expect(again?.fingerprint == key.fingerprint, "\(name)")
            #expect(CredentialFileKind(bytes) == .privateKey, "\(name)")
        }
    }

    @Test func `a file in its usual form is not copied`() throws {
        #expect(RestoredFile.bytes(of: try SigningKey.generate().pem()) == nil)
        let set = try CertificateSet.shared()
        for name in ["universal-combined.pem", "universal-key-encrypted.pem", "universal.p12"] {
            #expect(RestoredFile.bytes(of: try set.read(name)) == nil, "\(name)")
        }
    }

    @Test func `a key with a character that does not belong to it stays damaged`() throws {
        let text = String(decoding: try SigningKey.generate().pem(), as: UTF8.self)
        for other in ["%", "\u{E4}", "<"] {
            let changed = text.replacing("\nM", with: "\n\(other)M")
            #expect(throws: KeyError.self, "\(other)") { try SigningKey(pem: Array(changed.utf8)) }
        }
    }

    @Test func `certificates with keys are restored, too`() throws {
        let set = try CertificateSet.shared()
        let combined = String(decoding: try set.read("universal-combined.pem"), as: UTF8.self)
        let name = try IdentityFile(certificate: Array(combined.utf8)).names
        for (form, bytes) in Self.forms(of: combined) where form != "the body alone" {
            #expect((try? IdentityFile(certificate: bytes))?.names == name, "\(form)")
        }
        let base64 = Data(try set.read("universal.p12")).base64EncodedString(options: .lineLength76Characters)
        for text in [base64, "P12=\"\(base64)\"", "data:application/x-pkcs12;base64,\(base64)"] {
            #expect(try IdentityFile(p12: Array(text.utf8), passphrase: .example).names == name)
            #expect(try IdentityFile(file: Array(text.utf8), passphrase: .example).names == name)
        }
    }

    @Test func `a file in another one's place is named, with its kind`() throws {
        let set = try CertificateSet.shared()
        let (certificate, key) = (try set.read("universal-certificate.pem"), try set.read("universal-key.pem"))
        let swapped = #expect(throws: IdentityError.self) { try IdentityFile(certificate: key, key: certificate) }
        #expect(swapped?.code == .swapped)
        let p8 = #expect(throws: IdentityError.self) { try IdentityFile(p12: SigningKey.generate().pem()) }
        #expect(p8?.found == .privateKey)
        #expect(p8?.description.contains("a private key in PEM, such as Apple's .p8") == true)
        let cert = #expect(throws: IdentityError.self) { try IdentityFile(certificate: SigningKey.generate().pem()) }
        #expect(cert?.found == .privateKey)
        let p12 = #expect(throws: KeyError.self) { try SigningKey(pem: set.read("universal.p12")) }
        #expect(p12?.found == .pkcs12)
        #expect(CredentialFileKind(try set.read("universal-combined.pem")) == .identity)
        #expect(CredentialFileKind(Array("{\"aps\":{}}".utf8)) == nil)
        let tokens = String(repeating: String(repeating: "5f3ad1c0", count: 8) + "\n", count: 9)
        #expect(CredentialFileKind(Array(tokens.utf8)) == nil)
    }
}
