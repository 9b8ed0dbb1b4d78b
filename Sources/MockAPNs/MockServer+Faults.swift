public import APNSVocabulary
internal import NIOCore

extension MockServer {
    // MARK: Faults

    /// Lets a fault act from now on, behind those that were injected before.
    ///
    /// - Parameter fault: The fault.
    /// - Returns: Its number, to remove it by.
    /// - Throws: ``FaultError`` when no mock can do it.
    @discardableResult
    public func inject(_ fault: Fault) throws(FaultError) -> FaultID {
        try fault.check()
        for case .tls(let tls) in fault.steps { _ = try state.tlsContexts.context(for: tls) }
        return state.changeFaults { $0.insert(fault) }
    }

    /// Ends a fault. What it has begun goes on.
    ///
    /// - Parameter id: Its number.
    /// - Returns: `false` when it was over already.
    @discardableResult
    public func remove(_ id: FaultID) -> Bool {
        state.changeFaults { $0.remove(id) }
    }

    /// Ends all faults, ordered answers too. What they have begun goes on.
    public func removeAllFaults() {
        state.changeFaults { $0.removeAll() }
    }

    /// How often each fault has acted, in the order of injection; of those that are over, the newest thousand.
    public var faultCounts: [FaultCount] {
        state.changeFaults { $0.counts }
    }

    /// Answers the next requests in this way, whatever they are. A fault with one step; no value is checked.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - reason: The word in the body.
    ///   - timestamp: The time in the body, for a 410.
    ///   - times: How many requests.
    public func answerNext(
        status: Int, reason: RejectionReason? = nil, timestamp: Moment? = nil, times: Int = 1
    ) {
        guard times > 0 else { return }
        let answer = FaultStep.answer(status: status, reason: reason, timestamp: timestamp)
        let fault = Fault(name: FaultAnswer.check, steps: [answer], times: times)
        _ = state.changeFaults { $0.insert(fault) }
    }

    // MARK: What happened on the wire

    /// What happened on each connection, oldest first, as far as the records reach back.
    public var connectionRecords: [ConnectionRecord] { state.records.all }

    /// Waits until what happened on a connection is as wanted.
    ///
    /// - Parameters:
    ///   - number: The number of the connection since the start, from 1.
    ///   - duration: How long to wait at the most.
    ///   - isWanted: Whether the record is as wanted; asked at once and after each change.
    /// - Returns: The record.
    /// - Throws: ``MockWaitError``.
    public func connectionRecord(
        _ number: Int, within duration: Duration = .seconds(10),
        where isWanted: @Sendable (ConnectionRecord) -> Bool = { _ in true }
    ) async throws -> ConnectionRecord {
        try await state.records.record(number, before: .now() + TimeAmount(duration), where: isWanted)
    }
}
