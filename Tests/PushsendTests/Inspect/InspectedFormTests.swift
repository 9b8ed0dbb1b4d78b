import Foundation
import TestSupport
import Testing

@testable import pushsend

@Suite struct InspectedFormTests {
    @Test(arguments: [
        ("-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----\n", InspectedForm.keyPEM),
        ("-----BEGIN ENCRYPTED PRIVATE KEY-----\n", .keyPEM),
        ("Bag Attributes\n-----BEGIN CERTIFICATE-----\n", .certificatePEM),
        ("-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\n-----BEGIN CERTIFICATE-----\n", .certificatePEM),
        ("5f3ad1c07b9e4286\n", .deviceToken("5f3ad1c07b9e4286")),
        ("bearer eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiIifQ.AA\n", .providerToken("eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiIifQ.AA")),
    ])
    func `texts are distinguished`(text: String, form: InspectedForm) {
        #expect(InspectedForm(Array(text.utf8)) == form)
    }

    @Test(arguments: [
        ("", "empty"), (" \n", "empty"),
        ("-----BEGIN CERTIFICATE REQUEST-----\n", "signing request"),
        ("-----BEGIN NEW CERTIFICATE REQUEST-----\n", "signing request"),
        ("-----BEGIN PKCS7-----\n", "bundle"),
        (#"{"aps":{"alert":"Hello"}}"#, "payload"), ("[1]", "aps"), ("{", "isn't valid"),
        (#"{"type":"service_account","private_key":"x"}"#, "another service"),
        ("<?xml version=\"1.0\"?><plist/>", "property list"),
        (String(repeating: "Lorem ipsum\n", count: 50), "unknown format"),
        ("token,name\n00,Ann\n", "table"), ("00\n01\n", "table"), ("{\"token\":\"00\"}\n{\"token\":\"01\"}", "lines"),
        ("{\"token\":\"00\",\"outcome\":\"accepted\"}", "results"),
    ])
    func `what people hand in instead is named`(text: String, word: String) {
        let sentence: String
        switch InspectedForm(Array(text.utf8)) {
        case .other(let text), .data(let text): sentence = text
        case let form:
            Issue.record("\(form)")
            return
        }
        #expect(sentence.hasPrefix("It "))
        #expect(sentence.contains(word))
        #expect(!sentence.contains("\n"))
    }

    /// The first bytes of real files, as openssl writes them.
    @Test(arguments: [
        ("308209c10201033082098706092a864886f70d010701", "pkcs12"),
        ("308204ff308203e7a003020102020a1234567890", "certificateDER"),
        ("3082024a308201320201003005310331003082", "signing request"),
        ("308187020100301306072a8648ce3d020106082a86", "key in DER"),
        ("3059301306072a8648ce3d020106082a8648ce3d", "key in DER"),
        ("3082300006092a864886f70d010702a08230003c", "bundle"),
        ("3082300006092a864886f70d010702a08230003c706c697374", "provisioning profile"),
        ("504b030414000000", "zip"), ("62706c6973743030", "property list"),
        // What is nothing of all this may be a device token.
        ("30ffffffffffffffff", "deviceToken"), ("3084ffffffff0201", "deviceToken"), ("0000000000000000", "deviceToken"),
    ])
    func `binary files are distinguished by their first bytes`(hex: String, word: String) {
        let form = InspectedForm(Self.bytes(hex))
        #expect("\(form)".contains(word), "\(form)")
    }

    @Test(arguments: 1...8) func `no bytes end the process`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<625 {
            let count = Int.random(in: 0..<40, using: &generator)
            var bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            if Bool.random(using: &generator), !bytes.isEmpty { bytes[0] = 0x30 }
            _ = InspectedForm(bytes)
        }
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        stride(from: 0, to: hex.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
    }
}
