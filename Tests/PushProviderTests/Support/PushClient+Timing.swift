import Logging
import MockAPNs
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import TestSupport

@testable import PushProvider

extension PushClient {
    /// A client with a name resolver of its own, or with a wall clock that a test sets wrong.
    static func sample(
        _ environment: PushEnvironment, credentials: PushCredentials? = nil, key: PushProviderKey? = nil,
        logger: Logger = .silent, resolver: any NameResolver,
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        wallClockOffset: NIOLockedValueBox<Int>? = nil,
        _ adjust: (inout PushConfiguration) throws -> Void = { _ in }
    ) throws -> PushClient {
        let configuration = try PushConfiguration.sample(adjust)
        var timing = ClientTiming.real(configuration)
        if let wallClockOffset {
            timing.wallSeconds = { [real = timing.wallSeconds] in real() + wallClockOffset.withLockedValue { $0 } }
        }
        return try PushClient(
            environment: environment,
            credentials: try credentials ?? .token(key ?? MockCredentials.ofThisProcess.providerKey),
            configuration: configuration,
            eventLoopGroup: group,
            resolver: resolver,
            timing: timing,
            logger: logger
        )
    }

    /// A client whose wall clock a test sets wrong.
    static func sample(
        _ environment: PushEnvironment, key: PushProviderKey? = nil, wallClockOffset: NIOLockedValueBox<Int>?,
        _ adjust: (inout PushConfiguration) throws -> Void = { _ in }
    ) throws -> PushClient {
        try sample(
            environment, key: key, resolver: SystemNames.shared, wallClockOffset: wallClockOffset, adjust)
    }
}
