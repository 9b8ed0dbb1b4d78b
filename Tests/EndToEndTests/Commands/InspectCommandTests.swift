import Foundation
import TestSupport
import Testing

@Suite(.takingTurns) struct InspectCommandTests {
    @Test func `a key is recognised, with the id in its name`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let ended = try await workspace.pushsend("inspect", key)
        #expect(ended.status == 0)
        #expect(ended.errors == "")
        #expect(ended.output.hasPrefix("\(key): a key for provider tokens\n"))
        #expect(ended.output.contains("ABC123DEFG"))
        let json = try await workspace.pushsend("inspect", key, "--json").json
        #expect(
            json == ["kind": "key", "file": .string(key), "key_id": "ABC123DEFG", "readable": true, "usable": true])
    }

    @Test func `a certificate authority is named as one, with the flag that takes it`() async throws {
        try await RunningMock.with { mock in
            let ended = try await mock.workspace.pushsend("inspect", "mock/ca.pem")
            #expect(ended.status == 77)
            #expect(ended.output.contains("certificate authority (CA)"), "\(ended.output)\(ended.errors)")
            #expect(ended.output.contains("--cacert"))
        }
    }

    @Test func `a list of lines, results and a folder are named, each with its exit code`() async throws {
        let workspace = try Workspace()
        try workspace.write("token,name\n00,Ann\n", to: "people.csv")
        try workspace.write("{\"token\":\"00\",\"outcome\":\"accepted\"}\n", to: "results.jsonl")
        expectRefusal(try await workspace.pushsend("inspect", "people.csv"), 65, "pushsend batch FILE")
        expectRefusal(try await workspace.pushsend("inspect", "results.jsonl"), 65, "results of a campaign")
        expectRefusal(try await workspace.pushsend("inspect", "."), 66, "is a folder, not a file")
    }

    @Test func `a key that others may read has a note`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        try await workspace.prepare("chmod 644 \(key)")
        let ended = try await workspace.pushsend("inspect", key)
        #expect(ended.status == 0)
        #expect(ended.output.contains("chmod 600"))
    }

    @Test func `what jwt prints is taken now, and signed with its key`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let other = try await workspace.makeKey(named: "other.p8")
        let token = try await workspace.pushsend("jwt", "--key", key, "--team-id", Workspace.teamID).output
            .trimmingCharacters(in: .newlines)
        let ended = try await workspace.pushsend("inspect", token, "--key", key)
        #expect(ended.status == 0)
        for words in ["ABC123DEFG", "DEF123GHIJ", "ES256", "from the key in \"\(key)\"", "accepts it now"] {
            #expect(ended.output.contains(words))
        }
        let json = try await workspace.pushsend("inspect", "Authorization: bearer \(token)", "--key", key, "--json")
            .json
        #expect(
            json.keys == [
                "kind", "readable", "usable", "key_id", "team_id", "algorithm", "issued_at", "expires_at", "signature",
            ])
        #expect(json["signature"] == "right")

        let wrong = try await workspace.pushsend("inspect", token, "--key", other)
        #expect(wrong.status == 77)
        #expect(wrong.output.contains("a key other than \"other.p8\""))
        let piped = try await workspace.pushsend("inspect", "-", "--json", input: token + "\n")
        #expect(piped.json["kind"] == "provider_token")
        #expect(piped.json["signature"] == "not_checked")
    }

    @Test func `a device token is read as send reads it`() async throws {
        let workspace = try Workspace()
        let pasted = try await workspace.pushsend(
            "inspect", "Registered with device token: \(RunningMock.token)", "--json")
        #expect(pasted.status == 0)
        #expect(pasted.json["token"]?.string == RunningMock.token)
        #expect(pasted.json.keys == ["kind", "readable", "usable", "token", "digits", "probable_kind", "notes"])
        let shown = try await workspace.pushsend("inspect", RunningMock.token)
        #expect(shown.output.hasPrefix("5f3ad1c0…4286: a device token\n"))
        #expect(!shown.output.contains(RunningMock.token))
        expectRefusal(
            try await workspace.pushsend("inspect", String(RunningMock.token.dropLast())), 65, "63 hex digits",
            "odd number"
        )
    }

    @Test func `of several things each has its block, and the worst is the exit code`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let ended = try await workspace.pushsend("inspect", key, RunningMock.token, "rsa.p8")
        #expect(ended.status == 66)
        #expect(ended.output.contains("provider tokens\n"))
        #expect(ended.output.contains("\n\n5f3ad1c0…4286: a device token\n"))
        #expect(ended.errors == "pushsend: There is no file \"rsa.p8\": check the path.\n")
        let json = try await workspace.pushsend("inspect", key, RunningMock.token, "rsa.p8", "--json")
        #expect(json.errors == "")
        let kinds = json.output.split(separator: "\n").map { JSON(parsing: String($0))["kind"]?.string }
        #expect(kinds == ["key", "device_token", "other"])
    }

    // MARK: What cannot be used

    /// How a file is made that is no key, and what must be said of it.
    struct WrongFile: Sendable, CustomTestStringConvertible {
        var what: String
        var script: String
        var words: [String]
        var status: Int32 = 77

        var testDescription: String { what }
    }

    private static let newKey = "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256"

    static let wrongFiles = [
        WrongFile(
            what: "an encrypted key", script: "\(newKey) | openssl pkcs8 -topk8 -passout pass:secret -out file",
            words: ["encrypted", "openssl pkey"]),
        WrongFile(
            what: "an RSA key", script: "openssl genpkey -algorithm RSA -out file 2>/dev/null", words: ["RSA", "P-256"]),
        WrongFile(
            what: "a key in DER", script: "\(newKey) -outform DER -out file", words: ["DER", "openssl pkey -inform"]),
        WrongFile(
            what: "a signing request",
            script: "\(newKey) -out other.pem; openssl req -new -key other.pem -subj /CN=x -out file",
            words: ["signing request", "developer.apple.com"]),
        WrongFile(
            what: "a signing request in DER",
            script: "\(newKey) -out other.pem; openssl req -new -key other.pem -subj /CN=x -outform DER -out file",
            words: ["signing request"]),
        WrongFile(
            what: "a provisioning profile",
            script: """
                \(newKey) -out k.pem; openssl req -x509 -key k.pem -subj /CN=x -out c.pem
                echo '<plist version="1.0"><dict/></plist>' |
                openssl cms -sign -nodetach -binary -signer c.pem -inkey k.pem -outform DER -out file
                """,
            words: ["provisioning profile", "aps-environment"]),
        WrongFile(
            what: "a payload", script: #"echo '{"aps":{"alert":"Hello"}}' > file"#,
            words: ["payload", "pushsend lint"],
            status: 65),
        WrongFile(what: "nothing", script: ": > file", words: ["empty"], status: 65),
        WrongFile(what: "a folder", script: "mkdir file", words: ["folder"], status: 66),
    ]

    @Test(arguments: wrongFiles)
    func `a file that is something else is named, with what to do`(wrong: WrongFile) async throws {
        let workspace = try Workspace()
        try await workspace.prepare(wrong.script)
        let ended = try await workspace.pushsend("inspect", "file")
        expectRefusal(ended, wrong.status, "\"file\"")
        for word in wrong.words { #expect(ended.errors.contains(word), "\(ended.errors)") }
        let json = try await workspace.pushsend("inspect", "file", "--json")
        #expect(json.status == wrong.status)
        #expect(json.json["readable"] == false)
        #expect(json.json["problem"]?.string?.isEmpty == false)
    }

    @Test func `what is not there is exit code 66`() async throws {
        let workspace = try Workspace()
        expectRefusal(try await workspace.pushsend("inspect", "push.p12"), 66, "\"push.p12\"", "no file")
        expectRefusal(try await workspace.pushsend("inspect", "word"), 66, "\"word\"", "no such file")
        expectRefusal(try await workspace.pushsend("inspect", RunningMock.token, "--key", "no.p8"), 66, "\"no.p8\"")
    }

    @Test func `the text of a key where its file belongs is not repeated`() async throws {
        let workspace = try Workspace()
        let text = try workspace.read(try await workspace.makeKey())
        expectRefusal(try await workspace.pushsend("inspect", text), 64, "text of a key")
        expectRefusal(try await workspace.pushsend("inspect", "--", text), 66, "text of a key")
    }

    @Test func `without a thing, and with nothing on standard input, it says so`() async throws {
        let workspace = try Workspace()
        expectRefusal(try await workspace.pushsend("inspect"), 64, "thing")
        expectRefusal(try await workspace.pushsend("inspect", "-"), 65, "Standard input is empty")
    }
}
