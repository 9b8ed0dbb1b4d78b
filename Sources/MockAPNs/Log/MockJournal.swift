internal import NIOConcurrencyHelpers
internal import NIOCore
internal import NIOPosix
import PushPlatform

/// Why a wait for a request ended without one.
public struct MockWaitError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error. New kinds can be added.
    package struct Code: Hashable, Sendable {
        let name: String
        /// The timeout was reached.
        package static let timeout = Code(name: "timeout")
        /// The mock was stopped.
        package static let stopped = Code(name: "stopped")
        /// The task was cancelled.
        package static let cancelled = Code(name: "cancelled")
    }

    /// The kind of error.
    package let code: Code
    /// What the caller waited for and how many requests had arrived, in a sentence.
    public let description: String
}

/// The mock's log and the tasks that wait for its entries, protected by one lock.
final class MockJournal: Sendable {
    fileprivate struct Waiter {
        var number: Int
        var continuation: CheckedContinuation<MockArrival, any Error>
    }

    fileprivate struct State {
        var log: MockLog
        var waiters: [Int: Waiter] = [:]
        /// Waits that ended before they started: cancelled, or with a timeout of zero.
        var endedEarly: [Int: MockWaitError.Code] = [:]
        var nextWaiter = 0
        var isStopped = false
    }

    private let state: NIOLockedValueBox<State>

    private let violations: ViolationLog
    private let whenAppended: (@Sendable ([MockArrival]) -> Void)?
    private let whenRemoved: (@Sendable ([MockArrival]) -> Void)?

    /// - Parameters:
    ///   - bound: The limits of the log.
    ///   - violations: The list of broken rules.
    ///   - whenAppended: Called with the requests that are added, in their order, under the lock of the journal.
    ///   - whenRemoved: Called with the requests that leave the log: dropped because of a limit, or removed.
    init(
        bound: MockLog.Bound, violations: ViolationLog = ViolationLog(),
        whenAppended: (@Sendable ([MockArrival]) -> Void)? = nil,
        whenRemoved: (@Sendable ([MockArrival]) -> Void)? = nil
    ) {
        self.violations = violations
        self.whenAppended = whenAppended
        self.whenRemoved = whenRemoved
        state = NIOLockedValueBox(State(log: MockLog(bound: bound)))
    }

    /// Adds the requests that a connection has handled since the last call, and wakes the tasks that wait for them.
    func append(_ batch: [JudgedRequest], connection: Int, time: Date) {
        let (woken, dropped) = state.withLockedValue { state in
            var dropped: [MockArrival]? = whenRemoved == nil ? nil : []
            var appended: [MockArrival] = []
            if whenAppended != nil { appended.reserveCapacity(batch.count) }
            for entry in batch {
                let number = state.log.nextNumber
                let arrival = MockArrival(number: number, time: time, connection: connection, judgedRequest: entry)
                if whenAppended != nil { appended.append(arrival) }
                state.log.append(arrival, dropping: &dropped)
                let broken = entry.violations
                if !broken.isEmpty { violations.add(broken, connection: connection, arrival: number, at: time) }
            }
            whenAppended?(appended)
            return (state.takeSatisfied(), dropped)
        }
        if let dropped, !dropped.isEmpty { whenRemoved?(dropped) }
        for (waiter, arrival) in woken { waiter.resume(returning: arrival) }
    }

    var all: [MockArrival] { state.withLockedValue { Array($0.log.entries) } }
    var total: Int { state.withLockedValue { $0.log.total } }

    func removeAll() {
        let removed = state.withLockedValue { $0.log.removeAll() }
        whenRemoved?(removed)
    }

    var logCount: Int { state.withLockedValue { $0.log.entries.count } }

    var droppedCount: Int { state.withLockedValue { $0.log.droppedCount } }

    func remove(_ number: Int) -> Bool {
        guard let removed = state.withLockedValue({ $0.log.remove(number) }) else { return false }
        whenRemoved?([removed])
        return true
    }

    /// The number of the first request since the log was last cleared.
    var firstNumber: Int { state.withLockedValue { $0.log.removedThrough + 1 } }

    var isStopped: Bool { state.withLockedValue { $0.isStopped } }

    /// The number of the newest request that was dropped because of a limit of the log.
    var droppedThrough: Int { state.withLockedValue { $0.log.droppedThrough } }

    /// Returns the entries from this number on, without waiting.
    func page(from number: Int, atMost count: Int = 1000) -> [MockArrival] {
        state.withLockedValue { $0.log.entries(from: number, atMost: count) }
    }

    /// Returns up to `count` arrivals, starting with this number. Waits until there is at least one.
    func arrivals(from number: Int, atMost count: Int) async throws -> [MockArrival] {
        let first = try await arrival(from: number, before: nil)
        let all = state.withLockedValue { $0.log.entries(from: first.number, atMost: count) }
        return all.isEmpty ? [first] : all
    }

    /// Returns the arrival with this number. Waits until it has arrived.
    func arrival(from number: Int, before deadline: NIODeadline?) async throws -> MockArrival {
        let id = state.withLockedValue { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        let timer = deadline.map { deadline in
            MockThreads.group.next().scheduleTask(deadline: deadline) { self.end(id, .timeout) }
        }
        defer {
            timer?.cancel()
            _ = state.withLockedValue { $0.endedEarly.removeValue(forKey: id) }
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait(id, number, $0) }
        } onCancel: {
            end(id, .cancelled)
        }
    }

    /// The same, with a typed error.
    func nextArrival(from number: Int, before deadline: NIODeadline) async throws(MockWaitError) -> MockArrival {
        do {
            return try await arrival(from: number, before: deadline)
        } catch let error as MockWaitError {
            throw error
        } catch {
            throw MockWaitError(code: .cancelled, description: "The task was cancelled.")
        }
    }

    private func wait(_ id: Int, _ number: Int, _ continuation: CheckedContinuation<MockArrival, any Error>) {
        enum Now {
            case arrived(MockArrival)
            case ended(MockWaitError)
            case waiting
        }
        let now: Now = state.withLockedValue { state in
            if let arrival = state.log.entry(from: number) { return .arrived(arrival) }
            if state.isStopped { return .ended(state.error(.stopped, number)) }
            if let code = state.endedEarly.removeValue(forKey: id) { return .ended(state.error(code, number)) }
            state.waiters[id] = Waiter(number: number, continuation: continuation)
            return .waiting
        }
        switch now {
        case .arrived(let arrival): continuation.resume(returning: arrival)
        case .ended(let error): continuation.resume(throwing: error)
        case .waiting: break
        }
    }

    private func end(_ id: Int, _ code: MockWaitError.Code) {
        let ended = state.withLockedValue { state -> (Waiter, MockWaitError)? in
            guard let waiter = state.waiters.removeValue(forKey: id) else {
                state.endedEarly[id] = code
                return nil
            }
            return (waiter, state.error(code, waiter.number))
        }
        if let (waiter, error) = ended { waiter.continuation.resume(throwing: error) }
    }

    /// Ends all waits with an error.
    func stop() {
        let ended = state.withLockedValue { state in
            state.isStopped = true
            let ended = state.waiters.values.map { ($0, state.error(.stopped, $0.number)) }
            state.waiters = [:]
            return ended
        }
        for (waiter, error) in ended { waiter.continuation.resume(throwing: error) }
    }
}

fileprivate extension MockJournal.State {
    mutating func takeSatisfied() -> [(CheckedContinuation<MockArrival, any Error>, MockArrival)] {
        guard !waiters.isEmpty else { return [] }
        var satisfied: [(CheckedContinuation<MockArrival, any Error>, MockArrival)] = []
        for (id, waiter) in waiters {
            guard let arrival = log.entry(from: waiter.number) else { continue }
            satisfied.append((waiter.continuation, arrival))
            waiters[id] = nil
        }
        return satisfied
    }

    func error(_ code: MockWaitError.Code, _ number: Int) -> MockWaitError {
        let what = "Waiting for request \(number): \(log.total) had arrived when"
        let message =
            switch code {
            case .timeout: "\(what) the timeout was reached."
            case .stopped: "\(what) the mock was stopped."
            default: "\(what) the task was cancelled."
            }
        return MockWaitError(code: code, description: message)
    }
}

/// The threads of all mocks: the shared event loops of the process.
enum MockThreads {
    static let group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
}
