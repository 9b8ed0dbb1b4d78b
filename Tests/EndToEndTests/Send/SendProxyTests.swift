import Foundation
import TestSupport
import Testing

/// Through a proxy that others wrote, to a mock that stands in Apple's place.
@Suite(.takingTurns) struct SendProxyTests {
    private static let secret = "hunter2"

    /// To Apple's own name, signed with the mock's key, trusting its authority.
    private static func send(_ flags: String...) -> [String] {
        [
            "send", RunningMock.token, "--key", "mock/AuthKey_MOCKKEY123.p8", "--team-id", "MOCKTEAM12",
            "--topic", RunningMock.topic, "-m", "Hello", "-e", "sandbox", "--cacert", "mock/ca.pem",
        ] + flags
    }

    @Test func `--proxy gets Apple's name, even if this machine cannot resolve it`() async throws {
        let workspace = try Workspace()
        try await RunningMock.with(in: workspace) { mock in
            let asked = try await PythonProxy.with("--to", "127.0.0.1:\(mock.port)", in: workspace) { proxy in
                let url = "http://127.0.0.1:\(proxy.port)"
                #expect(try await workspace.pushsend(Self.send("--proxy", url)).status == 0)
                #expect(try await workspace.pushsend(Self.send("--proxy", url, "--port", "2197")).status == 0)
                let byVariable = try await workspace.pushsend(Self.send(), environment: ["HTTPS_PROXY": url])
                #expect(byVariable.status == 0)
                let byOurs = try await workspace.pushsend(
                    Self.send(),
                    environment: ["PUSHSEND_PROXY": url, "https_proxy": "http://127.0.0.1:1", "NO_PROXY": "*"])
                #expect(byOurs.status == 0)
            }
            let host = "api.sandbox.push.apple.com"
            #expect(asked == ["\(host):443", "\(host):2197", "\(host):443", "\(host):443"])
            _ = try await mock.request(4)
        }
    }

    @Test func `NO_PROXY and --proxy '' lead past it`() async throws {
        let workspace = try Workspace()
        try await RunningMock.with(in: workspace) { mock in
            let nobody = "http://127.0.0.1:1"
            let local = Self.send().map { $0 == "sandbox" ? "localhost:\(mock.port)" : $0 == "-e" ? "--endpoint" : $0 }
            for list in ["*", "localhost", "example.com localhost:\(mock.port)"] {
                let ended = try await workspace.pushsend(local, environment: ["HTTPS_PROXY": nobody, "NO_PROXY": list])
                #expect(ended.status == 0, "\(list): \(ended.errors)")
            }
            let without = try await workspace.pushsend(local + ["--proxy", ""], environment: ["HTTPS_PROXY": nobody])
            #expect(without.status == 0)
            let with = try await workspace.pushsend(local, environment: ["HTTPS_PROXY": nobody])
            expectNotSent(with, 69, "the proxy 127.0.0.1:1 refused the connection")
            // A mock runs on this machine: no variable is asked.
            #expect(try await mock.send("-m", "Hello").status == 0)
            let toMock = try await workspace.pushsend(
                ["send", RunningMock.token, "--mock", "--state", "mock", "--topic", RunningMock.topic, "-m", "Hello"],
                environment: ["HTTPS_PROXY": nobody, "PUSHSEND_PROXY": nobody])
            #expect(toMock.status == 0)
        }
    }

    @Test func `user and password get through, wrong ones are reported, and neither is shown`() async throws {
        let workspace = try Workspace()
        try await RunningMock.with(in: workspace) { mock in
            try await PythonProxy.with(
                "--user", "some:one:\(Self.secret)", "--to", "127.0.0.1:\(mock.port)", in: workspace
            ) { proxy in
                let address = "127.0.0.1:\(proxy.port)"
                let right = "http://some:one%3A\(Self.secret)@\(address)"
                let ended = try await workspace.pushsend(Self.send("--proxy", right, "-v"))
                #expect(ended.status == 0, "\(ended.errors)")
                let none = try await workspace.pushsend(Self.send("--proxy", address))
                expectNotSent(none, 69, "requires a user and a password (407)", "http://user:password@host:port")
                let wrong = try await workspace.pushsend(Self.send("--proxy", "http://some:\(Self.secret)@\(address)"))
                expectNotSent(wrong, 69, "refuses this user and password (407)")
                let reported = try await workspace.pushsend(Self.send("--proxy", address, "--json"))
                #expect(JSON(parsing: reported.output)["phase"]?.string == "proxy")
                for ended in [ended, none, wrong] {
                    let text = ended.output + ended.errors
                    #expect(!text.contains(Self.secret) && !text.contains("some:"), "\(text)")
                }
            }
        }
    }

    @Test func `a dry run says which proxy, and not with which password`() async throws {
        let workspace = try Workspace()
        try await RunningMock.with(in: workspace) { _ in }
        let flags = Self.send("--dry-run", "--proxy", "http://somebody:\(Self.secret)@proxy.example:3128")
        let text = try await workspace.pushsend(flags)
        #expect(text.status == 0)
        #expect(
            text.output.contains("(through the proxy http://proxy.example:3128, with a user name and a password)"))
        let json = try await workspace.pushsend(flags + ["--json"])
        #expect(JSON(parsing: json.output)["proxy"]?.string == "http://proxy.example:3128")
        for ended in [text, json] {
            #expect(!(ended.output + ended.errors).contains(Self.secret))
            #expect(!(ended.output + ended.errors).contains("somebody"))
        }
        let direct = try await workspace.pushsend(Self.send("--dry-run", "--json"))
        #expect(JSON(parsing: direct.output)["proxy"] == nil)
    }

    @Test func `the command for curl takes the same way, without the password in it`() async throws {
        let workspace = try Workspace()
        try await RunningMock.with(in: workspace) { mock in
            let asked = try await PythonProxy.with(
                "--user", "somebody:\(Self.secret)", "--to", "127.0.0.1:\(mock.port)", in: workspace
            ) { proxy in
                let url = "http://somebody:\(Self.secret)@127.0.0.1:\(proxy.port)"
                let printed = try await workspace.pushsend(Self.send("--as-curl", "--proxy", url))
                #expect(!printed.output.contains(Self.secret))
                let unasked = try await workspace.shell("cd / && " + printed.output)
                #expect(unasked.errors.contains("user:password for the proxy"))
                let pasted = try await workspace.shell(
                    "PROXY_USER='somebody:\(Self.secret)'; NO_PROXY='*'; export NO_PROXY; cd / && " + printed.output)
                #expect(pasted.output.contains("HTTP/2 200"), "\(pasted.errors)")
                let named = try await workspace.pushsend(Self.send("--as-curl"), environment: ["HTTPS_PROXY": url])
                #expect(!named.output.contains(Self.secret))
                let again = try await workspace.shell("export HTTPS_PROXY='\(url)'; cd / && " + named.output)
                #expect(again.output.contains("HTTP/2 200"), "\(again.errors)")
            }
            #expect(asked.count == 2)
            let toMock = try await workspace.pushsend(
                [
                    "send", RunningMock.token, "--mock", "--state", "mock", "--topic", RunningMock.topic, "-m", "Hello",
                    "--as-curl",
                ], environment: ["HTTPS_PROXY": "http://127.0.0.1:1"])
            let past = try await workspace.shell("export HTTPS_PROXY=http://127.0.0.1:1; cd / && " + toMock.output)
            #expect(past.output.hasPrefix("HTTP/2 200"), "\(past.errors)")
        }
        // An exception with a port, of which curl knows nothing.
        let excepted = try await workspace.pushsend(
            Self.send("--as-curl"),
            environment: ["HTTPS_PROXY": "http://127.0.0.1:1", "NO_PROXY": "api.sandbox.push.apple.com:443"])
        #expect(excepted.output.contains("--noproxy '*'"), "\(excepted.output)")
    }

    // MARK: What curl does with the same variables

    /// Host, `NO_PROXY`: curl itself says whether it goes past the proxy. Networks of IPv6 addresses are not among them: curl has
    /// them in its manual, and 7.88 passes them over.
    static let lists: [(host: String, list: String)] = [
        ("api.push.apple.com", "*"), ("api.push.apple.com", "apple.com"), ("api.push.apple.com", ".apple.com"),
        ("api.push.apple.com", "apple.com."), ("api.push.apple.com", "pple.com"), ("api.push.apple.com", "*.apple.com"),
        ("api.push.apple.com", "localhost, APPLE.COM"), ("api.push.apple.com", "localhost,*"),
        ("localhost", "127.0.0.1"), ("localhost", "localhost"), ("127.0.0.1", "127.0.0.0/8"),
        ("127.0.0.1", "126.0.0.0/8"), ("127.0.0.1", "126.0.0.0/7"), ("127.0.0.1", "127.0.0.1"),
        ("127.0.0.1", "127.0.0.1/33"), ("127.0.0.1", "10.0.0.0/8 127.0.0.1/32"), ("[::1]", "::1"),
        ("[::1]", "fd00::1"), ("api.push.apple.com", ""),
    ]

    @Test(.enabled(if: BuiltProgram.isInstalled("curl"))) func `NO_PROXY means what it means to curl`() async throws {
        let workspace = try Workspace()
        try await RunningMock.with(in: workspace) { _ in }
        // Nobody listens on either: whose port curl complains of says which way it took.
        let variables = ["HTTPS_PROXY": "http://127.0.0.1:1"]
        for (host, list) in Self.lists {
            let environment = variables.merging(["NO_PROXY": list]) { _, new in new }
            let curl = try await workspace.start(
                URL(filePath: "/usr/bin/env"),
                ["curl", "-sS", "--connect-to", "::127.0.0.1:2", "https://\(host):2197/"], environment: environment
            ).end()
            let curlUsesProxy = curl.errors.contains("port 1 ")
            #expect(curlUsesProxy != curl.errors.contains("port 2 "), "\(curl.errors)")
            let flags = Self.send("--dry-run", "--json").map {
                $0 == "sandbox" ? "\(host):2197" : $0 == "-e" ? "--endpoint" : $0
            }
            let ours = try await workspace.pushsend(flags, environment: environment)
            #expect((JSON(parsing: ours.output)["proxy"] != nil) == curlUsesProxy, "\(host) with NO_PROXY=\(list)")
        }
    }

    // MARK: Bad input

    @Test(arguments: [
        ("http://", "has no host"), ("http://u:hunter2@:3128", "has no host"),
        ("socks5://u:hunter2@127.0.0.1:1080", "is a SOCKS proxy (socks5://)"),
        ("https://u:hunter2@127.0.0.1:3128", "is an HTTPS proxy"), ("http://127.0.0.1:70000", "1 to 65535"),
        ("http://127.0.0.1:http", "1 to 65535"), ("http://u:hunter2%0A@127.0.0.1:3128", "control character"),
        ("gopher://u:hunter2@p", "gopher://"), ("http://u:hunter2@p:1/x", "more than a host and a port"),
    ])
    func `a proxy that is none is refused by name, and nothing secret is repeated`(url: String, words: String)
        async throws
    {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let send = [
            "send", RunningMock.token, "--topic", "com.example.app", "-m", "x", "--key", key, "--team-id",
            Workspace.teamID, "-e", "sandbox",
        ]
        let byFlag = try await workspace.pushsend(send + ["--proxy", url])
        expectRefusal(byFlag, 64, "--proxy ", words)
        let byVariable = try await workspace.pushsend(send, environment: ["https_proxy": url])
        expectRefusal(byVariable, 64, "https_proxy ", words)
        let byOurs = try await workspace.pushsend(send + ["--dry-run"], environment: ["PUSHSEND_PROXY": url])
        expectRefusal(byOurs, 64, "PUSHSEND_PROXY ", words)
        let slip = try await workspace.pushsend(send + ["--porxy", url])
        #expect(slip.status == 64)
        for ended in [byFlag, byVariable, byOurs, slip] {
            #expect(!ended.errors.contains(Self.secret), "\(ended.errors)")
        }
    }

    @Test(arguments: [
        (["-e", "sandbox", "--port", "8443"], ["443 and 2197", "--endpoint HOST:8443"]),
        (["--endpoint", "localhost:1", "--port", "2197"], ["--port", "HOST:PORT"]),
        (["-e", "sandbox", "--port", "many"], ["--port"]),
        (["--endpoint", "a\"b:443"], ["isn't a host"]),
    ])
    func `a port or host that cannot be meant is refused`(flags: [String], words: [String]) async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let ended = try await workspace.pushsend(
            [
                "send", RunningMock.token, "--topic", "com.example.app", "-m", "x", "--key", key, "--team-id",
                Workspace.teamID,
            ]
                + flags)
        expectRefusal(ended, 64)
        for word in words { #expect(ended.errors.contains(word), "\(ended.errors)") }
    }

    @Test func `--port 2197 is Apple's other port`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let ended = try await workspace.pushsend(
            "send", RunningMock.token, "--topic", "com.example.app", "-m", "x", "--key", key, "--team-id",
            Workspace.teamID,
            "-e", "production", "--port", "2197", "--dry-run", "--json")
        #expect(JSON(parsing: ended.output)["endpoint"]?.string == "api.push.apple.com:2197")
    }
}
