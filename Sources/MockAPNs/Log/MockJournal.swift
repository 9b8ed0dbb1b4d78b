internal import NIOConcurrencyHelpers
internal import NIOCore
import PushPlatform

/// The mock's log and the tasks that wait for its entries, protected by one lock.
final class MockJournal: Sendable {
    fileprivate struct State {
        var log: MockLog
        /// The waits, with the number of the request that each one is for.
        var waits: [ObjectIdentifier: (number: Int, wait: MockWait<MockArrival>)] = [:]
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
        for (wait, arrival) in woken { wait.end(.success(arrival)) }
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

    /// Returns the arrival with this number. Waits until it has arrived.
    func arrival(from number: Int, before deadline: NIODeadline?) async throws(MockWaitError) -> MockArrival {
        let wait = MockWait<MockArrival>()
        state.withLockedValue { state in
            if let arrival = state.log.entry(from: number) {
                wait.end(.success(arrival))
            } else if state.isStopped {
                wait.end(.failure(.stopped))
            } else {
                state.waits[ObjectIdentifier(wait)] = (number, wait)
            }
        }
        let result = await wait.result(before: deadline)
        return try state.withLockedValue { state in
            state.waits[ObjectIdentifier(wait)] = nil
            return result.mapError { state.error($0, number) }
        }.get()
    }

    func stop() {
        let waits = state.withLockedValue { state in
            state.isStopped = true
            defer { state.waits = [:] }
            return state.waits.values.map(\.wait)
        }
        for wait in waits { wait.end(.failure(.stopped)) }
    }
}

fileprivate extension MockJournal.State {
    mutating func takeSatisfied() -> [(MockWait<MockArrival>, MockArrival)] {
        guard !waits.isEmpty else { return [] }
        var satisfied: [(MockWait<MockArrival>, MockArrival)] = []
        for (id, waiting) in waits {
            guard let arrival = log.entry(from: waiting.number) else { continue }
            satisfied.append((waiting.wait, arrival))
            waits[id] = nil
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
