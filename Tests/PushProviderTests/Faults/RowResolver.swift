import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import PushProvider

/// What a name stands for.
struct ResolvedPorts: Sendable {
    /// The ports of 127.0.0.1, in the order in which they are to be tried; none where the name does not resolve.
    var ports: [Int]
    /// Ports of ::1, as a name has them that stands for addresses of both families.
    var portsOfIPv6: [Int] = []
    /// How long the answer takes; `nil` for ever.
    var after: TimeAmount? = .zero
}

/// Looks names up as a row wants it, until the row is over: then the name stands for the server.
final class RowResolver: Resolver, Sendable {
    private let stage: FaultStage
    private let answer: @Sendable (Int, Int) -> ResolvedPorts
    private let queries = NIOLockedValueBox(0)

    init(stage: FaultStage, answer: @escaping @Sendable (Int, Int) -> ResolvedPorts) {
        self.stage = stage
        self.answer = answer
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        let number = queries.withLockedValue { queries in
            queries += 1
            return queries
        }
        return addresses(number, "127.0.0.1", \.ports)
    }

    /// It belongs to the question for the other family, and NIO asks it first.
    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        addresses(queries.withLockedValue { $0 } + 1, "::1", \.portsOfIPv6)
    }

    private func addresses(
        _ number: Int, _ host: String, _ ports: KeyPath<ResolvedPorts, [Int]>
    ) -> EventLoopFuture<[SocketAddress]> {
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let resolved =
            stage.isAsItShouldBe
            ? ResolvedPorts(ports: [stage.environment.port]) : answer(number, stage.environment.port)
        let found = resolved[keyPath: ports].map { try? SocketAddress(ipAddress: host, port: $0) }.compactMap { $0 }
        let after = resolved.after ?? .hours(1)
        guard after > .zero else { return loop.makeSucceededFuture(found) }
        return loop.scheduleTask(in: after) { found }.futureResult
    }

    func cancelQueries() {}
}
