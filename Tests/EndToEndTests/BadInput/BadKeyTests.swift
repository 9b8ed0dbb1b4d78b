import Foundation
import TestSupport
import Testing

@Suite(.takingTurns) struct BadKeyTests {
    /// How a key file is made that cannot sign, and what must be said of it.
    struct BadKey: Sendable, CustomTestStringConvertible {
        var what: String
        var script: String
        var words: [String]

        var testDescription: String { what }
    }

    private static let newKey = "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256"

    static let badKeys = [
        BadKey(
            what: "encrypted", script: "\(newKey) | openssl pkcs8 -topk8 -passout pass:secret -out key.p8",
            words: ["encrypted", "downloaded", "openssl pkey"]),
        BadKey(
            what: "RSA", script: "openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out key.p8 2>/dev/null",
            words: ["RSA", "P-256", "AuthKey_"]),
        BadKey(
            what: "P-384", script: "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384 -out key.p8",
            words: ["P-384", "P-256", "AuthKey_"]),
        BadKey(
            what: "cut off", script: "\(newKey) | head -c 150 > key.p8", words: ["incomplete", "copy the original"]),
        BadKey(
            what: "a certificate",
            script: """
                \(newKey) -out other.pem &&
                openssl req -x509 -key other.pem -subj /CN=example -days 1 -out key.p8
                """,
            words: ["certificate", "AuthKey_", ".p12"]),
        BadKey(what: "empty", script: ": > key.p8", words: ["AuthKey_"]),
        BadKey(what: "something else", script: "echo Hello > key.p8", words: ["AuthKey_"]),
    ]

    @Test(arguments: badKeys)
    func `a key file that cannot sign is refused before anything is sent`(_ bad: BadKey) async throws {
        let workspace = try Workspace()
        try await workspace.prepare("\(bad.script); chmod 600 key.p8")
        let requests = try await RunningMock.with(in: workspace) { mock in
            let ended = try await mock.send(signedWith: "key.p8", "--key-id", Workspace.keyID)
            expectRefusal(ended, 77, "\"key.p8\"")
            for word in bad.words { #expect(ended.errors.contains(word), "\(ended.errors)") }
        }
        #expect(requests.isEmpty)
    }

    @Test func `a key file that is not there is exit code 66`() async throws {
        let ended = try await Workspace().pushsend(Self.send + ["--key", "AuthKey_ABC123DEFG.p8"])
        expectRefusal(ended, 66, "AuthKey_ABC123DEFG.p8")
    }

    @Test func `the text of a key where its file belongs is not repeated, and the variable for it is named`()
        async throws
    {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let text = try workspace.read(key)
        // A text that begins with hyphens looks like an option, unless it follows =.
        for (flags, variables, status) in [
            ([], ["PUSHSEND_KEY": text], 66), (["--key=\(text)"], [:], 66), (["--key", text], [:], 64),
        ] as [([String], [String: String], Int32)] {
            let ended = try await workspace.pushsend(
                Self.send + ["--key-id", Workspace.keyID] + flags, environment: variables)
            expectRefusal(ended, status, "text of a key", "the variable PUSHSEND_KEY_PEM")
            #expect(!ended.errors.contains(text.split(separator: "\n")[1]))
        }
    }

    @Test(arguments: [
        (["--key-id", "ABC123"], ["key id", "ABC123", "6 characters", "AuthKey_"]),
        (["--key-id", "ABC123DEF/"], ["key id", "letters and digits"]),
        (["--team-id", "DEF123GHIJK"], ["team id", "11 characters", "Membership"]),
        (["--key-id", "DEF123GHIJ", "--team-id", "ABC123DEFG"], ["swapped", "ABC123DEFG"]),
    ])
    func `an impossible id is refused, with the place of the right one`(
        flags: [String], words: [String]
    ) async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let team = flags.contains("--team-id") ? [] : ["--team-id", Workspace.teamID]
        let ended = try await workspace.pushsend(
            ["send", RunningMock.token, "--topic", "com.example.app", "-m", "x", "--key", key] + team + flags)
        expectRefusal(ended, 64)
        for word in words { #expect(ended.errors.contains(word), "\(ended.errors)") }
    }

    @Test func `what is missing to sign with is asked for, one thing after the other`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey(named: "renamed.p8")
        let send = ["send", RunningMock.token, "--topic", "com.example.app", "-m", "x"]
        expectRefusal(try await workspace.pushsend(send), 64, "--key", "--mock")
        expectRefusal(try await workspace.pushsend(send + ["--key", key]), 64, "--key-id", "AuthKey_")
        expectRefusal(
            try await workspace.pushsend(send + ["--key", key, "--key-id", Workspace.keyID]), 64, "--team-id",
            "Membership")
    }

    @Test func `a key file that others may read is warned of, and used`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        try await workspace.prepare("chmod 644 \(key)")
        try await RunningMock.with("--trust-key", key, "--team-id", Workspace.teamID, in: workspace) { mock in
            let ended = try await mock.send(signedWith: key)
            #expect(ended.status == 0)
            #expect(ended.errors.hasPrefix("warning: "))
            #expect(ended.errors.contains(key))
            #expect(ended.errors.contains("chmod 600"))
            #expect(ended.errorLines.count == 1)
        }
    }

    @Test func `an id that is not the one in the file's name is warned of`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let ended = try await workspace.pushsend(
            Self.send + ["--key", key, "--key-id", "XYZ123DEFG", "--dry-run"])
        #expect(ended.status == 0)
        #expect(ended.errors.hasPrefix("warning: "))
        #expect(ended.errors.contains("ABC123DEFG"))
    }

    private static let send = [
        "send", RunningMock.token, "--topic", "com.example.app", "-m", "x", "--team-id", Workspace.teamID,
    ]
}
