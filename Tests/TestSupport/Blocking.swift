import Dispatch

/// Work that blocks its thread for seconds. On a thread of Swift's pool, which has as many as the machine has cores, all other tests would wait.
package enum Blocking {
    /// Runs a body on a thread outside the pool.
    package static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result(catching: body)) }
        }
    }
}
