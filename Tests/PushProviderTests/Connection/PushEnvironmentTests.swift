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
    ])
    func `the authority has brackets around an IPv6 address, and a port that is not the one of https`(
        environment: PushEnvironment, authority: String, description: String
    ) {
        #expect(environment.authority == authority)
        #expect(environment.description == description)
    }

    @Test func `an environment is Apple's, with the system's trust, unless told otherwise`() {
        #expect(PushEnvironment(host: "h") == PushEnvironment(host: "h", port: 443, trust: .system))
        #expect(PushEnvironment.production.trust == .system)
        #expect(PushEnvironment.production != .sandbox)
    }
}
