internal import CPQ
import PushPlatform
import PushQueue

/// The steps of a round trip. None of them waits longer than the deadline.
extension PostgresConnection {
    /// Begins a round trip. Returns its deadline.
    func begin() throws(QueueError) -> ContinuousClock.Instant {
        guard !isBroken else { throw .notConnected(endpoint) }
        return ContinuousClock.now + answerTime
    }

    /// Checks what a function of libpq returned that puts something into the memory for the server.
    func sent(_ code: Int32) throws(QueueError) {
        if code != 1 { throw fail(broken(lastMessage)) }
    }

    /// Ends a round trip whose results are all there.
    ///
    /// - Parameter error: The first error of its statements.
    /// - Throws: The error. Or that a commit did not reach the standby; then the connection cannot be used any more.
    func end(_ error: QueueError?) throws(QueueError) {
        if let error { throw error }
        if notices.hasLostStandby { throw fail(.withoutStandby(endpoint)) }
    }

    /// Sends everything to the server. It also reads, because the server may wait until its own bytes are read.
    func flush(until deadline: ContinuousClock.Instant) throws(QueueError) {
        while true {
            switch PQflush(handle) {
            case 0: return
            case 1: try wait(for: POLLIN | POLLOUT, until: deadline)
            default: throw fail(broken(lastMessage))
            }
            // If this fails, the next results say why.
            if PQconsumeInput(handle) != 1 { return }
        }
    }

    /// The next result; `nil` behind the last one of a statement.
    func nextResult(until deadline: ContinuousClock.Instant) throws(QueueError) -> PostgresResult? {
        while PQisBusy(handle) == 1 {
            try wait(for: POLLIN, until: deadline)
            // The data before the end contains the reason.
            if PQconsumeInput(handle) != 1 { break }
        }
        return PQgetResult(handle).map { PostgresResult($0) }
    }

    /// The error of a result.
    ///
    /// - Parameters:
    ///   - result: The result.
    ///   - hasValues: Whether values were sent apart from the text of the statement.
    /// - Returns: The error, if the connection can still be used.
    /// - Throws: The error, if it cannot: nothing more comes then.
    func failure(_ result: PostgresResult, hasValues: Bool) throws(QueueError) -> QueueError {
        guard let state = result.state, PQstatus(handle) == CONNECTION_OK else {
            throw fail(broken(result.message ?? lastMessage))
        }
        // A table has changed, or the server forgot its prepared statements.
        if state == "26000" || result.function == "RevalidateCachedQuery" {
            names = [:]
            return .unprepared(endpoint)
        }
        var message = result.message ?? ""
        // Constraints, defaults and functions of somebody else run here, and messages quote the values that they fail with.
        if settings.leavesSchema, hasValues, result.mayQuoteValues {
            message = result.constraint.map { "the constraint \"\($0)\"" } ?? "the log of PostgreSQL has the message"
        }
        var error =
            settings.isForeign
            ? QueueError.foreign(state, message, endpoint, hasValues: hasValues)
            : .postgres(state, message, constraint: result.constraint, endpoint, mayBeStored: mayCommit)
        // An exception that is raised can have any state and any text. The queue's own tables raise none, and have no such constraints.
        let isRaised = result.place != nil || result.function == "exec_stmt_raise"
        if isRaised || error.code == .defect && (settings.leavesSchema || ["23503", "23514", "23P01"].contains(state)) {
            let code = settings.isForeign || error.mayPass ? error.code : .unusable
            error = .ofTheirs(code, state, at: result.place, endpoint)
        }
        // The server stops, or no longer accepts writes. The next connection goes to the one that replaced it.
        if error.code == .unreachable { throw fail(error) }
        // An old primary without a standby keeps the locks of commits that never finish. So the next connection tries another server first.
        if state == "55P03" {
            end = .lockTimeout
            throw fail(error)
        }
        return error
    }

    /// The connection cannot be used any more.
    func fail(_ error: QueueError) -> QueueError {
        fail()
        return error
    }

    func broken(_ reason: String) -> QueueError { .broken(reason, endpoint, mayBeStored: mayCommit) }

    /// The first line of the last message of libpq.
    var lastMessage: String { PostgresEndpoint.firstLine(PostgresEndpoint.message(handle)) }

    private func wait(for events: Int32, until deadline: ContinuousClock.Instant) throws(QueueError) {
        switch PostgresSocket.wait(PQsocket(handle), for: events, until: deadline) {
        case .isReady: return
        case .timedOut:
            end = .noAnswer
            throw fail(.noAnswer(answerTime, endpoint, mayBeStored: mayCommit))
        case .failed: throw fail(broken("its socket is closed"))
        }
    }
}
