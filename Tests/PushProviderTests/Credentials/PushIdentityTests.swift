import Foundation
import TestSupport
import Testing

@testable import PushProvider

@Suite struct PushIdentityTests {
    let set: CertificateSet

    init() throws {
        set = try CertificateSet.shared()
    }

    @Test func `an identity tells what its certificate says`() throws {
        let identity = try set.identity("universal.p12")
        #expect(identity.name == "Apple Push Services: com.example.app")
        #expect(identity.friendlyName == identity.name)
        #expect("\(identity)" == "certificate \"Apple Push Services: com.example.app\"")
        #expect(identity.warnings.isEmpty)
        let certificate = identity.certificate
        #expect(certificate.kind == "push certificate of an app")
        #expect(certificate.sendsPushes && certificate.saysService)
        #expect(certificate.services == [.sandbox, .production])
        #expect(certificate.topics == ["com.example.app", "com.example.app.voip", "com.example.app.complication"])
        #expect(certificate.teamID == "MOCKTEAM12")
        #expect(certificate.fingerprint.count == 64)
    }

    @Test(arguments: [(31, 0), (30, 0), (29, 1), (1, 1), (0, 1)])
    func `less than thirty days give a warning`(days: Int, warnings: Int) throws {
        let end = try set.identity("universal.p12").certificate.expires
        let now = end.addingTimeInterval(-Double(days) * 86400)
        let identity = try set.identity("universal.p12", now: now)
        #expect(identity.certificate.daysLeft(at: now) == days)
        #expect(identity.warnings.count == warnings)
        let words = days == 1 ? "1 day is left" : "\(days) days are left"
        #expect(identity.warnings.allSatisfy { $0.contains(words) && $0.contains(" on 20") })
    }

    @Test func `an expired one is refused with its date, and can be listed`() throws {
        let error = try #require(throws: PushCredentialsError.self) { try set.identity("expired.p12") }
        #expect(error.code == .expired)
        #expect(error.description.contains("expired.p12\" has expired"))
        #expect(error.description.contains("after 2025-01-01"))
        let entries = try PushIdentity.list(p12: set.read("expired.p12"), passphrase: .example, name: "expired.p12")
        #expect(entries.map(\.name) == ["Apple Push Services: com.example.app"])
        #expect(entries[0].certificate.daysLeft() < 0)
        let end = entries[0].certificate.expires
        #expect(try set.identity("expired.p12", now: end).certificate.daysLeft(at: end) == 0)
    }

    @Test func `one that begins later is loaded with a warning`() throws {
        let start = try set.identity("universal.p12").certificate.validFrom
        let identity = try set.identity("universal.p12", now: start.addingTimeInterval(-1))
        #expect(identity.warnings.count == 1)
        #expect(identity.warnings[0].contains("check the clock of this machine"))
    }

    @Test func `of several one is chosen by name, and the error names them`() throws {
        let path = set.path("several.p12")
        let error = try #require(throws: PushCredentialsError.self) {
            try PushIdentity(p12File: path, passphrase: .example)
        }
        #expect(error.code == .severalIdentities)
        #expect(error.names.count == 2)
        let entries = try PushIdentity.list(p12: set.read("several.p12"), passphrase: .example, name: "several.p12")
        #expect(entries.map(\.name) == error.names)
        let chosen = try PushIdentity(p12File: path, passphrase: .example, name: "production")
        #expect(chosen.certificate.services == [.production])
        let unknown = try #require(throws: PushCredentialsError.self) {
            try PushIdentity(p12File: path, passphrase: .example, name: "nobody")
        }
        #expect(unknown.code == .noSuchIdentity)
        #expect(unknown.names == error.names)
    }

    @Test func `what is wrong names the file and never the passphrase`() throws {
        let folder = try TemporaryFolder()
        let secret = "correct horse battery staple"
        let broken = try folder.write(set.read("universal.p12").prefix(1000), to: "broken.p12")
        let cases: [(PushCredentialsError.Code, () throws -> PushIdentity)] = [
            (
                .wrongPassphrase,
                { try PushIdentity(p12File: set.path("universal.p12"), passphrase: PushPassphrase(secret)) }
            ),
            (.passphraseNeeded, { try PushIdentity(p12File: set.path("universal.p12")) }),
            (.unusableIdentity, { try PushIdentity(p12File: broken, passphrase: PushPassphrase(secret)) }),
            (.unusableIdentity, { try PushIdentity(p12File: set.path("universal-combined.pem")) }),
            (.unusableIdentity, { try PushIdentity(certificateFile: set.path("universal.p12")) }),
            (.noPrivateKey, { try PushIdentity(certificateFile: set.path("universal-certificate.pem")) }),
            (
                .keyMismatch,
                {
                    try PushIdentity(
                        certificateFile: set.path("universal-certificate.pem"), keyFile: set.path("server.key"))
                }
            ),
            (.noSuchFile, { try PushIdentity(p12File: set.path("nothing.p12")) }),
            (.unreadableFile, { try PushIdentity(p12File: set.folder.path()) }),
        ]
        for (code, open) in cases {
            let error = try #require(throws: PushCredentialsError.self) { try open() }
            #expect(error.code == code)
            #expect(error.description.contains("\(folder.url.path())") || error.description.contains(set.folder.path()))
            #expect(!error.description.contains(secret))
        }
    }

    @Test func `a key file that others may read gives a warning, a certificate alone does not`() throws {
        let folder = try TemporaryFolder()
        let open = try folder.write(set.read("universal.p12"), to: "open.p12", mode: 0o644)
        #expect(
            try PushIdentity(p12File: open, passphrase: .example).warnings
                == ["Other users can read \"\(open)\": run chmod 600."])
        let certificate = try folder.write(set.read("universal-certificate.pem"), to: "c.pem", mode: 0o644)
        let key = try folder.write(set.read("universal-key.pem"), to: "k.pem")
        #expect(try PushIdentity(certificateFile: certificate, keyFile: key).warnings.isEmpty)
        let combined = try folder.write(set.read("universal-combined.pem"), to: "b.pem", mode: 0o640)
        #expect(try PushIdentity(certificateFile: combined).warnings.count == 1)
    }

    @Test func `contents are taken as files are`() throws {
        let identity = try PushIdentity(p12: set.read("legacy.p12"), passphrase: .example)
        let pair = try PushIdentity(
            certificatePEM: set.read("universal-certificate.pem"), keyPEM: set.read("universal-key.pem"))
        #expect(identity.certificate == pair.certificate)
        let error = try #require(throws: PushCredentialsError.self) { try PushIdentity(p12: set.read("legacy.p12")) }
        #expect(error.description.hasPrefix("the .p12 can't be used: The file is encrypted, and no passphrase"))
    }

    @Test func `a passphrase says nothing of itself`() {
        let passphrase = PushPassphrase("s3cret")
        var dumped = ""
        dump(passphrase, to: &dumped)
        #expect(!"\(passphrase) \(String(reflecting: passphrase)) \(dumped)".contains("s3cret"))
        #expect(PushPassphrase(bytes: []).isEmpty && !passphrase.isEmpty)
    }

    @Test func `certificates are listed from PEM and DER, with a key or without`() throws {
        let folder = try TemporaryFolder()
        try folder.write(set.read("universal-certificate.pem"), to: "c.pem")
        try folder.openssl("x509 -in c.pem -outform DER -out aps.cer")
        let expected = try [set.identity("universal.p12").certificate]
        for contents in try [folder.read("aps.cer"), folder.read("c.pem"), set.read("universal-combined.pem")] {
            #expect(try PushCertificate.list(contents: contents, name: "certificate") == expected)
        }
        let error = try #require(throws: PushCredentialsError.self) {
            try PushCertificate.list(contents: set.read("universal-key.pem"), name: "universal-key.pem")
        }
        #expect(error.code == .unusableIdentity)
    }
}
