import APNSVocabulary
internal import NIOCore
public import PushPlatform

extension MockServer {
    // MARK: Finding requests

    /// Returns the requests in the log that match a search, oldest first.
    ///
    /// - Parameter search: The search.
    /// - Returns: The requests.
    public func arrivals(matching search: MockArrivalSearch) -> [MockArrival] {
        let observer = observer
        return state.journal.all.filter { search.matches($0, seenBy: observer) }
    }

    /// Follows the requests, and knows their outcomes on phones; `nil` if there are no phones.
    package var observer: (any ArrivalObserver)? {
        get { state.observer }
        set { state.observer = newValue }
    }

    /// Returns requests in the log without waiting.
    ///
    /// - Parameters:
    ///   - number: The number of the first one.
    ///   - count: The maximum number of requests.
    /// - Returns: The requests, oldest first.
    package func arrivalsNow(from number: Int, atMost count: Int) -> [MockArrival] {
        state.journal.page(from: number, atMost: count)
    }

    package var logCapacity: Int { state.configuration.logCount }

    /// Checks an expectation against the log, and waits for further requests until it is decided.
    ///
    /// - Parameters:
    ///   - expectation: The expectation.
    ///   - duration: The maximum time to wait. Zero decides by what is in the log now.
    /// - Returns: The result. If the mock stops or the task is cancelled before it is decided, the expectation is not met.
    public func check(
        _ expectation: MockArrivalExpectation, within duration: Duration = .zero
    ) async -> MockArrivalExpectation.Result {
        do throws(MockWaitError) {
            return try await decide(expectation, within: duration)
        } catch {
            var check = ExpectationCheck(expectation)
            check.add(state.journal.all)
            return check.result(endedBy: error)
        }
    }

    /// Checks an expectation like ``check(_:within:)``. A check that ends early is not in the ``RunLedger``.
    ///
    /// - Throws: ``MockWaitError`` if the mock stops or the task is cancelled before it is decided.
    package func decide(
        _ expectation: MockArrivalExpectation, within duration: Duration
    ) async throws(MockWaitError) -> MockArrivalExpectation.Result {
        let observer = expectation.searches.contains(where: \.concernsPhones) ? observer : nil
        let start = NIODeadline.now()
        let end = start + TimeAmount(duration)
        await observer?.caughtUp()
        // Any number is possible, even the largest.
        let first = max(min(max(expectation.after, 0), .max - 1) + 1, state.journal.firstNumber)
        var check = ExpectationCheck(expectation, seenBy: observer)
        var next = first
        var lastMatch = (count: 0, at: start)
        while true {
            let known = observer?.changeCount ?? 0
            let now = NIODeadline.now()
            if observer != nil {
                // The outcome of a request on a phone can change, so all requests are checked after each change.
                (check, next) = (ExpectationCheck(expectation, seenBy: observer), max(first, state.journal.firstNumber))
            }
            addArrivals(from: &next, into: &check)
            if check.count != lastMatch.count { lastMatch = (check.count, now) }
            let deadline: NIODeadline? =
                switch check.decision {
                case .holds, .fails: nil
                case .open(nil): end
                case .open(let settling?): duration == .zero ? start : lastMatch.at + TimeAmount(settling)
                }
            guard let until = deadline, now < until else {
                let passed = duration != .zero || deadline == nil && observer == nil ? Duration(now - start) : .zero
                let result = check.result(holds: check.isMetAtTheEnd, after: passed)
                state.expectations.add(expectation, result, matched: check.matchedNumbers)
                return result
            }
            if let observer {
                try await change(seenBy: observer, after: known, within: Duration(until - now))
            } else {
                try await arrival(from: next, before: until)
            }
        }
    }

    private func change(
        seenBy observer: any ArrivalObserver, after count: Int, within duration: Duration
    ) async throws(MockWaitError) {
        await observer.change(after: count, within: duration)
        if state.journal.isStopped || observer.isOver {
            throw MockWaitError(code: .stopped, description: "The mock was stopped.")
        }
        if Task.isCancelled { throw MockWaitError(code: .cancelled, description: "The task was cancelled.") }
    }

    /// Waits for a request, or until the time has passed. Then the log is read a last time.
    private func arrival(from number: Int, before until: NIODeadline) async throws(MockWaitError) {
        do throws(MockWaitError) {
            _ = try await state.journal.arrival(from: number, before: until)
        } catch {
            if error.code != .timeout { throw error }
        }
    }

    /// Adds the requests that are in the log now, and moves `next` behind them.
    private func addArrivals(from next: inout Int, into check: inout ExpectationCheck) {
        let total = state.journal.total
        while next <= total {
            let found = state.journal.page(from: next)
            let dropped = state.journal.droppedThrough
            check.miss(max(0, min(dropped, found.first.map { $0.number - 1 } ?? dropped) - next + 1))
            check.add(found)
            next = (found.last?.number ?? total) + 1
        }
    }

    /// Removes one request from the log.
    ///
    /// - Parameter number: The number of the request.
    /// - Returns: Whether it was in the log.
    @discardableResult
    public func removeArrival(_ number: Int) -> Bool {
        state.journal.remove(number)
    }

    // MARK: Behaviour

    /// The rules that clients broke, oldest first. The newest 1000 are kept.
    public var violations: [MockViolation] { state.violations.all.map(\.violation) }

    /// The same, with their times and requests.
    package var violationEntries: [MockViolationEntry] { state.violations.all }

    /// How often each rule was broken since the start or the last reset, sorted by id.
    package var brokenRules: [BrokenRule] { state.violations.brokenRules }

    // MARK: Clock

    /// The time that the mock uses to check requests.
    public var now: Date { state.now }

    /// Moves the clock that the mock uses to check requests. Limits, faults and TLS keep real time. It does not leave the years 1 to
    /// 9999.
    ///
    /// - Parameter duration: How far; negative to move it back.
    public func advanceClock(by duration: Duration) {
        state.changeClock { $0.advance(by: duration / .seconds(1), at: .now) }
    }

    /// Moves the clock until ``endClockShift()``, for a scenario.
    package func shiftClock(by duration: Duration) {
        state.changeClock { $0.shift(by: duration / .seconds(1), at: .now) }
    }

    /// Takes back the moves of ``shiftClock(by:)``, unless the clock was set since.
    package func endClockShift() {
        state.changeClock { $0.endShift(at: .now) }
    }

    /// Sets the clock that the mock uses to check requests.
    ///
    /// - Parameters:
    ///   - time: The time.
    ///   - stops: Whether the clock stays at this time.
    public func setClock(to time: Date, stops: Bool = false) {
        state.changeClock { $0.set(to: time, at: .now, stops: stops) }
    }

    /// Resets the clock to the system's time.
    public func resetClock() {
        state.changeClock { $0 = MockClock() }
    }

    // MARK: Reset

    /// Brings the mock back to the state after its start: the log, violations and channels are empty, the clock shows the
    /// system's time, and settings, keys, faults and devices are those of ``rememberStart()``. Connections stay open; the
    /// numbering continues.
    public func reset() {
        state.reset()
    }

    /// Makes the current settings, keys, faults and devices the state that ``reset()`` restores. Without this call, the settings and
    /// keys are those of the start, and there are no faults and no devices.
    public func rememberStart() {
        state.rememberStart()
    }
}

extension Duration {
    init(_ amount: TimeAmount) { self = .nanoseconds(amount.nanoseconds) }
}
