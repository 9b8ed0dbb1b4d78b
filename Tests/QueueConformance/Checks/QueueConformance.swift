import PushQueue
import Testing

/// What every backend must do. A backend runs each check on a new queue.
package struct QueueConformance: Sendable, CustomTestStringConvertible {
    /// The promise, as a sentence.
    let promise: String
    let check: @Sendable (any QueueBackend, ManualClock) async throws -> Void

    package var testDescription: String { promise }

    init(_ promise: String, _ check: @escaping @Sendable (any QueueBackend, ManualClock) async throws -> Void) {
        (self.promise, self.check) = (promise, check)
    }

    package static let all =
        takingIn + keys + claiming + leases + recovery + clocks + operating + looking + upkeep + notes + campaigns
        + order + observing

    /// Runs the check on a new queue.
    package func run(_ maker: QueueUnderTest) async throws {
        var options = maker.options
        options.buryAfter = 3
        options.maximumAuditEntries = 20
        let queue = try await maker.open(options)
        try await check(queue, maker.clock)
        await queue.close()
    }
}
