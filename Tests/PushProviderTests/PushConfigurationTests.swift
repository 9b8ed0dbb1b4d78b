import MockAPNs
import TestSupport
import Testing

@testable import PushProvider

@Suite struct PushConfigurationTests {
    @Test func `the defaults are valid`() throws {
        try PushConfiguration().validate()
        #expect(PushConfiguration().timeout == .seconds(30))
        #expect(PushConfiguration().assignsIDs)
    }

    struct Bad: Sendable, CustomTestStringConvertible {
        var name: String
        var set: @Sendable (inout PushConfiguration, Int) -> Void
        var rule: String
        var testDescription: String { name }
    }

    static let bad: [Bad] = [
        Bad(name: "timeout", set: { $0.timeout = .nanoseconds($1) }, rule: "longer than zero"),
        Bad(name: "queuedNotifications", set: { $0.queuedNotifications = $1 }, rule: "at least 1"),
        Bad(name: "queuedBytes", set: { $0.queuedBytes = $1 }, rule: "at least 1"),
        Bad(name: "minimumConnections", set: { $0.minimumConnections = $1 }, rule: "1 to 1000"),
        Bad(name: "maximumConnections", set: { $0.maximumConnections = $1 }, rule: "1 to 1000"),
        Bad(name: "connectionIdleTime", set: { $0.connectionIdleTime = .nanoseconds($1) }, rule: "longer than zero"),
        Bad(name: "eventLoops", set: { $0.eventLoops = $1 }, rule: "at least 1"),
        Bad(name: "streamsPerConnection", set: { $0.streamsPerConnection = $1 }, rule: "1 to 2147483647"),
        Bad(name: "resolveTimeout", set: { $0.resolveTimeout = .nanoseconds($1) }, rule: "longer than zero"),
        Bad(name: "connectTimeout", set: { $0.connectTimeout = .nanoseconds($1) }, rule: "longer than zero"),
        Bad(name: "handshakeTimeout", set: { $0.handshakeTimeout = .nanoseconds($1) }, rule: "longer than zero"),
        Bad(name: "trustedSilence", set: { $0.trustedSilence = .nanoseconds($1) }, rule: "longer than zero"),
        Bad(name: "keepAlive", set: { $0.keepAlive = .nanoseconds($1) }, rule: "longer than zero"),
        Bad(name: "pingTimeout", set: { $0.pingTimeout = .nanoseconds($1) }, rule: "longer than zero"),
        Bad(name: "retry.attempts", set: { $0.retry.attempts = $1 }, rule: "at least 1"),
        Bad(name: "retry.firstPause", set: { $0.retry.firstPause = .nanoseconds($1) }, rule: "longer than zero"),
        Bad(name: "settingsTimeout", set: { $0.settingsTimeout = .nanoseconds($1) }, rule: "longer than zero"),
    ]

    @Test(arguments: bad, [0, -1])
    func `zero and less are refused by name`(bad: Bad, value: Int) throws {
        var configuration = PushConfiguration()
        bad.set(&configuration, value)
        let error = try #require(throws: PushConfigurationError.self) { try configuration.validate() }
        #expect(error.name == bad.name)
        #expect(error.description == "\(bad.name) must be \(bad.rule).")
    }

    @Test(arguments: bad) func `the smallest value is taken`(bad: Bad) throws {
        var configuration = PushConfiguration()
        bad.set(&configuration, 1)
        try configuration.validate()
    }

    @Test func `the minimum is not above the maximum`() {
        var configuration = PushConfiguration()
        configuration.minimumConnections = 9
        let error = #expect(throws: PushConfigurationError.self) { try configuration.validate() }
        #expect(error?.description == "minimumConnections must be at most maximumConnections, which is 8.")
    }

    @Test func `the longest pause is not shorter than the first`() {
        var configuration = PushConfiguration()
        configuration.retry.longestPause = .milliseconds(499)
        let error = #expect(throws: PushConfigurationError.self) { try configuration.validate() }
        #expect(error?.description == "retry.longestPause must be at least retry.firstPause.")
    }

    @Test(arguments: [0, -0.5, 1.001, 2, .nan, .infinity])
    func `a share that is none is refused`(share: Double) {
        var configuration = PushConfiguration()
        configuration.mismatchBreaker = PushConfiguration.MismatchBreaker(share: share)
        let error = #expect(throws: PushConfigurationError.self) { try configuration.validate() }
        #expect(error?.description == "mismatchBreaker.share must be above 0 and at most 1.")
    }

    @Test(arguments: [0, -1, 1_000_001, .max]) func `a window that is none is refused`(window: Int) {
        var configuration = PushConfiguration()
        configuration.mismatchBreaker = PushConfiguration.MismatchBreaker(window: window)
        let error = #expect(throws: PushConfigurationError.self) { try configuration.validate() }
        #expect(error?.description == "mismatchBreaker.window must be 1 to 1000000.")
    }

    @Test func `the whole share and the smallest window are taken`() throws {
        var configuration = PushConfiguration()
        configuration.mismatchBreaker = PushConfiguration.MismatchBreaker(share: 1, window: 1)
        try configuration.validate()
        configuration.mismatchBreaker = nil
        try configuration.validate()
    }

    @Test func `to send again at least once takes a second attempt`() {
        var configuration = PushConfiguration()
        configuration.retry.guarantee = .atLeastOnce
        configuration.retry.attempts = 1
        let error = #expect(throws: PushConfigurationError.self) { try configuration.validate() }
        #expect(error?.description == "retry.attempts must be at least 2 with .atLeastOnce.")
    }

    /// What is longer than a clock can count must not end the process.
    @Test func `the longest times there are can be used`() async throws {
        let mock = try await MockServer.start(credentials: .ofThisProcess)
        let longest = Duration(secondsComponent: .max, attosecondsComponent: 0) * 4
        let client = try PushClient.sample(to: mock) {
            for time in [
                \PushConfiguration.timeout, \.resolveTimeout, \.connectTimeout, \.handshakeTimeout, \.settingsTimeout,
                \.drainTime,
            ] {
                $0[keyPath: time] = longest
            }
            $0.trustedSilence = .nanoseconds(1)
            $0.pingTimeout = longest
            $0.keepAlive = longest
            $0.retry.longestPause = longest
        }
        for _ in 1...2 { #expect(try await client.outcome(of: .sample()).summary == "accepted") }
        #expect(try await client.outcome(of: .sample(), timeout: longest).summary == "accepted")
        await client.shutdown()
        await mock.stop()
    }

    @Test(arguments: [0, -1, 65_536, 70_000]) func `a port that is none is refused`(port: Int) throws {
        let error = #expect(throws: PushConfigurationError.self) {
            _ = try PushClient(
                environment: PushEnvironment(host: "127.0.0.1", port: port),
                credentials: .token(MockCredentials.ofThisProcess.providerKey), logger: .silent)
        }
        #expect(error?.description == "\(port) isn't a valid port: use 1 to 65535.")
    }

    @Test func `a client is not made with a bad configuration`() throws {
        var configuration = PushConfiguration()
        configuration.queuedBytes = 0
        #expect(throws: PushConfigurationError.self) {
            try PushClient(environment: .sandbox, credentials: .token(.sample()), configuration: configuration)
        }
    }
}
