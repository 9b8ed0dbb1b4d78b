import Testing

@testable import PushProvider

@Suite struct PushEnvironmentTests {
    @Test(arguments: [
        (PushEnvironment.production, "api.push.apple.com", "api.push.apple.com:443"),
        (.sandbox, "api.sandbox.push.apple.com", "api.sandbox.push.apple.com:443"),
        (.init(host: "api.push.apple.com", port: 2197), "api.push.apple.com:2197", "api.push.apple.com:2197"),
        (.init(host: "127.0.0.1", port: 443), "127.0.0.1", "127.0.0.1:443"),
        (.init(host: "127.0.0.1", port: 80), "127.0.0.1:80", "127.0.0.1:80"),
        (.init(host: "::1", port: 443), "[::1]", "[::1]:443"),
        (.init(host: "2001:db8::7", port: 2197), "[2001:db8::7]:2197", "[2001:db8::7]:2197"),
        (.init(host: "[2001:db8::7]"), "[2001:db8::7]", "[2001:db8::7]:443"),
        // The interface is this machine's own affair.
        (.init(host: "fe80::1%eth0", port: 2197), "[fe80::1]:2197", "[fe80::1%eth0]:2197"),
        (.production(port: 2197), "api.push.apple.com:2197", "api.push.apple.com:2197"),
        (.sandbox(port: APNSHost.alternatePort), "api.sandbox.push.apple.com:2197", "api.sandbox.push.apple.com:2197"),
    ])
    func `the authority has brackets around an IPv6 address, and a port that is not the one of https`(
        environment: PushEnvironment, authority: String, description: String
    ) {
        #expect(environment.authority == authority)
        #expect(environment.description == description)
    }

    @Test func `an environment is Apple's, with the system's trust, unless configured otherwise`() {
        #expect(PushEnvironment(host: "h") == PushEnvironment(host: "h", port: 443, trust: .apple))
        #expect(PushEnvironment.production.trust == .apple)
        #expect(PushEnvironment.production != .sandbox)
    }

    @Test func `Apple's other port is Apple's too`() {
        #expect(PushEnvironment.production(port: 2197).appleService == .production)
        #expect(PushEnvironment.sandbox(port: 2197).appleService == .sandbox)
    }

    @Test(arguments: [
        "a b", "a\r\nX: y", "user@host", "host/path", "host?x", "[::1", "a\u{7F}", "\t", "a\"b", "host#1",
        "localhost:2197", "[::g]",
    ])
    func `what is no host is refused before anybody is asked for it`(host: String) throws {
        let error = try #require(throws: PushConfigurationError.self) {
            try PushEnvironment(host: host, port: 443).validate()
        }
        #expect(error.name == "host")
        #expect(!error.description.contains("\n"))
    }

    @Test func `every service has one clock, whatever the name and the port`() {
        #expect(PushEnvironment.sandbox.clockName == PushEnvironment.sandbox(port: 2197).clockName)
        #expect(
            PushEnvironment(host: "API.Development.push.apple.com").clockName == PushEnvironment.sandbox.clockName)
        #expect(PushEnvironment.production(port: 2197).clockName == PushEnvironment.production.clockName)
        let others = ["sandbox", "production", "localhost", "127.0.0.1"].flatMap { host in
            [443, 2197].map { PushEnvironment(host: host, port: $0).clockName }
        }
        let all = others + [PushEnvironment.sandbox.clockName, PushEnvironment.production.clockName]
        #expect(Set(all).count == 10)
        #expect(
            PushEnvironment(host: "LocalHost", port: 1).clockName
                == PushEnvironment(host: "localhost", port: 1).clockName)
    }
}
