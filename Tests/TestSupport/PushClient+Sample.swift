package import Logging
package import MockAPNs
package import NIOCore
import NIOPosix
package import PushProvider
package import PushWire

extension PushClient {
    /// A client of a scripted server, trusting it. It sends nothing again by itself, has one connection, and all the time that a
    /// slow machine takes, unless the configuration says otherwise.
    package static func sample(
        to server: ScriptedServer, credentials: PushCredentials? = nil, logger: Logger = .silent,
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        _ adjust: (inout PushConfiguration) throws -> Void = { _ in }
    ) throws -> PushClient {
        let environment = PushEnvironment(
            host: "127.0.0.1", port: server.port, trust: .authorities(pem: server.identity.authorityPEM))
        return try sample(environment, credentials: credentials, logger: logger, group: group, adjust)
    }

    /// A client of a mock with the credentials of this process.
    package static func sample(
        to mock: MockServer, logger: Logger = .silent, _ adjust: (inout PushConfiguration) throws -> Void = { _ in }
    ) throws -> PushClient {
        try sample(.local(port: mock.port), logger: logger, adjust)
    }

    package static func sample(
        _ environment: PushEnvironment, credentials: PushCredentials? = nil, key: PushProviderKey? = nil,
        logger: Logger = .silent,
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        _ adjust: (inout PushConfiguration) throws -> Void = { _ in }
    ) throws -> PushClient {
        try PushClient(
            environment: environment,
            credentials: try credentials ?? .token(key ?? MockCredentials.ofThisProcess.providerKey),
            configuration: .sample(adjust),
            eventLoopGroup: group,
            logger: logger
        )
    }
}

extension PushConfiguration {
    /// One connection, no retries, and time limits that also hold on a slow machine, unless they are adjusted.
    package static func sample(_ adjust: (inout PushConfiguration) throws -> Void) rethrows -> PushConfiguration {
        var configuration = PushConfiguration()
        configuration.retry = .never
        configuration.connections = 1
        configuration.timeout = .seconds(300)
        for limit in [\PushConfiguration.resolveTimeout, \.connectTimeout, \.handshakeTimeout, \.settingsTimeout] {
            configuration[keyPath: limit] = .seconds(60)
        }
        try adjust(&configuration)
        return configuration
    }

    /// So many connections, neither more nor fewer.
    package var connections: Int {
        get { maximumConnections }
        set { (minimumConnections, maximumConnections) = (newValue, newValue) }
    }
}

extension PushEnvironment {
    /// This machine, trusting the authority of this process.
    package static func local(host: String = "127.0.0.1", port: Int) throws -> PushEnvironment {
        PushEnvironment(
            host: host, port: port, trust: .authorities(pem: try MockCredentials.ofThisProcess.authority))
    }
}

extension Logger {
    package static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}

extension MockCredentials {
    package var providerKey: PushProviderKey {
        get throws { try PushProviderKey(p8: p8.utf8, keyID: keyID, teamID: teamID) }
    }
}

extension DeviceToken {
    package static let sampleHex = "740f4707bebcf74f9b7c25d48e3358945f6aa01da5ddb387462c7eaf61bb78ad"
}

extension PushNotification {
    /// A good notification, which each test spoils in its own way.
    package static func sample(_ spoil: (inout PushNotification) -> Void = { _ in }) throws -> PushNotification {
        var notification = try PushNotification(
            to: DeviceToken(DeviceToken.sampleHex), topic: "com.example.app", payload: .alert(body: "Hello"))
        spoil(&notification)
        return notification
    }
}

extension PushProviderKey {
    package static let sampleKeyID = "ABC123DEFG"
    package static let sampleTeamID = "DEF123GHIJ"

    /// A key that nobody else has.
    package static func sample(
        _ key: SigningKey? = nil, keyID: String = sampleKeyID, teamID: String = sampleTeamID
    ) throws -> PushProviderKey {
        try PushProviderKey(p8: (key ?? SigningKey.generate()).pem(), keyID: keyID, teamID: teamID)
    }
}
