import Foundation
import TestSupport
import Testing

/// Frames that no library of ours would send: what comes back, and what stands in the log.
@Suite(.takingTurns) struct RawFrameTests {
    private static var python: String {
        get throws {
            try BuiltProgram.preparedPython()
        }
    }

    /// What was answered, and the lines of the log.
    private static func run(
        _ name: String, _ flags: [String] = [],
        token: (RunningMock) async throws -> String = { try await $0.providerToken() }
    ) async throws -> (frames: [String], log: [JSON]) {
        let python = try python
        var frames: [String] = []
        let log = try await RunningMock.with(flags) { mock in
            let ended = try await mock.workspace.run([
                python, BuiltProgram.client("h2_frames.py"), name, "\(mock.port)", mock.caFile,
                "bearer \(try await token(mock))",
            ])
            #expect(ended.errors == "")
            frames = ended.output.split(separator: "\n").map(String.init)
        }
        return (frames, log)
    }

    @Test func `HTTP/2 without ALPN is served, and shown as an allowance`() async throws {
        let (frames, log) = try await Self.run("without-alpn")
        #expect(frames == [#"["HEADERS", 1, 200, true]"#])
        #expect(log.map { $0["status"] } == [200])
        let allowances = log.first?["allowances"]?.elements ?? []
        let alpn = allowances.first { $0["id"] == "http2-without-alpn" }
        #expect(alpn?["confidence"] == "2+" && alpn?["fact"]?.string?.contains("ALPN") == true)
    }

    @Test func `a first burst is served, and each stream beyond the limit is an allowance`() async throws {
        let (frames, log) = try await Self.run("first-burst")
        #expect(frames == (0..<20).map { #"["HEADERS", \#(1 + 2 * $0), 200, true]"# })
        #expect(log.map { $0["status"] } == Array(repeating: 200, count: 20))
        let early = log.filter {
            $0["allowances"]?.elements.contains { $0["id"] == "streams-before-settings" } == true
        }
        #expect(early.count == 19)
        let broken = early.compactMap { $0["violations"]?.elements.first?["id"]?.string }
        #expect(broken == Array(repeating: "streams-before-settings", count: 19))
    }

    @Test func `a first burst is refused if the mock is configured so, and each stream has a log line`() async throws {
        let (frames, log) = try await Self.run("first-burst", ["--early-streams", "refuse"])
        #expect(frames.count { $0.hasPrefix(#"["RST_STREAM""#) && $0.hasSuffix(", 7]") } == 19)
        #expect(frames.count { $0.hasPrefix(#"["HEADERS""#) } == 1)
        #expect(log.count { $0["status"] == 200 } == 1)
        #expect(log.count { $0["status"] == 0 && $0["answered"] == false } == 19)
    }

    /// Seen at Apple's.
    @Test func `beyond the acknowledged limit the connection ends with Apple's words`() async throws {
        let (frames, log) = try await Self.run("beyond-acknowledged-limit")
        #expect(
            frames == [
                #"["HEADERS", 1, 200, true]"#,
                #"["GOAWAY", 1, 7, "Maximum active streams violated for this endpoint."]"#, #"["END"]"#,
            ])
        #expect(log.map { $0["status"] } == [200, 0, 0])
        #expect(log.map { $0["answered"] } == [nil, false, false])
        #expect(log.last?["fact_id"] == "streams-beyond-settings" && log.last?["confidence"] == "O")
    }

    @Test func `a request behind the first stream beyond the limit is not answered, as the GOAWAY says`() async throws {
        let (frames, log) = try await Self.run("behind-the-limit")
        #expect(
            frames == [#"["GOAWAY", 1, 7, "Maximum active streams violated for this endpoint."]"#, #"["END"]"#])
        #expect(log.map { $0["status"] } == [0, 0])
        #expect(log.map { $0["answered"] } == [false, false])
        #expect(log.last?["detail"]?.string?.contains("declared this request unprocessed") == true, "\(log)")
    }

    @Test(arguments: [("unfinished-idle-stream", 1), ("unfinished-window-update", 1), ("unfinished-limit", 7)])
    func `a request without its body is logged when its connection ends`(
        name: String, code: Int
    ) async throws {
        let (frames, log) = try await Self.run(name)
        #expect(frames.first?.hasPrefix(#"["GOAWAY", 1, \#(code),"#) == true, "\(frames)")
        #expect(frames.last == #"["END"]"#)
        #expect(log.count == (code == 7 ? 2 : 1), "\(log)")
        #expect(log.last?["status"] == 0)
        #expect(log.last?["answered"] == false)
        #expect(log.last?["check"] == "whole request" && log.last?["fact_id"] == "unfinished-request")
        #expect(log.last?["topic"]?.string == "com.example.app")
        #expect(log.last?["detail"]?.string?.contains("before the request was complete") == true, "\(log)")
    }

    @Test func `a stream beyond the limit ends the connection when its request is not legal either`() async throws {
        let (frames, log) = try await Self.run("unfinished-malformed-limit")
        #expect(frames.contains { $0.hasPrefix(#"["GOAWAY", 1, 7, "Maximum active streams"#) }, "\(frames)")
        #expect(frames.last == #"["END"]"#)
        #expect(log.map { $0["check"]?.string } == ["rules of HTTP/2", "whole request"])
        #expect(log.first?["confidence"] == "O")
    }

    @Test func `early streams beyond the limit are refused, with a log line that says so`() async throws {
        let (frames, log) = try await Self.run("early-cap")
        #expect(frames.contains(#"["RST_STREAM", 2001, 7]"#), "\(frames)")
        #expect(log.count == 1)
        #expect(log.first?["detail"]?.string?.contains("up to 1000 such streams") == true, "\(log)")
        #expect(log.first?["fact_id"] == "streams-before-settings")
        #expect(log.first?["remedy"]?.string?.contains("--early-streams") == false, "\(log)")
    }

    @Test(arguments: [("no-authority", ":authority nor host", 1), ("long-headers", "longer than 16384 bytes", 2)])
    func `a request that HTTP/2 allows and the mock cannot take is not called illegal`(
        name: String, words: String, code: Int
    ) async throws {
        let (frames, log) = try await Self.run(name)
        #expect(frames == [#"["RST_STREAM", 1, \#(code)]"#])
        #expect(log.count == 1)
        #expect(log.first?["answered"] == false)
        #expect(log.first?["detail"]?.string?.contains(words) == true, "\(log)")
        #expect(log.first?["fact_id"] == "unsupported-request", "\(log)")
    }

    @Test(arguments: [#"{"client_certificate":"revoked"}"#, #"{"alpn":"nothing"}"#])
    func `a fault about other things of TLS serves clients without ALPN`(tls: String) async throws {
        let fault = #"{"at":"connection_accepted","steps":[{"tls":\#(tls)}]}"#
        let (frames, log) = try await Self.run("without-alpn", ["--fault", fault])
        #expect(frames == [#"["HEADERS", 1, 200, true]"#])
        #expect(log.map { $0["status"] } == [200])
    }

    @Test func `HEADERS on a stream that was passed over end the connection`() async throws {
        let (frames, log) = try await Self.run("lower-stream-id")
        #expect(frames.count == 3)
        #expect(frames.first == #"["HEADERS", 7, 200, true]"#)
        #expect(frames.dropFirst().first?.hasPrefix(#"["GOAWAY", 7, 1,"#) == true)
        #expect(frames.last == #"["END"]"#)
        #expect(log.map { $0["status"] } == [200])
    }

    @Test(arguments: ["request-after-answer", "data-after-answer", "request-after-reset", "data-after-reset"])
    func `a frame on a stream that the client has finished ends the connection, and is in the log`(
        name: String
    ) async throws {
        let python = try Self.python
        try await RunningMock.with { mock in
            let ended = try await mock.workspace.run([
                python, BuiltProgram.client("h2_frames.py"), name, "\(mock.port)", mock.caFile,
                "bearer \(try await mock.providerToken())",
            ])
            #expect(ended.errors == "")
            let frames = ended.output.split(separator: "\n").map(String.init)
            #expect(frames.suffix(2) == [#"["GOAWAY", 1, 5, ""]"#, #"["END"]"#], "\(frames)")
            #expect(frames.count == (name.hasSuffix("answer") ? 3 : 2), "\(frames)")
            #expect(
                await mock.notice(
                    with: """
                        the client violated HTTP/2, and the mock sent GOAWAY with STREAM_CLOSED: a frame on stream 1, which the \
                        client had ended or reset before
                        """) != nil)
        }
    }

    @Test func `a GOAWAY for too many rejections comes behind the last answer`() async throws {
        let (frames, _) = try await Self.run("basic", ["--set", "errors_before_goaway=1"])
        #expect(
            frames == [
                #"["HEADERS", 1, 403, false]"#, #"["DATA", 1, "{\"reason\":\"InvalidProviderToken\"}", true]"#,
                #"["GOAWAY", 1, 11, ""]"#, #"["END"]"#,
            ])
    }

    @Test func `data on the way when the mock resets its stream does no harm`() async throws {
        let (frames, log) = try await Self.run("data-after-their-reset")
        #expect(frames == [#"["RST_STREAM", 1, 1]"#, #"["HEADERS", 3, 200, true]"#])
        #expect(log.map { $0["status"] } == [0, 200])
    }

    @Test func `an answer that never leaves is not logged as one that did`() async throws {
        let (frames, log) = try await Self.run("lost-answer")
        #expect(frames.count { $0.hasPrefix(#"["HEADERS""#) } == 1)
        #expect(log.map { $0["status"] } == [200, 200])
        #expect(log.map { $0["answered"] } == [nil, false])
    }

    @Test(arguments: [
        ("upper-case-name", #""Apns-Priority""#), ("connection-field", #""connection""#), ("te-gzip", #""te""#),
        ("no-scheme", ":scheme"), ("wrong-content-length", "content-length"),
    ])
    func `a request that is not legal HTTP/2 is reset, and is in the log`(name: String, words: String) async throws {
        let (frames, log) = try await Self.run(name)
        #expect(frames == [#"["RST_STREAM", 1, 1]"#])
        #expect(log.count == 1)
        #expect(log.first?["status"] == 0)
        #expect(log.first?["answered"] == false)
        #expect(log.first?["check"] == "rules of HTTP/2" && log.first?["fact_id"] == "malformed-request")
        #expect(log.first?["detail"]?.string?.contains(words) == true, "\(log)")
        #expect(log.first?["topic"]?.string == "com.example.app")
    }

    @Test(arguments: [
        ("empty-bearer", 403, "MissingProviderToken", "2+"), ("basic", 403, "InvalidProviderToken", "?"),
        ("space-behind-topic", 400, "BadTopic", "?"),
    ])
    func `what is legal HTTP/2 gets the answer of APNs`(
        name: String, status: Int, reason: String, confidence: String
    ) async throws {
        let (frames, log) = try await Self.run(name)
        #expect(
            frames == [
                #"["HEADERS", 1, \#(status), false]"#, #"["DATA", 1, "{\"reason\":\"\#(reason)\"}", true]"#,
            ])
        #expect(log.first?["reason"]?.string == reason)
        #expect(log.first?["confidence"]?.string == confidence)
    }

    @Test(arguments: ["GET", "OPTIONS", "DELETE", "CONNECT"])
    func `every other method gets an answer with a body`(method: String) async throws {
        let (frames, log) = try await Self.run(method)
        #expect(
            frames == [#"["HEADERS", 1, 405, false]"#, #"["DATA", 1, "{\"reason\":\"MethodNotAllowed\"}", true]"#])
        #expect(log.map { $0["method"]?.string } == [method])
    }

    @Test func `HEAD gets an answer without a body`() async throws {
        let (frames, log) = try await Self.run("HEAD")
        #expect(frames == [#"["HEADERS", 1, 405, true]"#])
        #expect(log.map { $0["reason"]?.string } == ["MethodNotAllowed"])
    }

    /// Answers and log of a push with a provider token in one of the forms of `provider_token.py`.
    private static func run(tokenAs form: String) async throws -> (frames: [String], log: [JSON]) {
        try await run("usual") { mock in
            let made = try await mock.workspace.run([
                Self.python, BuiltProgram.client("provider_token.py"), form,
                try #require(mock.ready["key_file"]?.string),
                try #require(mock.ready["key_id"]?.string), try #require(mock.ready["team_id"]?.string),
            ])
            #expect(made.errors == "")
            return made.output.trimmingCharacters(in: .newlines)
        }
    }

    @Test(arguments: [
        ("standard-base64", "standard-base64", "1"), ("es512", "es512-name", "1"), ("fraction", "iat-fraction", "?"),
        ("expired", "exp-past", "?"),
    ])
    func `a provider token that is written in another way is an allowance`(
        form: String, id: String, confidence: String
    ) async throws {
        let (frames, log) = try await Self.run(tokenAs: form)
        #expect(frames == [#"["HEADERS", 1, 200, true]"#])
        let allowances = (log.first?["allowances"]?.elements ?? []).filter { $0["id"] != "unknown-device-token" }
        #expect(allowances.map { $0["id"]?.string } == [id], "\(log)")
        #expect(allowances.first?["confidence"]?.string == confidence, "\(log)")
    }

    @Test(arguments: ["es512-short", "es512-der", "es256-long"])
    func `a signature that no known sender makes is refused, and another key is not recommended`(
        form: String
    ) async throws {
        let (frames, log) = try await Self.run(tokenAs: form)
        #expect(frames.first == #"["HEADERS", 1, 403, false]"#)
        #expect(log.first?["reason"] == "InvalidProviderToken" && log.first?["fact_id"] == "signature", "\(log)")
        #expect(log.first?["detail"]?.string?.contains("Sign with ES256") == true, "\(log)")
        #expect(log.first?["remedy"] == nil, "\(log)")
    }

    @Test func `a token called ES512 that another key signed names the flags for that key`() async throws {
        let (_, log) = try await Self.run(tokenAs: "es512-other-key")
        #expect(log.first?["reason"] == "InvalidProviderToken")
        #expect(log.first?["remedy"]?.string?.contains("--trust-key FILE") == true, "\(log)")
    }

    @Test func `curl -I shows the answer`() async throws {
        try await RunningMock.with { mock in
            let ended = try await mock.workspace.run([
                "curl", "-sS", "-I", "--http2", "--cacert", mock.caFile,
                "https://localhost:\(mock.port)/3/device/\(RunningMock.token)",
            ])
            #expect(ended.status == 0, "\(ended.errors)")
            #expect(ended.output.hasPrefix("HTTP/2 405"))
        }
    }

    @Test func `another header that comes twice is an allowance`() async throws {
        let (_, log) = try await Self.run("content-type-twice")
        #expect(log.map { $0["status"] } == [200])
        let facts = log.first?["allowances"]?.elements.compactMap { $0["fact"]?.string } ?? []
        #expect(facts.contains { $0.contains("is repeated") })
    }

    /// Its 146 cases of HTTP/2 and HPACK, where it is installed. It verifies no certificates.
    @Test(.enabled(if: BuiltProgram.isInstalled("h2spec"), "needs h2spec"))
    func `h2spec finds nothing that the mock does wrong`() async throws {
        _ = try await RunningMock.with { mock in
            let ended = try await mock.workspace.run(
                ["h2spec", "-h", "localhost", "-p", "\(mock.port)", "-t", "-k", "-o", "60"])
            #expect(ended.status == 0 && ended.output.contains(", 0 failed"), "\(ended.output.suffix(3000))")
        }
    }
}
