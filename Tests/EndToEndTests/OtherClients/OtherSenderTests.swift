import Foundation
import TestSupport
import Testing

/// Senders that others wrote, set up as `docs/mock.md` says. Each pushes once, once to a device token that is
/// gone, and twenty times at once.
@Suite(.takingTurns) struct OtherSenderTests {
    @Test func `aioapns, which offers no ALPN, gets through, and each push says so`() async throws {
        var answers: [JSON] = []
        let log = try await RunningMock.with("--unregistered", CurlTests.gone) { mock in
            answers = try await mock.aioapns("steady")
        }
        expectThreeSteps(answers, log, allowance: "ALPN")
    }

    @Test func `aioapns with twenty pushes at once on a fresh connection loses none`() async throws {
        var answers: [JSON] = []
        let log = try await RunningMock.with { mock in
            answers = try await mock.aioapns("burst")
        }
        #expect(answers.map { $0["status"] } == Array(repeating: 200, count: 20))
        #expect(log.map { $0["status"] } == Array(repeating: 200, count: 20))
        #expect(acceptedIDs(answers) == acceptedIDs(log))
    }

    @Test(.enabled(if: BuiltProgram.pythonHas("kalyke"), "kalyke needs Python 3.11, and is not in .build/venv"))
    func `kalyke, whose iat is text, gets through on a connection for each push`() async throws {
        let python = try #require(BuiltProgram.python)
        var answers: [JSON] = []
        let log = try await RunningMock.with("--unregistered", CurlTests.gone) { mock in
            answers = try await mock.answers(
                of: [
                    python, BuiltProgram.client("kalyke_push.py"), "\(mock.port)", mock.keyFile,
                    RunningMock.topic, RunningMock.token, CurlTests.gone,
                ], environment: ["SSL_CERT_FILE": mock.caFile])
        }
        expectThreeSteps(answers, log, allowance: "iat is a string")
        #expect(Set(log.map { $0["connection"]?.integer }).count == 22)
    }

    @Test(.enabled(if: BuiltProgram.isInstalled("javac"), "there is no JDK here"))
    func `Java's HttpClient gets through on one connection`() async throws {
        var answers: [JSON] = []
        let log = try await RunningMock.with("--unregistered", CurlTests.gone) { mock in
            answers = try await mock.answers(of: [
                "java", BuiltProgram.client("JavaPush.java"), "https://localhost:\(mock.port)", mock.caFile,
                try await mock.providerToken(), RunningMock.topic, RunningMock.token, CurlTests.gone,
            ])
        }
        expectThreeSteps(answers, log)
        #expect(answers.allSatisfy { $0["version"] == "HTTP_2" })
        #expect(Set(log.map { $0["connection"]?.integer }) == [1])
    }

    /// pushok is libcurl with a token whose algorithm is called ES512; a2 writes its tokens in standard base64.
    @Test(arguments: [("usual", nil), ("es512", "ES512"), ("standard-base64", "standard base64")])
    func `curl gets through, with usual provider tokens and with those of pushok and a2`(
        form: String, words: String?
    ) async throws {
        var answers: [JSON] = []
        let log = try await RunningMock.with("--unregistered", CurlTests.gone) { mock in
            let token = try await form == "usual" ? mock.providerToken() : mock.providerToken(of: form)
            for devices in [RunningMock.token, CurlTests.gone, "\(RunningMock.token)#[1-20]"] {
                answers += try await mock.curlAnswers(devices, authorization: "bearer \(token)")
            }
        }
        expectThreeSteps(answers, log, allowance: words)
    }

    // MARK: Holding both sides against each other

    /// The client and the log of the mock agree: 21 accepted with the same ids, one for a token that is gone, and no other allowance.
    private func expectThreeSteps(
        _ answers: [JSON], _ log: [JSON], allowance words: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for side in [answers, log] {
            #expect(side.count == 22, sourceLocation: sourceLocation)
            let rejected = side.filter { $0["status"] != 200 }
            #expect(rejected.map { $0["status"] } == [410], sourceLocation: sourceLocation)
            #expect(rejected.map { $0["reason"] } == ["Unregistered"], sourceLocation: sourceLocation)
        }
        #expect(acceptedIDs(answers).count == 21, sourceLocation: sourceLocation)
        #expect(acceptedIDs(answers) == acceptedIDs(log), sourceLocation: sourceLocation)
        #expect(log.allSatisfy { $0["answered"] == nil }, sourceLocation: sourceLocation)
        for line in log where line["status"] == 200 {
            let facts = (line["allowances"]?.elements ?? []).compactMap { $0["fact"]?.string }
            // That it takes unknown device tokens is the mock's default. Streams may come before its SETTINGS do.
            let own = facts.filter { !$0.contains("unknown device tokens") && !$0.contains("announced limit") }
            #expect(own.count == (words == nil ? 0 : 1), "\(facts)", sourceLocation: sourceLocation)
            #expect(own.allSatisfy { $0.contains(words ?? "") }, "\(facts)", sourceLocation: sourceLocation)
        }
    }

    private func acceptedIDs(_ side: [JSON]) -> Set<String> {
        Set(side.filter { $0["status"] == 200 }.compactMap { $0["apns_id"]?.string })
    }
}

extension RunningMock {
    fileprivate var keyFile: String {
        get throws { try #require(ready["key_file"]?.string) }
    }

    /// Runs a client that prints a JSON object for each answer.
    fileprivate func answers(of command: [String], environment: [String: String] = [:]) async throws -> [JSON] {
        let ended = try await workspace.start(URL(filePath: "/usr/bin/env"), command, environment: environment).end()
        #expect(ended.status == 0, "\(ended.errors)")
        return ended.output.split(separator: "\n").map { JSON(parsing: String($0)) }
    }

    fileprivate func aioapns(_ order: String) async throws -> [JSON] {
        let python = try BuiltProgram.preparedPython(with: "aioapns")
        return try await answers(of: [
            python, BuiltProgram.client("aioapns_push.py"), order, "\(port)", caFile, keyFile, Self.topic, Self.token,
            CurlTests.gone,
        ])
    }

    /// A provider token as another library writes it.
    fileprivate func providerToken(of form: String) async throws -> String {
        let python = try BuiltProgram.preparedPython(with: "cryptography")
        let made = try await workspace.run([
            python, BuiltProgram.client("provider_token.py"), form, keyFile, "MOCKKEY123", "MOCKTEAM12",
        ])
        #expect(made.errors == "")
        return made.output.trimmingCharacters(in: .newlines)
    }

    /// One run of curl for all device tokens that its pattern `devices` stands for, at once.
    fileprivate func curlAnswers(_ devices: String, authorization: String) async throws -> [JSON] {
        let written = #"\n{"status":%{http_code},"apns_id":"%header{apns-id}"}\n"#
        let flags = ["-sS", "--http2", "--parallel", "--max-time", "250", "--noproxy", "*", "--cacert", caFile]
        let headers = (Self.usualHeaders + ["authorization: \(authorization)"]).flatMap { ["-H", $0] }
        let ended = try await workspace.run(
            ["curl"] + flags + headers
                + ["-d", Self.payload, "-w", written, "https://localhost:\(port)/3/device/\(devices)"])
        #expect(ended.status == 0, "\(ended.errors)")
        let lines = ended.output.split(separator: "\n").map(String.init)
        let reason = lines.lazy.compactMap { JSON(parsing: $0)["reason"]?.string }.first
        return lines.filter { $0.hasPrefix(#"{"status""#) }.map { line in
            JSON(parsing: reason.map { line.dropLast() + #","reason":"\#($0)"}"# } ?? line)
        }
    }
}
