import APNSVocabulary
internal import NIOCore
public import PushPlatform

extension MockServer {
    // MARK: Finding requests

    /// Returns the requests in the log that match a search, oldest first.
    ///
    /// - Parameter search: The search.
    /// - Returns: The requests.
    public func arrivals(matching search: ArrivalSearch) -> [Arrival] {
        state.journal.all.filter(search.matches)
    }

    /// Checks an expectation against the log, and waits for further requests until it is decided.
    ///
    /// - Parameters:
    ///   - expectation: The expectation.
    ///   - duration: The maximum time to wait. Zero decides by what is in the log now.
    /// - Returns: The result. If the mock stops or the task is cancelled, the decision by what has arrived.
    public func check(
        _ expectation: ArrivalExpectation, within duration: Duration = .zero
    ) async -> ArrivalExpectationResult {
        var check = ExpectationCheck(expectation)
        let result = await self.result(of: &check, within: duration)
        state.expectations.add(expectation, result, matched: check.matchedNumbers)
        return result
    }

    /// The expectations that were checked, oldest first. The newest 1000 are kept.
    public var checkedExpectations: [CheckedExpectation] { state.expectations.all }

    /// The requests in the log that no met expectation has matched, oldest first.
    public var unmatchedArrivals: [Arrival] {
        state.journal.all.filter { !state.expectations.isMatched($0.number) }
    }

    private func result(
        of check: inout ExpectationCheck, within duration: Duration
    ) async -> ArrivalExpectationResult {
        let expectation = check.expectation
        let start = NIODeadline.now()
        let end = start + TimeAmount(duration)
        var next = max(expectation.after + 1, state.journal.firstNumber)
        while true {
            let found = state.journal.page(from: next)
            check.miss(max(0, min(state.journal.droppedThrough, found.first.map { $0.number - 1 } ?? .max) - next + 1))
            check.take(found)
            next = max(next, state.journal.droppedThrough + 1, (found.last?.number ?? 0) + 1)
            let now = NIODeadline.now()
            var until = end
            switch check.decision {
            case .holds: return check.result(holds: true, after: Duration(now - start))
            case .fails: return check.result(holds: false, after: Duration(now - start))
            case .open(let settling):
                if let settling { until = min(duration == .zero ? start : .distantFuture, now + TimeAmount(settling)) }
            }
            guard (try? await state.journal.arrival(from: next, before: until)) == nil else { continue }
            // Nothing else arrived in time.
            return check.result(holds: check.isMetAtTheEnd, after: duration == .zero ? .zero : Duration(.now() - start))
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

    // MARK: Conduct

    /// The rules that clients broke, oldest first. The newest 1000 are kept.
    public var violations: [ViolationEntry] { state.violations.all }

    /// How often each rule was broken.
    public var violationCounts: [ViolationCount] { state.violations.counts }

    // MARK: Clock

    /// The time by which requests are judged.
    public var now: Date { state.now }

    /// Moves the clock by which requests are judged. Limits, faults and TLS keep real time.
    ///
    /// - Parameter duration: How far; negative to move it back.
    public func advanceClock(by duration: Duration) {
        let (seconds, attoseconds) = duration.components
        state.changeClock { $0.advance(by: Double(seconds) + Double(attoseconds) / 1e18) }
    }

    /// Sets the clock by which requests are judged.
    ///
    /// - Parameters:
    ///   - time: The time.
    ///   - stops: Whether the clock stays at this time.
    public func setClock(to time: Date, stops: Bool = false) {
        state.changeClock { $0.set(to: time, at: .now, stops: stops) }
    }

    /// Lets the clock show the system's time again.
    public func resetClock() {
        state.changeClock { $0 = MockClock() }
    }

    // MARK: Reset

    /// Brings the mock back to the state after its start: the log, violations and channels are empty, the clock shows the
    /// system's time, and faults and devices are those of ``rememberStart()``. Connections stay open; keys stay trusted; the
    /// numbering continues.
    public func reset() {
        state.reset()
    }

    /// Makes the faults and devices of this moment those to which ``reset()`` returns. Without this call, there are none.
    public func rememberStart() {
        state.rememberStart()
    }
}

extension Duration {
    init(_ amount: TimeAmount) { self = .nanoseconds(amount.nanoseconds) }
}
