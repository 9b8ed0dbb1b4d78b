import Foundation
import TestSupport
import Testing

/// Certificates in the place of a key. What leaves the machine is shown with --dry-run.
@Suite(.takingTurns) struct SendCertificateTests {
    let workspace: Workspace

    init() async throws {
        workspace = try Workspace()
        try await workspace.makeCertificates()
        // As editors and shells on Windows write it.
        try await workspace.prepare(
            """
            word=$(head -n 1 certs/passphrase.txt)
            printf '\\357\\273\\277%s\\r\\n' "$word" > certs/marked.txt
            printf '%s\\r\\n' "$word" | iconv -f UTF-8 -t UTF-16 > certs/wide.txt
            printf '%s\\rmore' "$word" | iconv -f UTF-8 -t UTF-16LE > certs/unmarked.txt
            """)
    }

    private static let opened = ["--passphrase-file", "certs/passphrase.txt"]
    private static let app = ["--topic", "com.example.app"]

    static let files: [[String]] = [
        ["--p12", "certs/universal.p12"] + opened + app,
        ["--p12", "certs/universal.p12", "--passphrase-file", "certs/marked.txt"] + app,
        ["--p12", "certs/universal.p12", "--passphrase-file", "certs/wide.txt"] + app,
        ["--p12", "certs/universal.p12", "--passphrase-file", "certs/unmarked.txt"] + app,
        ["--p12", "certs/legacy.p12"] + opened + app,
        ["--p12", "certs/no-passphrase.p12"] + app,
        ["--p12", "certs/null-passphrase.p12"] + app,
        ["--cert", "certs/universal-certificate.pem", "--cert-key", "certs/universal-key.pem"] + app,
        ["--cert", "certs/universal-certificate.pem", "--cert-key", "certs/universal-key-encrypted.pem"] + opened + app,
        ["--cert", "certs/universal-combined.pem"] + app,
    ]

    @Test func `of several topics the one for the push type is taken, and said`() async throws {
        for (type, topic) in [("alert", "com.example.app"), ("voip", "com.example.app.voip")] {
            let flags = ["--p12", "certs/universal.p12", "--push-type", type, "--dry-run", "-m", "x"] + Self.opened
            let ended = try await workspace.pushsend(["send", RunningMock.token] + flags)
            #expect(ended.status == 0)
            #expect(ended.output.contains("apns-topic: \(topic)\n"))
            #expect(
                ended.errorLines.first?.hasPrefix(
                    "note: the topic is \(topic), the only one of the certificate's 3") == true)
        }
    }

    @Test(arguments: files)
    func `a certificate can be in any of these files`(flags: [String]) async throws {
        let ended = try await dryRun(flags)
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.output.contains("\n(certificate \"Apple Push Services: com.example.app\" is presented"))
        #expect(!ended.output.contains("authorization"))
        #expect(ended.errorLines == ["Sending to the sandbox; for TestFlight and the App Store use -e production."])
    }

    @Test func `an expiration that is too far away is noted, as with a key`() async throws {
        let ended = try await dryRun(["--cert", "certs/universal-combined.pem", "--expires", "60d"] + Self.app)
        #expect(ended.status == 0 && ended.errors.contains("[expiration-far]"), "\(ended.errors)")
    }

    @Test func `the push arrives with each of them, and when its curl command is pasted`() async throws {
        let requests = try await RunningMock.with("--certs", workspace.path("certs"), in: workspace) { mock in
            let there = ["--endpoint", "localhost:\(mock.port)", "--cacert", "certs/ca.pem"]
            for flags in Self.files {
                let ended = try await workspace.pushsend(["send", RunningMock.token, "-m", "x"] + there + flags)
                #expect(ended.status == 0, "\(flags) \(ended.errors)")
                #expect(ended.output.hasPrefix("accepted  apns-id "))
            }
            // curl does not open files of old.
            for flags in Self.files where !flags.contains("certs/legacy.p12") {
                let printed = try await workspace.pushsend(
                    ["send", RunningMock.token, "-m", "x", "--as-curl"] + there + flags)
                let pasted = try await workspace.shell("cd / && " + printed.output)
                #expect(pasted.output.hasPrefix("HTTP/2 200"), "\(printed.output) \(pasted.errors)")
            }
        }
        #expect(requests.count == 2 * Self.files.count - 1)
        #expect(Set(requests.map { $0["payload"]?.string }) == [#"{"aps":{"alert":{"body":"x"}}}"#])
    }

    @Test(arguments: [("sandbox", "api.sandbox.push.apple.com"), ("production", "api.push.apple.com")])
    func `environment and topic come from a certificate that names one of each`(
        name: String, host: String
    ) async throws {
        let ended = try await dryRun(["--p12", "certs/\(name).p12"] + Self.opened)
        #expect(ended.status == 0)
        #expect(ended.output.hasPrefix("POST https://\(host):443/"))
        #expect(ended.output.contains("\napns-topic: com.example.app\n"))
        #expect(ended.errors == "Sending to the \(name) environment of the certificate.\n")

        let voip = try await dryRun(["--p12", "certs/voip.p12", "-e", name] + Self.opened)
        #expect(voip.output.hasPrefix("POST https://\(host):443/"))
        #expect(voip.output.contains("\napns-topic: com.example.app.voip\napns-push-type: voip\n"))
    }

    @Test func `all of it can come from the environment, and a flag is nearer`() async throws {
        let p12 = try await dryRun(
            [],
            [
                "PUSHSEND_P12": "certs/several.p12", "PUSHSEND_PASSPHRASE": "example",
                "PUSHSEND_IDENTITY": "Development",
            ])
        #expect(p12.output.contains("Apple Development IOS Push Services"), "\(p12.errors)")
        let pem = try await dryRun(
            Self.app,
            [
                "PUSHSEND_CERT": "certs/universal-certificate.pem",
                "PUSHSEND_CERT_KEY": "certs/universal-key-encrypted.pem",
                "PUSHSEND_PASSPHRASE_FILE": "certs/passphrase.txt",
            ])
        #expect(pem.output.contains("Apple Push Services"), "\(pem.errors)")
        let nearer = try await dryRun(
            ["--key", "certs/AuthKey_MOCKKEY123.p8", "--team-id", "MOCKTEAM12"] + Self.app,
            ["PUSHSEND_P12": "missing.p12"])
        #expect(nearer.output.contains("signed with key MOCKKEY123"), "\(nearer.errors)")
    }

    @Test func `the passphrase is the first line of its file, or of standard input`() async throws {
        try workspace.write("example\r\nnot this\n", to: "windows.txt")
        let file = try await dryRun(["--p12", "certs/sandbox.p12", "--passphrase-file", "windows.txt"])
        #expect(file.status == 0)
        let input = try await dryRun(
            ["--p12", "certs/sandbox.p12", "--passphrase-file", "-"], input: "example\n")
        #expect(input.status == 0)
    }

    @Test func `a certificate that ends within 30 days is warned of, and used`() async throws {
        let ended = try await dryRun(["--p12", "certs/expiring.p12"] + Self.opened + Self.app)
        #expect(ended.status == 0)
        #expect(ended.errors.matches(of: /warning: The certificate .* (19|20) days are left/).count == 1)
    }

    // MARK: Bad input

    /// Flags that cannot be used, the exit code, and words that must be said of them.
    struct Bad: Sendable, CustomTestStringConvertible {
        var flags: [String]
        var environment: [String: String] = [:]
        var input = ""
        var status: Int32
        var words: [String]

        var testDescription: String { (flags + environment.keys).joined(separator: " ") }
    }

    static let bad = [
        Bad(flags: ["--p12", "missing.p12"], status: 66, words: ["missing.p12"]),
        Bad(
            flags: ["--p12", "certs/sandbox.p12"], status: 77,
            words: ["sandbox.p12", "passphrase", "--passphrase-file", "PUSHSEND_PASSPHRASE"]),
        Bad(
            flags: ["--p12", "certs/sandbox.p12"], environment: ["PUSHSEND_PASSPHRASE": "other"], status: 77,
            words: ["sandbox.p12", "wrong"]),
        Bad(
            flags: ["--p12", "certs/sandbox.p12", "--passphrase-file", "-"], input: "\u{FEFF}\n", status: 77,
            words: ["sandbox.p12", "The passphrase you gave is empty."]),
        Bad(
            flags: ["--p12", "certs/sandbox.p12", "--passphrase-file", "missing.txt"], status: 66,
            words: ["--passphrase-file"]),
        Bad(
            flags: ["--p12", "certs/sandbox.p12", "--passphrase-file", "-"], status: 65,
            words: ["nothing on standard input"]),
        Bad(
            flags: ["--p12", "certs/several.p12"] + opened, status: 64,
            words: ["Apple Development IOS", "Apple Production IOS", "--identity"]),
        Bad(
            flags: ["--p12", "certs/several.p12", "--identity", "VoIP"] + opened, status: 64,
            words: ["VoIP", "Apple Production IOS", "--identity"]),
        Bad(flags: ["--p12", "certs/expired.p12"] + opened + app, status: 77, words: ["expired", "2025-01-01"]),
        Bad(
            flags: ["--p12", "certs/sandbox.p12", "-e", "production"] + opened, status: 64,
            words: ["sandbox", "production", "-e"]),
        Bad(
            flags: ["--p12", "certs/sandbox.p12"] + opened, environment: ["PUSHSEND_ENVIRONMENT": "production"],
            status: 64, words: ["sandbox", "production"]),
        Bad(
            flags: ["--p12", "certs/sandbox.p12", "--topic", "com.example.other"] + opened, status: 65,
            words: ["com.example.other", "com.example.app"]),
        Bad(
            flags: ["--p12", "certs/universal.p12", "--push-type", "mdm"] + opened, status: 64,
            words: ["--topic", "com.example.app.voip", "com.example.app.complication"]),
        Bad(flags: ["--p12", "certs/plain.p12"] + opened, status: 64, words: ["--topic"]),
        Bad(flags: ["--p12", "certs/universal-combined.pem"] + app, status: 77, words: ["PEM"]),
        Bad(flags: ["--cert", "certs/universal.p12"] + opened + app, status: 77, words: [".p12"]),
        Bad(
            flags: ["--cert", "certs/universal-certificate.pem"] + app, status: 77, words: ["no private key", ".p12"]),
        Bad(
            flags: ["--cert", "certs/universal-certificate.pem", "--cert-key", "certs/server.key"] + app, status: 77,
            words: ["doesn't belong"]),
        Bad(flags: ["--key", "aps.cer"] + app, status: 77, words: ["aps.cer", "no private key", ".p12"]),
        Bad(flags: ["--key", "certs/universal.p12"] + app, status: 77, words: ["Give it with --p12."]),
        Bad(flags: ["--p12", "certs/universal-key.pem"] + app, status: 77, words: ["A .p8 belongs to --key"]),
        Bad(flags: ["--cert", "certs/universal-key.pem"] + app, status: 77, words: ["A .p8 belongs to --key"]),
        Bad(
            flags: ["--cert", "certs/universal-key.pem", "--cert-key", "certs/universal-certificate.pem"] + app,
            status: 77, words: ["Here, the options are --cert and --cert-key."]),
        Bad(flags: ["--key", "nothere.p8"] + app, status: 66, words: ["nothere.p8"]),
        Bad(
            flags: ["--p12", "certs/sandbox.p12", "--endpoint", "api.push.apple.com:443"] + opened, status: 64,
            words: ["api.push.apple.com", "Apple Development IOS Push Services"]),
        Bad(flags: ["--p12", "aps.cer"] + app, status: 77, words: ["aps.cer", "no private key", "Keychain", ".p12"]),
        Bad(flags: ["--cert", "aps.cer"] + app, status: 77, words: ["aps.cer", "no private key", "Keychain", ".p12"]),
        Bad(
            flags: ["--key", "aps.cer", "--key-id", "ABC123DEFG", "--team-id", "DEF123GHIJ"] + app, status: 77,
            words: ["aps.cer", "no private key", ".p12"]),
        Bad(
            flags: ["--cert", "certs/universal-certificate.pem", "--key", "certs/universal-key.pem"], status: 64,
            words: ["--key is a .p8", "--cert-key"]),
        Bad(flags: ["--p12", "a.p12", "--cert", "a.pem"], status: 64, words: ["--p12", "--cert"]),
        Bad(flags: ["--cert-key", "a.pem"], status: 64, words: ["--cert-key", "--cert"]),
        Bad(flags: ["--identity", "a"], status: 64, words: ["--identity", "--p12"]),
        Bad(
            flags: app, environment: ["PUSHSEND_P12": "a.p12", "PUSHSEND_KEY": "a.p8"], status: 64,
            words: ["PUSHSEND_KEY", "--p12"]),
    ]

    @Test(arguments: bad)
    func `what cannot be used is refused with the reason`(_ bad: Bad) async throws {
        try await workspace.prepare("openssl x509 -in certs/universal-certificate.pem -outform der -out aps.cer")
        let ended = try await dryRun(bad.flags, bad.environment, input: bad.input)
        expectComplaint(ended, bad.status, bad.words)
    }

    @Test(arguments: [
        ["--passphrase", "s3cret-word"], ["-p", "s3cret-word"], ["--password", "s3cret-word"], ["-ps3cret-word"],
        ["-P", "s3cret-word"], ["--p12-password", "s3cret-word"], ["--key", "x.p12:s3cret-word"],
        ["--pass", "s3cret-word"],
        ["--p12", "certs/sandbox.p12:s3cret-word"], ["--cert", "missing.pem:s3cret-word"],
    ])
    func `a passphrase in the command line is refused with the ways out, and not repeated`(
        flags: [String]
    ) async throws {
        let ended = try await dryRun(flags)
        expectRefusal(ended, 64, "--passphrase-file", "PUSHSEND_PASSPHRASE")
        #expect(!ended.errors.contains("s3cret-word"))
    }

    @Test func `standard input cannot hold both payload and passphrase`() async throws {
        let ended = try await workspace.pushsend(
            ["send", RunningMock.token, "--p12", "certs/sandbox.p12", "--passphrase-file", "-", "--payload", "-"],
            input: "example\n{}")
        expectRefusal(ended, 64, "Standard input")
    }

    @Test func `--as-curl shows the same files, and no passphrase`() async throws {
        let flags = ["--p12", "certs/sandbox.p12"] + Self.opened
        let ended = try await workspace.pushsend(["send", RunningMock.token, "-m", "x", "--as-curl"] + flags)
        #expect(ended.output.contains("--cert \(workspace.path("certs/sandbox.p12")) --cert-type P12"))
        #expect(ended.output.contains("--pass \"$(head -n 1 \(workspace.path("certs/passphrase.txt")))\""))
        #expect(!ended.output.contains("authorization"))
        let pem = try await workspace.pushsend(
            [
                "send", RunningMock.token, "-m", "x", "--as-curl", "--cert", "certs/universal-certificate.pem",
                "--cert-key", "certs/universal-key.pem",
            ] + Self.app)
        #expect(pem.output.contains("--cert \(workspace.path("certs/universal-certificate.pem")) \\\n"))
        #expect(pem.output.contains("--key \(workspace.path("certs/universal-key.pem")) \\\n"))
    }

    private func dryRun(
        _ flags: [String], _ environment: [String: String] = [:], input: String = ""
    ) async throws -> Ended {
        try await workspace.pushsend(
            ["send", RunningMock.token, "-m", "x", "--dry-run"] + flags, environment: environment, input: input)
    }

    private func expectComplaint(_ ended: Ended, _ status: Int32, _ words: [String]) {
        #expect(ended.status == status, "\(ended.errors)")
        #expect(ended.output == "")
        #expect(ended.errorLines.count == 1, "\(ended.errors)")
        #expect(ended.errors.hasPrefix("pushsend: "), "\(ended.errors)")
        for word in words { #expect(ended.errors.contains(word), "\(ended.errors)") }
    }
}
