internal import NIOCore
internal import PushWire

/// Faults take their course. What their steps do stands in `ServerConnection+FaultSteps.swift`.
extension ServerConnection {
    // MARK: Which

    func run(at moment: FaultMoment) -> FaultRun? {
        state.order(for: FaultHappening(moment: moment, connection: number)).map { FaultRun($0, at: moment) }
    }

    func run(for request: MockRequest, number: Int, on streamID: Int32) -> FaultRun? {
        let asked = FaultHappening.Request(request, number: number, numberOnConnection: requestCount)
        return run(.request, asked, request, on: streamID)
    }

    /// Before its body is there: streams have odd ids from 1, so they say which one it is.
    func run(forHeadersOf request: MockRequest, on streamID: Int32) -> FaultRun? {
        let asked = FaultHappening.Request(request, number: 0, numberOnConnection: Int(streamID / 2) + 1)
        return run(.requestHeaders, asked, request, on: streamID)
    }

    private func run(
        _ moment: FaultMoment, _ asked: FaultHappening.Request, _ request: MockRequest, on streamID: Int32
    ) -> FaultRun? {
        let happening = FaultHappening(moment: moment, connection: number, request: asked)
        return state.order(for: happening).map { FaultRun($0, at: moment, request: (request, streamID)) }
    }

    // MARK: Its course

    func begin(_ run: FaultRun) {
        state.records.change(number) { record in
            if let (_, streamID) = run.request { record.acted(run.mark, on: streamID) } else { record.acted(run.mark) }
        }
        if run.moment == .connectionAccepted {
            holdsReads = true
            doNotLimitHandshake()
        }
        advance(run)
    }

    /// Goes on until a wait, or to the end.
    private func advance(_ run: FaultRun) {
        while !isOver, let step = run.nextStep() {
            guard case .wait(let delay) = step else {
                perform(step, run)
                if run.isRepeating, !isOver, pauses(run) { return }
                continue
            }
            runs[run.key] = run
            run.timer = context?.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(delay.time(drawn: 0))) {
                self.goOnWith(run)
            }
            return
        }
        runs[run.key] = nil
        if !isOver, !run.isDecided { goOn(run) }
        afterRun(run)
    }

    /// After a pause.
    private func goOnWith(_ run: FaultRun) {
        advance(run)
        publish()
        settle()
    }

    // MARK: Its pace

    /// What is sent again and again goes out in parts, when the client has taken those before; others have their turn meanwhile.
    ///
    /// - Returns: Whether the run goes on later.
    private func pauses(_ run: FaultRun) -> Bool {
        run.stepsInTurn += 1
        guard wire.waitingByteCount >= Self.partBytes || run.stepsInTurn >= Self.stepsInTurn else { return false }
        sendAll()
        guard context?.channel.isWritable ?? false else {
            waitForRoom(run)
            return true
        }
        guard run.stepsInTurn >= Self.stepsInTurn else { return false }
        run.stepsInTurn = 0
        runs[run.key] = run
        run.timer = context?.eventLoop.assumeIsolated().scheduleTask(in: .zero) { self.goOnWith(run) }
        return true
    }

    private static let partBytes = 64 * 1024
    private static let stepsInTurn = 4096

    private func waitForRoom(_ run: FaultRun) {
        runs[run.key] = run
        runsWaitingForRoom.append(run)
    }

    func roomIsThere() {
        guard !runsWaitingForRoom.isEmpty else { return }
        let waiting = runsWaitingForRoom
        runsWaitingForRoom = []
        for run in waiting where !isOver { goOnWith(run) }
    }

    /// Does what the mock would have done without the fault.
    private func goOn(_ run: FaultRun) {
        switch run.moment {
        case .connectionAccepted:
            holdsReads = false
            limitHandshake()
            readAgain()
        case .connectionEstablished: release()
        // It waits for the body, or has it already.
        case .requestHeaders: break
        case .request:
            guard let (request, streamID) = standing(run) else { return }
            let verdict = run.verdict ?? judge(request, state.snapshot(for: 0), .now)
            let wasAnswered = answer(verdict, to: request, on: streamID)
            decide(run, verdict, wasAnswered: wasAnswered)
        }
    }

    /// A request that was interrupted at its headers is dealt with when it is there, unless it was.
    private func afterRun(_ run: FaultRun) {
        guard run.moment == .requestHeaders, let request = run.request, !isOver else { return }
        if run.isDecided {
            if run.whole == nil { streamsOverBeforeBody.insert(request.streamID) }
        } else if let (received, number) = run.whole {
            run.whole = nil
            take(received, number: number, state.snapshot(for: 0), .now)
        }
    }

    /// The request of a run, if it can still be answered and was not; one whose stream is gone is passed over.
    func standing(_ run: FaultRun) -> (MockRequest, Int32)? {
        guard let request = run.request, !run.isDecided else { return nil }
        guard wire.http2.hasStream(request.streamID) else {
            leave(run, "The stream was gone when its answer was due.")
            return nil
        }
        return (request.asked, request.streamID)
    }

    func decide(_ run: FaultRun, _ verdict: Verdict, wasForced: Bool = false, wasAnswered: Bool = true) {
        run.isDecided = true
        guard let request = run.request else { return }
        dealtWith.append(
            DealtWith(
                request.asked, on: request.streamID, verdict, wasForced: wasForced,
                wasAnswered: wasAnswered && !isSilent,
                fault: run.mark))
    }

    /// Nothing will be answered; what would have been stands in the log where it is known.
    func leave(_ run: FaultRun, _ why: String) {
        guard !run.isDecided else { return }
        run.isDecided = true
        guard let request = run.request else { return }
        decide(run, run.verdict ?? .unanswered(request.asked, why), wasForced: run.verdict == nil, wasAnswered: false)
    }

    // MARK: From outside

    func streamIsGone(_ end: HTTP2StreamEnd) {
        // The end of its request may have come before, and not been looked at yet.
        if streamsOverBeforeBody.contains(end.streamID) { streamsToForget.append(end.streamID) }
        guard let run = runs[end.streamID] else { return }
        if case .resetByPeer = end.cause {
            leave(run, "The client reset the stream before its answer was due.")
        } else {
            leave(run, "The stream ended before its answer was due.")
        }
    }

    /// The connection is over.
    func abandonRuns() {
        for run in runs.values {
            run.timer?.cancel()
            leave(run, "The connection ended before the answer was due.")
        }
        runs = [:]
    }
}
