internal import DequeModule
internal import NIOConcurrencyHelpers
internal import NIOCore

/// The records of a mock's connections, the newest ones, and those who wait for them to change: behind one lock.
final class ConnectionRecords: Sendable {
    private struct State {
        /// In the order of their numbers, without a gap.
        var records: Deque<ConnectionRecord> = []
        /// How many there were since the beginning.
        var total = 0
        /// Grows with each change.
        var version = 0
        var waiters: [Int: CheckedContinuation<Void, any Error>] = [:]
        /// Waits that were over before they began.
        var endedEarly: [Int: MockWaitError.Code] = [:]
        var nextWaiter = 0
        var isStopped = false

        func index(of number: Int) -> Int? {
            guard let first = records.first?.number, number >= first, number < first + records.count else { return nil }
            return number - first
        }

        mutating func takeWaiters() -> [CheckedContinuation<Void, any Error>] {
            version += 1
            guard !waiters.isEmpty else { return [] }
            defer { waiters.removeAll() }
            return Array(waiters.values)
        }
    }

    private let bound: Int
    private let length: Int
    private let state = NIOLockedValueBox(State())

    /// Keeps so many, of this length.
    init(bound: Int, length: Int) {
        self.bound = max(1, bound)
        self.length = length
    }

    /// Begins a record, under the next number.
    func open(at now: Moment) -> Int {
        let (number, waiters) = state.withLockedValue { state in
            let number = state.total + 1
            state.total = number
            state.records.append(ConnectionRecord(number: number, openedAt: now, length: length))
            if state.records.count > bound { state.records.removeFirst() }
            return (number, state.takeWaiters())
        }
        for waiter in waiters { waiter.resume() }
        return number
    }

    func change(_ number: Int, _ body: (inout ConnectionRecord) -> Void) {
        let waiters = state.withLockedValue { state -> [CheckedContinuation<Void, any Error>] in
            guard let index = state.index(of: number) else { return [] }
            body(&state.records[index])
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    var all: [ConnectionRecord] { state.withLockedValue { Array($0.records) } }

    /// How many there were since the beginning.
    var total: Int { state.withLockedValue { $0.total } }

    /// Ends every wait.
    func stop() {
        let waiters = state.withLockedValue { state in
            state.isStopped = true
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    // MARK: Waiting

    /// The record with a number, as soon as it is as wanted.
    func record(
        _ number: Int, before deadline: NIODeadline, where isWanted: @Sendable (ConnectionRecord) -> Bool
    ) async throws -> ConnectionRecord {
        while true {
            let (record, version, isStopped) = state.withLockedValue { state in
                (state.index(of: number).map { state.records[$0] }, state.version, state.isStopped)
            }
            // The caller's closure runs outside of the lock.
            if let record, isWanted(record) { return record }
            do {
                if isStopped { throw MockWaitError.Code.stopped.error }
                try await change(after: version, before: deadline)
            } catch let error as MockWaitError {
                throw MockWaitError(code: error.code, waitingFor: number, record)
            }
        }
    }

    private func change(after version: Int, before deadline: NIODeadline) async throws {
        let id = state.withLockedValue { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        let timer = MockThreads.group.next().scheduleTask(deadline: deadline) { self.end(id, .timeout) }
        defer {
            timer.cancel()
            _ = state.withLockedValue { $0.endedEarly.removeValue(forKey: id) }
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait(id, version, $0) }
        } onCancel: {
            end(id, .cancelled)
        }
    }

    private func wait(_ id: Int, _ version: Int, _ continuation: CheckedContinuation<Void, any Error>) {
        let result: Result<Void, any Error>? = state.withLockedValue { state in
            if state.version != version { return .success(()) }
            if let code = state.endedEarly.removeValue(forKey: id) { return .failure(code.error) }
            state.waiters[id] = continuation
            return nil
        }
        if let result { continuation.resume(with: result) }
    }

    private func end(_ id: Int, _ code: MockWaitError.Code) {
        let waiter = state.withLockedValue { state in
            let waiter = state.waiters.removeValue(forKey: id)
            if waiter == nil { state.endedEarly[id] = code }
            return waiter
        }
        waiter?.resume(throwing: code.error)
    }
}

extension MockWaitError.Code {
    fileprivate var error: MockWaitError { MockWaitError(code: self, description: "") }
}

extension MockWaitError {
    init(code: Code, waitingFor number: Int, _ record: ConnectionRecord?) {
        let state =
            record.map { "it had \($0.streamCount) streams and \($0.end.map { "had ended: \($0.how)" } ?? "was open")" }
            ?? "there was none"
        let why =
            switch code {
            case .timeout: "the time was over"
            case .stopped: "the mock was stopped"
            default: "the task was cancelled"
            }
        self.init(code: code, description: "Waiting for connection \(number) to be as wanted: \(state) when \(why).")
    }
}
