import Logging
import MockAPNs
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import TestSupport

@testable import PushProvider

extension PushClient {
    /// A client with a name resolver of its own, with a wall clock that a test sets wrong, or with clocks that it stops.
    static func sample(
        _ environment: PushEnvironment, credentials: PushCredentials? = nil, key: PushProviderKey? = nil,
        logger: Logger = .silent, resolver: any NameResolver,
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        wallClockOffset: NIOLockedValueBox<Int>? = nil, time: StoppableTime? = nil,
        _ adjust: (inout PushConfiguration) throws -> Void = { _ in }
    ) throws -> PushClient {
        let configuration = try PushConfiguration.sample(adjust)
        var timing = ClientTiming.real(configuration)
        if let wallClockOffset {
            timing.wallSeconds = { [real = timing.wallSeconds] in real() + wallClockOffset.withLockedValue { $0 } }
        }
        time?.drive(&timing)
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

    /// Returns when a client of one connection has done with it what could be done with what has been handed in.
    func catchUp() async throws {
        for _ in 0..<3 { try await loop.submit {}.get() }
    }

    /// A client whose clocks a test can stop.
    static func sample(
        _ environment: PushEnvironment, logger: Logger = .silent,
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton, time: StoppableTime,
        _ adjust: (inout PushConfiguration) throws -> Void = { _ in }
    ) throws -> PushClient {
        try sample(
            environment, logger: logger, resolver: SystemNames.shared, group: group, time: time, adjust)
    }
}
