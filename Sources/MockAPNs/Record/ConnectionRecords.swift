internal import DequeModule
internal import NIOConcurrencyHelpers
internal import NIOCore
import PushPlatform

/// The newest connection records of a mock, and the tasks that wait for changes. Protected by one lock.
final class ConnectionRecords: Sendable {
    private struct State {
        /// The records, sorted by number, without a gap.
        var records: Deque<MockConnectionRecord> = []
        /// The number of connections since the start.
        var total = 0
        var version = 0
        var waits = MockWaits<Void>()
        var isStopped = false

        func index(of number: Int) -> Int? {
            guard let first = records.first?.number, number >= first, number < first + records.count else { return nil }
            return number - first
        }

        mutating func takeWaits() -> [MockWait<Void>] {
            version += 1
            return waits.removeAll()
        }
    }

    private let bound: Int
    private let length: Int
    private let state = NIOLockedValueBox(State())

    /// - Parameters:
    ///   - bound: The maximum number of records. Beyond it, the oldest are removed.
    ///   - length: The maximum number of streams, and of resets, in each record.
    init(bound: Int, length: Int) {
        self.bound = max(1, bound)
        self.length = length
    }

    /// Creates a record with the next number.
    func open(at now: Date) -> Int {
        let (number, waits) = state.withLockedValue { state in
            let number = state.total + 1
            state.total = number
            state.records.append(MockConnectionRecord(number: number, openedAt: now, length: length))
            if state.records.count > bound { state.records.removeFirst() }
            return (number, state.takeWaits())
        }
        for wait in waits { wait.end(.success(())) }
        return number
    }

    /// Ends a record, because the connection continues in another mock.
    ///
    /// - Returns: The record as it was before; `nil` if it is no longer kept.
    func end(_ number: Int, _ how: String) -> MockConnectionRecord? {
        var before: MockConnectionRecord?
        change(number) { record in
            before = record
            record.end = MockConnectionEnd(at: .now, side: .mock, how: how)
        }
        return before
    }

    /// Continues the record of another mock, with its open streams.
    ///
    /// - Parameters:
    ///   - record: The record there.
    ///   - number: The number of the connection in this mock, if it was here before.
    /// - Returns: The number.
    func adopt(_ record: MockConnectionRecord?, as number: Int?) -> Int {
        let known = number ?? open(at: .now)
        change(known) { own in
            own.end = nil
            if let record { own.goOn(from: record, isNew: number == nil) }
        }
        return known
    }

    func change(_ number: Int, _ body: (inout MockConnectionRecord) -> Void) {
        let waits = state.withLockedValue { state -> [MockWait<Void>] in
            guard let index = state.index(of: number) else { return [] }
            body(&state.records[index])
            return state.takeWaits()
        }
        for wait in waits { wait.end(.success(())) }
    }

    var all: [MockConnectionRecord] { state.withLockedValue { Array($0.records) } }

    var total: Int { state.withLockedValue { $0.total } }

    func stop() {
        let waits = state.withLockedValue { state in
            state.isStopped = true
            return state.takeWaits()
        }
        for wait in waits { wait.end(.success(())) }
    }

    // MARK: Waiting

    /// Waits until a record meets a condition, and returns it.
    func record(
        _ number: Int, before deadline: NIODeadline, where isWanted: @Sendable (MockConnectionRecord) -> Bool
    ) async throws -> MockConnectionRecord {
        while true {
            let (record, version, isStopped) = state.withLockedValue { state in
                (state.index(of: number).map { state.records[$0] }, state.version, state.isStopped)
            }
            // The caller's closure runs without the lock.
            if let record, isWanted(record) { return record }
            do throws(MockWaitError.Code) {
                if isStopped { throw .stopped }
                try await change(after: version, before: deadline)
            } catch {
                throw MockWaitError(code: error, waitingFor: number, record)
            }
        }
    }

    private func change(after version: Int, before deadline: NIODeadline) async throws(MockWaitError.Code) {
        let wait = MockWait<Void>()
        state.withLockedValue { state in
            if state.version == version { state.waits.add(wait) } else { wait.end(.success(())) }
        }
        let result = await wait.result(before: deadline)
        state.withLockedValue { $0.waits.remove(wait) }
        try result.get()
    }
}

extension MockWaitError {
    init(code: Code, waitingFor number: Int, _ record: MockConnectionRecord?) {
        let state =
            record.map { "It had \($0.streamCount) streams and \($0.end.map { "had ended: \($0.how)" } ?? "was open")" }
            ?? "The connection didn't exist"
        let why =
            switch code {
            case .timeout: "the wait timed out"
            case .stopped: "the mock was stopped"
            default: "the task was cancelled"
            }
        self.init(code: code, description: "Connection \(number) didn't meet the condition. \(state) when \(why).")
    }
}
