package import Logging
package import MockAPNs
package import NIOCore
import NIOPosix
package import PushProvider

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
}

extension PushEnvironment {
    /// This machine, trusting the authority of this process.
    package static func local(host: String = "127.0.0.1", port: Int) throws -> PushEnvironment {
        PushEnvironment(
            host: host, port: port, trust: .authorities(pem: Array(try MockCredentials.ofThisProcess.authority.utf8)))
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
