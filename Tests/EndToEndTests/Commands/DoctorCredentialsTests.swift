import Foundation
import TestSupport
import Testing

/// `pushsend doctor` with keys, certificates and topics, and with the server's answers to them.
@Suite(.takingTurns) struct DoctorCredentialsTests {
    private static let rejecting = ["--unknown-tokens", "reject"]

    @Test func `a key that the server does not know`() async throws {
        try await RunningMock.with { mock in
            let key = try await mock.workspace.makeKey()
            let found = try await mock.workspace.doctor([
                "--key", key, "--team-id", Workspace.teamID, "--topic", RunningMock.topic,
                "--endpoint", "localhost:\(mock.port)", "--cacert", "mock/ca.pem",
            ])
            found.expect("credentials", "failed", exit: 77, fact: "InvalidProviderToken")
            found.expect("ok", of: "key", "ping")
            #expect(found.hop("key")?["file_name_fits"] == .bool(true))
        }
    }

    @Test func `the given topic chooses the environment`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let ended = try await workspace.pushsend(
            "doctor", "--offline", "--key", key, "--team-id", Workspace.teamID, "--topic", "pass.com.example.card")
        #expect(ended.output.hasPrefix("pushsend doctor: api.push.apple.com:443"), "\(ended.output)\(ended.errors)")
    }

    @Test func `a clock that is wrong, by the date of the answer`() async throws {
        let fault = """
            {"steps":[{"answer":{"status":403,"reason":"ExpiredProviderToken",
             "headers":{"date":"Sun, 06 Nov 1994 08:49:37 GMT"}}}]}
            """
        try await RunningMock.with("--fault", fault) { mock in
            let found = try await mock.doctor()
            found.expect("credentials", "failed", exit: 77, fact: "ExpiredProviderToken")
            found.expect("failed", of: "clock")
            #expect(found.hop("clock")?["fact"]?.string?.contains("ahead of the server's") == true)
            #expect(found.hop("clock")?["remedy"]?.string?.contains("NTP") == true)
        }
    }

    @Test(arguments: [
        (400, "TopicDisallowed", "failed", 77), (403, "BadEnvironmentKeyInToken", "failed", 77),
        (503, "ServiceUnavailable", "not_known", 75), (429, "TooManyRequests", "not_known", 75),
        (410, "Unregistered", "ok", 0), (400, "DeviceTokenNotForTopic", "ok", 0), (404, "BadPath", "failed", 69),
    ])
    func `the answer to the made-up token`(status: Int, reason: String, result: String, exit: Int32) async throws {
        let fault = #"{"steps":[{"answer":{"status":\#(status),"reason":"\#(reason)"}}]}"#
        try await RunningMock.with("--fault", fault) { mock in
            let found = try await mock.doctor()
            found.expect("credentials", result, exit: exit, fact: "\(status) \(reason)")
        }
    }

    @Test func `no answer to the test push`() async throws {
        try await RunningMock.with("--fault", #"{"steps":["no_answer"]}"#) { mock in
            let found = try await mock.doctor {
                $0.hop("credentials")?["fact"]?.string?.contains("No answer") == true
            }
            found.expect("credentials", "not_known", exit: 75, fact: "No answer")
        }
    }

    @Test func `certificates that are expired, refused, or of the other environment`() async throws {
        let workspace = try Workspace()
        try await workspace.makeCertificates()
        let opened = ["--passphrase-file", "certs/passphrase.txt"]
        let flags = ["--certs", workspace.path("certs")] + Self.rejecting
        try await RunningMock.with(flags, in: workspace) { mock in
            let there = ["--endpoint", "localhost:\(mock.port)", "--cacert", "certs/ca.pem"] + opened
            let good = try await workspace.doctor(there + ["--p12", "certs/universal.p12"])
            good.expect("credentials", "ok", exit: 0)
            #expect(good.hop("credentials")?["topic"] == "com.example.app")
            #expect(good.hop("certificate")?["topics"]?.elements.count == 3)

            let expired = try await workspace.doctor(there + ["--p12", "certs/expired.p12"])
            expired.expect("certificate", "failed", exit: 77, fact: "expired", "2025-01-01")
            expired.expect("ok", of: "tls", "ping")
            expired.expect("skipped", of: "credentials")

            let other = try await workspace.doctor(there + ["--p12", "certs/production.p12"])
            other.expect("credentials", "failed", exit: 77, fact: "BadCertificateEnvironment")
        }
        let refusing = #"{"at":"connection_accepted","steps":[{"tls":{"client_certificate":"revoked"}}]}"#
        try await RunningMock.with(flags + ["--fault", refusing], in: workspace) { mock in
            let there = ["--endpoint", "localhost:\(mock.port)", "--cacert", "certs/ca.pem"] + opened
            let revoked = try await workspace.doctor(there + ["--p12", "certs/universal.p12"])
            revoked.expect("credentials", "failed", exit: 77, fact: "revoked")
        }
    }

    @Test func `files that cannot be used make their hop fail, with their usual exit codes`() async throws {
        let workspace = try Workspace()
        let team = ["--team-id", Workspace.teamID, "--offline"]
        let missing = try await workspace.doctor(["--key", "AuthKey_ABC123DEFG.p8"] + team)
        missing.expect("key", "failed", exit: 66, fact: "AuthKey_ABC123DEFG.p8")
        try workspace.write("not a key", to: "AuthKey_XYZ123DEFG.p8")
        let damaged = try await workspace.doctor(["--key", "AuthKey_XYZ123DEFG.p8"] + team)
        damaged.expect("key", "failed", exit: 77, remedy: "pushsend inspect")
        let key = try await workspace.makeKey()
        let shortID = try await workspace.doctor(["--key", key, "--key-id", "ABC"] + team)
        shortID.expect("key", "failed", exit: 64, fact: "has 3 characters")
        let otherID = try await workspace.doctor(["--key", key, "--key-id", "ZZZ123DEFG"] + team)
        otherID.expect("key", "warning", exit: 1, remedy: "has the key id ABC123DEFG")
        #expect(otherID.errors == "")
    }

    @Test func `without credentials or a topic, it says how to give them`() async throws {
        try await RunningMock.with { mock in
            let there = ["--endpoint", "localhost:\(mock.port)", "--cacert", "mock/ca.pem"]
            let none = try await mock.workspace.doctor(there)
            none.expect("credentials", "skipped", exit: 0, remedy: "--key", "--p12", "--topic")
            #expect(none.json["conclusion"]?.string?.contains("weren't tried") == true)
            let broken = try await mock.workspace.doctor(["--mock", "--state", "mock", "--topic", "a\r\nb: c"])
            broken.expect("credentials", "failed", exit: 64, remedy: "--topic")
            let noTopic = try await mock.workspace.doctor(["--mock", "--state", "mock"])
            noTopic.expect("credentials", "skipped", exit: 0, remedy: "--topic")
        }
    }

    @Test func `a profile gives the key, the server and the topic`() async throws {
        try await RunningMock.with("--unknown-tokens", "reject") { mock in
            let workspace = mock.workspace
            try await workspace.prepare("mkdir -p home/.config/pushsend")
            try workspace.write(
                """
                profiles:
                  shop:
                    key: \(workspace.path("mock/AuthKey_MOCKKEY123.p8"))
                    team_id: MOCKTEAM12
                    topic: \(RunningMock.topic)
                    endpoint: localhost:\(mock.port)
                    cacert: \(workspace.path("mock/ca.pem"))
                """, to: "home/.config/pushsend/config.yaml")
            try await workspace.doctor(["--profile", "shop"]).expect("credentials", "ok", exit: 0)
        }
    }
}
