package import PushQueue

/// How the checks wait until a queue shows everything that is committed.
package enum QueueSettling {
    package typealias Settle = @Sendable (any QueueBackend) async throws -> Void

    @TaskLocal fileprivate static var settle: Settle = { _ in }

    /// Runs a body whose checks wait in this way.
    package static func with(_ settle: @escaping Settle, _ body: () async throws -> Void) async throws {
        try await $settle.withValue(settle) { try await body() }
    }
}

extension QueueBackend {
    /// The same queue, when its lists in the order of commits have everything that is committed now. Transactions of other tests may hold
    /// them up for a moment.
    package func settled() async throws -> Self {
        try await QueueSettling.settle(self)
        return self
    }
}
