import Foundation
import TestSupport
import Testing

@Suite(.takingTurns) struct InspectCertificateTests {
    let workspace: Workspace

    init() async throws {
        workspace = try Workspace()
        try await workspace.makeCertificates()
    }

    private static let passphrase = ["--passphrase-file", "certs/passphrase.txt"]

    /// A file, and what its one identity says.
    struct File: Sendable, CustomTestStringConvertible {
        var name: String
        var environment: JSON?
        var topics: [JSON]

        var testDescription: String { name }
    }

    private static let app: JSON = "com.example.app"
    private static let all: [JSON] = [app, "com.example.app.voip", "com.example.app.complication"]

    static let files = [
        File(name: "universal", environment: "both", topics: all),
        File(name: "legacy", environment: "both", topics: all),
        File(name: "sandbox", environment: "sandbox", topics: [app]),
        File(name: "production", environment: "production", topics: [app]),
        File(name: "voip", environment: "both", topics: ["com.example.app.voip"]),
        File(name: "plain", environment: nil, topics: []),
    ]

    @Test(arguments: files)
    func `environment, topics and expiry of every .p12 are shown`(file: File) async throws {
        let ended = try await inspect(["certs/\(file.name).p12", "--json"] + Self.passphrase)
        #expect(ended.status == 0)
        #expect(ended.errors == "")
        #expect(ended.json.keys == ["kind", "file", "readable", "usable", "identities"])
        #expect(ended.json["kind"] == "p12")
        let identity = try #require(Self.identities(ended).first)
        #expect(identity["environment"] == file.environment)
        #expect(identity["topics"] == .array(file.topics))
        #expect(identity["has_key"] == true)
        let daysLeft = try #require(identity["days_left"]?.integer)
        #expect((363...366).contains(daysLeft))
    }

    @Test func `for people each fact has its line, and nothing of the key is shown`() async throws {
        let ended = try await inspect(["certs/universal.p12"] + Self.passphrase)
        #expect(ended.status == 0)
        #expect(ended.output.hasPrefix("certs/universal.p12: a PKCS#12 file with an identity\n"))
        for words in [
            "Apple Push Services: com.example.app", "sandbox and production", "com.example.app.voip", "MOCKTEAM12",
            "days left", "key          available",
        ] {
            #expect(ended.output.contains(words))
        }
        #expect(ended.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test func `several identities in a file are all listed`() async throws {
        let ended = try await inspect(["certs/several.p12", "--json"] + Self.passphrase)
        let names = Self.identities(ended).compactMap { $0["name"]?.string }
        #expect(
            Set(names) == [
                "Apple Development IOS Push Services: com.example.app",
                "Apple Production IOS Push Services: com.example.app",
            ])
        let shown = try await inspect(["certs/several.p12"] + Self.passphrase)
        #expect(shown.output.contains("2 identities; choose one with --identity"))
        for name in names { #expect(shown.output.contains(name)) }
    }

    @Test func `one that has expired cannot be used, one that soon will says so`() async throws {
        let expired = try await inspect(["certs/expired.p12"] + Self.passphrase)
        #expect(expired.status == 77)
        #expect(expired.output.contains("2025-01-01, expired"))
        #expect(expired.output.contains("Problem: "))
        let expiring = try await inspect(["certs/expiring.p12"] + Self.passphrase)
        #expect(expiring.status == 0)
        #expect(expiring.output.contains("days left: create a new one"))
    }

    // MARK: Passphrases

    @Test func `a .p12 that needs a passphrase says so`() async throws {
        expectRefusal(
            try await inspect(["certs/universal.p12"]), 77, "\"certs/universal.p12\"", "no passphrase was given",
            "--passphrase-file", "PUSHSEND_PASSPHRASE")
        let json = try await inspect(["certs/universal.p12", "--json"])
        #expect(json.status == 77)
        #expect(json.json["kind"] == "p12")
        #expect(json.json["readable"] == false)
    }

    @Test func `a wrong passphrase is recognised, and none is repeated`() async throws {
        try workspace.write("s3cret-word\n", to: "wrong")
        let ended = try await inspect(["certs/universal.p12", "--passphrase-file", "wrong"])
        expectRefusal(ended, 77, "The passphrase is wrong")
        #expect(!ended.errors.contains("s3cret-word"))
    }

    @Test(arguments: ["no-passphrase", "null-passphrase"])
    func `a .p12 without a passphrase just opens`(name: String) async throws {
        #expect(try await inspect(["certs/\(name).p12"]).status == 0)
    }

    @Test func `the passphrase can come from the environment, and never from an argument`() async throws {
        let variable = try await workspace.pushsend(
            "inspect", "certs/universal.p12", environment: ["PUSHSEND_PASSPHRASE": "example"])
        #expect(variable.status == 0)
        let argument = try await inspect(["certs/universal.p12", "--passphrase", "example"])
        expectRefusal(argument, 64, "--passphrase-file", "PUSHSEND_PASSPHRASE")
    }

    @Test func `on a terminal it is asked for, three times at most`() async throws {
        let question = "Passphrase of certs/universal.p12: "
        let right = try await workspace.terminal(
            ["inspect", "certs/universal.p12"], [(question, "no\n"), (question, "example\n")])
        #expect(right.status == 0, "\(right.output)")
        #expect(right.output.contains("a PKCS#12 file with an identity"))
        let wrong = try await workspace.terminal(
            ["inspect", "certs/universal.p12"], Array(repeating: (question, "no\n"), count: 3))
        #expect(wrong.status == 77, "\(wrong.output)")
        #expect(wrong.output.contains("The passphrase is wrong"))
    }

    // MARK: PEM and .cer

    @Test func `a combined PEM is an identity`() async throws {
        let ended = try await inspect(["certs/universal-combined.pem", "--json"])
        #expect(ended.status == 0)
        #expect(ended.json["kind"] == "pem")
        #expect(Self.identities(ended).first?["has_key"] == true)
    }

    @Test func `a PEM certificate alone is half of a pair`() async throws {
        let ended = try await inspect(["certs/universal-certificate.pem"])
        #expect(ended.status == 0)
        #expect(ended.output.contains("a certificate without its key"))
        #expect(ended.output.contains("--cert-key"))
    }

    @Test func `a PEM with an encrypted key tells the certificate all the same`() async throws {
        try await workspace.prepare("cat certs/universal-certificate.pem certs/universal-key-encrypted.pem > both.pem")
        let locked = try await inspect(["both.pem"])
        #expect(locked.status == 77)
        #expect(locked.output.contains("Apple Push Services: com.example.app"))
        #expect(locked.output.replacing(/\s+/, with: " ").contains("no passphrase was given"))
        #expect(try await inspect(["both.pem"] + Self.passphrase).status == 0)
    }

    @Test func `a .cer has no private key: it has to be exported`() async throws {
        try await workspace.prepare("openssl x509 -in certs/universal-certificate.pem -outform DER -out aps.cer")
        let ended = try await inspect(["aps.cer"])
        #expect(ended.status == 77)
        #expect(ended.output.contains("Apple Push Services: com.example.app"))
        let problem = try await inspect(["aps.cer", "--json"]).json["problem"]?.string
        #expect(problem?.contains("no private key") == true)
        #expect(problem?.contains("export the .p12 from Keychain Access") == true)
    }

    @Test func `a key that is not the certificate's is said`() async throws {
        try await workspace.prepare("cat certs/universal-certificate.pem certs/AuthKey_MOCKKEY123.p8 > both.pem")
        let ended = try await inspect(["both.pem"])
        #expect(ended.status == 77)
        #expect(ended.output.replacing(/\s+/, with: " ").contains("doesn't belong to the certificate"))
    }

    @Test func `a .p12 that was cut off is said to be damaged`() async throws {
        try await workspace.prepare("head -c 1000 certs/universal.p12 > cut.p12")
        expectRefusal(try await inspect(["cut.p12"] + Self.passphrase), 77, "\"cut.p12\"", "damaged")
    }

    // MARK: Running it

    private func inspect(_ arguments: [String]) async throws -> Ended {
        try await workspace.pushsend(["inspect"] + arguments)
    }

    private static func identities(_ ended: Ended) -> [JSON] {
        guard case .array(let identities) = ended.json["identities"] else { return [] }
        return identities
    }
}
