public import APNSVocabulary
internal import NIOCore
public import PushPlatform

extension MockServer {
    // MARK: Faults

    /// Adds a fault. Faults that were injected earlier act first.
    ///
    /// - Parameter fault: The fault.
    /// - Returns: The number of the fault, for ``remove(_:)``.
    /// - Throws: ``MockFaultError`` when the fault is not valid, or there would be more than 10,000 faults, or more than 16 MiB
    ///   of them as JSON.
    @discardableResult
    public func inject(_ fault: MockFault) throws(MockFaultError) -> MockFault.ID {
        try fault.check()
        for case .tls(let tls) in fault.steps { _ = try state.tlsContexts.context(for: tls) }
        guard let id = state.changeFaults({ $0.insert(fault) }) else {
            throw MockFaultError(
                .tooMany,
                """
                A mock accepts at most \(FaultPlan.maximum) faults, together at most \(FaultPlan.maximumBytes >> 20) MiB as JSON. \
                Remove some, or make this one smaller.
                """)
        }
        return id
    }

    /// Executes steps on an open connection: GOAWAY, other SETTINGS, silence, the end.
    ///
    /// - Parameters:
    ///   - steps: The steps: those that are possible at ``MockFault/Moment/connectionEstablished``.
    ///   - connection: The number of the connection.
    /// - Returns: `false` if the connection is not open.
    /// - Throws: ``MockFaultError`` if the steps are not valid.
    @discardableResult
    public func perform(_ steps: [MockFault.Step], onConnection connection: Int) throws(MockFaultError) -> Bool {
        let fault = MockFault(name: "steps on connection \(connection)", at: .connectionEstablished, steps: steps)
        try fault.check()
        let order = state.changeFaults { $0.order(of: steps, name: fault.name) }
        return state.connections.reach(connection) { $0.begin(order) }
    }

    /// Removes a fault. Steps that have already begun continue.
    ///
    /// - Parameter id: The number of the fault.
    /// - Returns: `false` when the fault was no longer active.
    @discardableResult
    public func remove(_ id: MockFault.ID) -> Bool {
        state.changeFaults { $0.remove(id) }
    }

    /// Removes all faults and the answers of ``answerNext(status:reason:timestamp:times:)``. Steps that have already begun
    /// continue.
    public func removeAllFaults() {
        state.changeFaults { $0.removeAll() }
    }

    /// How often a fault has acted. Of the inactive faults, only the newest 1000 are counted.
    ///
    /// - Parameter id: The number of the fault.
    /// - Returns: The number of times; 0 if there is no such fault.
    public func count(of id: MockFault.ID) -> Int {
        faultCounts.first { $0.id == id }?.applied ?? 0
    }

    /// How often each fault has acted, in the order of injection. Of the inactive faults, only the newest 1000 are kept.
    package var faultCounts: [MockFault.Count] {
        state.changeFaults { $0.counts }
    }

    /// Gives the next requests a fixed answer, without checking them. This is a fault with one step. The values are not checked.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - reason: The reason in the body.
    ///   - timestamp: The timestamp in the body, for a 410.
    ///   - times: The number of requests.
    public func answerNext(
        status: Int, reason: RejectionReason? = nil, timestamp: Date? = nil, times: Int = 1
    ) {
        guard times > 0 else { return }
        let answer = MockFault.Step.answer(status: status, reason: reason, timestamp: timestamp)
        let fault = MockFault(name: MockFault.Answer.check, steps: [answer], times: times)
        _ = state.changeFaults { $0.insert(fault) }
    }

    // MARK: What happened on the wire

    /// The records of the connections, oldest first. The newest ``MockConfiguration/recordCount`` are kept.
    package var connectionRecords: [MockConnectionRecord] { state.records.all }

    /// Waits until the record of a connection meets a condition.
    ///
    /// - Parameters:
    ///   - number: The number of the connection since the start, from 1.
    ///   - duration: The maximum time to wait.
    ///   - isWanted: The condition. It is checked at once, and after each change of the record.
    /// - Returns: The record.
    /// - Throws: ``MockWaitError``.
    package func connectionRecord(
        _ number: Int, within duration: Duration = .seconds(10),
        where isWanted: @Sendable (MockConnectionRecord) -> Bool = { _ in true }
    ) async throws -> MockConnectionRecord {
        try await state.records.record(number, before: .now() + TimeAmount(duration), where: isWanted)
    }
}
