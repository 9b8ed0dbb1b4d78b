import Dispatch

/// Runs work that blocks its thread for seconds. Swift's pool has one thread for each core, so the other tests would wait.
package enum Blocking {
    /// Runs a body on a thread outside the pool.
    package static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result(catching: body)) }
        }
    }
}
