import TestSupport
import Testing

/// Clients that do not speak HTTP/2, or not inside TLS, get an error that they can show.
@Suite(.takingTurns) struct HTTP1Tests {
    private static let mock =
        "This is a mock of APNs. Like Apple's servers, it supports only HTTP/2 over TLS, but the client "

    @Test(arguments: [["--http1.1"], ["--http1.0"], ["--no-alpn"]])
    func `curl without HTTP/2 gets 505 and how to do it`(flags: [String]) async throws {
        try await RunningMock.with { mock in
            // The last of two that exclude each other counts.
            let answer = try await mock.curl(nil, flags)
            #expect(answer.status == 505)
            #expect(answer.headers["content-type"] == "text/plain; charset=utf-8")
            #expect(answer.body.hasPrefix(Self.mock))
            #expect(answer.body.contains("curl --http2"))
            #expect(await mock.notice(with: "the client used HTTP/1: use a client that supports HTTP/2") != nil)
        }
    }

    @Test(arguments: [[], ["--http1.1"], ["--http2"]])
    func `curl without TLS gets 400 and how to do it`(flags: [String]) async throws {
        try await RunningMock.with { mock in
            let answer = try await mock.curl("http://localhost:\(mock.port)/3/device/\(RunningMock.token)", flags)
            #expect(answer.status == 400)
            #expect(answer.body.hasPrefix(Self.mock))
            #expect(answer.body.contains("https://"))
            #expect(await mock.notice(with: "the client used HTTP/1 without TLS") != nil)
        }
    }

    @Test func `a large body without TLS is answered all the same`() async throws {
        try await RunningMock.with { mock in
            let answer = try await mock.curl(
                "http://localhost:\(mock.port)/", payload: String(repeating: "x", count: 500_000))
            #expect(answer.status == 400)
        }
    }

    @Test func `Python's own client, which speaks HTTP/1 only, shows the words`() async throws {
        let python = try BuiltProgram.preparedPython()
        try await RunningMock.with { mock in
            let program = """
                import ssl, sys, urllib.error, urllib.request
                try:
                    context = ssl.create_default_context(cafile=sys.argv[2])
                    urllib.request.urlopen(sys.argv[1], data=b"{}", context=context)
                except urllib.error.HTTPError as error:
                    print(error.code, error.read().decode())
                """
            let ended = try await mock.workspace.run(
                [python, "-c", program, "https://localhost:\(mock.port)/3/device/ab", mock.caFile])
            #expect(ended.output.hasPrefix("505 \(Self.mock)"), "\(ended)")
        }
    }

    @Test func `openssl s_client without ALPN gets a message about ALPN, when it sends and when it leaves`()
        async throws
    {
        try await RunningMock.with { mock in
            let connect = "openssl s_client -connect localhost:\(mock.port) -CAfile '\(mock.caFile)' -quiet 2>/dev/null"
            let said = try await mock.workspace.shell("printf 'Hello?\\r\\n' | \(connect) -ign_eof")
            #expect(said.output.hasPrefix(Self.mock), "\(said)")
            #expect(said.output.contains("offer \"h2\" by ALPN"))
            let silent = try await mock.workspace.shell("\(connect) -no_ign_eof </dev/null")
            #expect(silent.output == "")
            #expect(await mock.notice(with: "the client closed TLS: the client didn't offer HTTP/2") != nil)
        }
    }

    /// What the attacker of the other tests hears who makes the same mistakes on purpose.
    @Test(arguments: [
        ("http1-after-alpn", "the client agreed on HTTP/2 (ALPN), and then sent HTTP/1"),
        ("http1-without-alpn", "505 HTTP Version Not Supported"),
        ("http1-without-tls", "400 Bad Request"),
        ("http2-without-tls", "https://"), ("garbage-without-alpn", "offer \"h2\" by ALPN"),
        ("garbage-for-http2", "the client didn't send the HTTP/2 preface"),
    ])
    func `the answer to another protocol names the expected one`(manner: String, words: String) async throws {
        try await RunningMock.with(["--quiet"]) { mock in
            let attack = try await mock.attack(manner, count: 1)
            #expect(attack.isClosed)
            #expect(attack.text?.contains(words) == true, "\(attack)")
        }
    }
}
