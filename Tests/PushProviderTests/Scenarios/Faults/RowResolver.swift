import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

@testable import PushProvider

/// What a name stands for.
struct ResolvedPorts: Sendable {
    /// The ports of 127.0.0.1, in the order in which they are to be tried; none where the name does not resolve.
    var ports: [Int]
    /// Ports of ::1, as a name has them that stands for addresses of both families; they come first.
    var portsOfIPv6: [Int] = []
    /// How long the answer takes; `nil` for ever.
    var after: TimeAmount? = .zero
}

/// Looks names up as a row wants it, until the row is over: then the name stands for the server.
final class RowResolver: NameResolver {
    private let stage: FaultStage
    private let answer: @Sendable (Int, Int) -> ResolvedPorts
    private let queries = NIOLockedValueBox(0)

    init(stage: FaultStage, answer: @escaping @Sendable (Int, Int) -> ResolvedPorts) {
        self.stage = stage
        self.answer = answer
    }

    func lookUp(
        _ host: String, port: Int, answer: @escaping @Sendable (Result<[NetworkAddress], NameFailure>) -> Void
    ) -> @Sendable () -> Void {
        let number = queries.withLockedValue { queries in
            queries += 1
            return queries
        }
        let resolved =
            stage.isAsItShouldBe
            ? ResolvedPorts(ports: [stage.environment.port]) : self.answer(number, stage.environment.port)
        guard let after = resolved.after else { return {} }
        let found = Self.addresses(resolved)
        guard after > .zero else {
            answer(found)
            return {}
        }
        let timer = MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: after) { answer(found) }
        return { timer.cancel() }
    }

    private static func addresses(_ resolved: ResolvedPorts) -> Result<[NetworkAddress], NameFailure> {
        let found =
            resolved.portsOfIPv6.compactMap { NetworkAddress(literal: "::1", port: $0) }
            + resolved.ports.map { NetworkAddress(ipv4: (127, 0, 0, 1), port: $0) }
        return found.isEmpty ? .failure(.unknown) : .success(found)
    }
}
