internal import NIOCore
import PushPlatform
internal import PushWire

/// Runs the faults: begins them, pauses them, and decides about their requests. `ServerConnection+FaultSteps.swift` has the steps.
extension ServerConnection {
    /// Executes steps on an open connection, at the request of a test. Before the mock's SETTINGS, it does nothing.
    func begin(_ order: FaultOrder) {
        guard !isOver, hasAnnounced else { return }
        begin(FaultRun(order, in: place, at: .connectionEstablished))
        // No received bytes cause what the steps have prepared to be sent.
        processReceived()
    }

    func begin(_ run: FaultRun) {
        place.changeRecord { record in
            if let (_, streamID) = run.request { record.acted(run.mark, on: streamID) } else { record.acted(run.mark) }
        }
        if run.moment == .connectionAccepted {
            faults.holdsReads = true
            limits.timers.handshake?.cancel()
        }
        advance(run)
    }

    /// The bytes that came with the handshake have been read.
    func beginOpening() {
        guard !isOver, let run = faults.takeOpening() else { return }
        begin(run)
    }

    /// Executes the steps up to the next wait, or to the end.
    private func advance(_ run: FaultRun) {
        while !isOver, let step = run.nextStep() {
            if case .wait(let delay) = step {
                let time = TimeAmount(delay.time(drawn: 0))
                // Waits without a time, repeated, would keep the loop from everything else.
                if time > .zero || !run.isRepeating { return resume(run, in: time) }
            } else {
                perform(step, run)
            }
            if run.isRepeating, !isOver, pauses(run) { return }
        }
        faults.remove(run)
        if !isOver, !run.isDecided { finish(run) }
        serveInterrupted(run)
    }

    private func resume(_ run: FaultRun, in time: TimeAmount) {
        faults.keep(run)
        run.timer = context?.eventLoop.assumeIsolated().scheduleTask(in: time) { [self] in resume(run) }
    }

    private func resume(_ run: FaultRun) {
        if run.state === state || !run.state.connections.isStopped {
            move(to: run.state)
            advance(run)
        } else {
            drop(run)
        }
        publish()
        processReceived()
    }

    /// Ends a run whose namespace was deleted, and its request. The connection belongs to another one.
    private func drop(_ run: FaultRun) {
        faults.remove(run)
        guard let (_, streamID) = openRequest(of: run) else { return }
        leave(run, "The namespace was deleted before the answer was sent.")
        wire.http2.reset(streamID, code: .cancel)
    }

    // MARK: Flow control

    /// Pauses a repeated step after each part: until the client has read it, or to let other connections run.
    ///
    /// - Returns: Whether the run was paused. It continues later.
    private func pauses(_ run: FaultRun) -> Bool {
        run.stepsInTurn += 1
        guard wire.waitingByteCount >= Self.partBytes || run.stepsInTurn >= Self.stepsInTurn else { return false }
        sendAll()
        guard context?.channel.isWritable ?? false else {
            faults.waitForRoom(run)
            return true
        }
        guard run.stepsInTurn >= Self.stepsInTurn else { return false }
        run.stepsInTurn = 0
        // A timer without a time would run before the loop reads from any connection.
        resume(run, in: .milliseconds(1))
        return true
    }

    /// The number of waiting bytes after which a run sends, and pauses if the client does not read.
    private static let partBytes = 64 * 1024
    /// The maximum number of steps in one turn of the event loop. After them, other connections have their turn.
    private static let stepsInTurn = 4096

    /// The client has read enough for faults to send more.
    func goOnSending() {
        for run in faults.takeWaitingForRoom() where !isOver { resume(run) }
    }

    // MARK: The end of a run

    /// Does what the mock would do without the fault.
    private func finish(_ run: FaultRun) {
        switch run.moment {
        case .connectionAccepted:
            faults.holdsReads = false
            limitHandshake()
            readAgain()
        case .connectionEstablished: releaseHTTP2()
        // `serveInterrupted` continues, when the body has arrived.
        case .requestHeaders: break
        case .request:
            guard let (request, streamID) = openRequest(of: run) else { return }
            let verdict = run.verdict ?? verdictWithoutFault(on: request)
            let wasAnswered = answer(verdict, to: request, on: streamID)
            decide(run, verdict, wasAnswered: wasAnswered)
        }
    }

    /// The verdict on a request as if no fault acted, at this moment of the mock's clock.
    func verdictWithoutFault(on request: MockRequest) -> MockVerdict {
        let snapshot = state.snapshot(for: 0)
        return verdict(on: request, snapshot, at: snapshot.now)
    }

    /// Serves a request that was interrupted at its headers, if it is complete and the fault has not answered it.
    private func serveInterrupted(_ run: FaultRun) {
        guard run.moment == .requestHeaders, let request = run.request, !isOver else { return }
        if run.isDecided {
            if run.whole == nil { faults.endBeforeBody(request.streamID) }
        } else if let (received, number) = run.whole {
            run.whole = nil
            let snapshot = state.snapshot(for: 0)
            accept(received, number: number, snapshot, at: snapshot.now)
        }
    }

    // MARK: The request of a run

    /// The request of a run, if it can still be answered and has not been. If its stream has ended, the log says so.
    func openRequest(of run: FaultRun) -> (MockRequest, Int32)? {
        guard let request = run.request, !run.isDecided else { return nil }
        guard wire.http2.hasStream(request.streamID) else {
            leave(run, "The stream had ended before the answer was sent.")
            return nil
        }
        return (request.asked, request.streamID)
    }

    func decide(_ run: FaultRun, _ verdict: MockVerdict, wasForced: Bool = false, wasAnswered: Bool = true) {
        run.isDecided = true
        guard let request = run.request else { return }
        let wasAnswered = wasAnswered && !faults.isSilent
        // The client cannot act on an answer that it does not get, and one of the fault's own says nothing about it.
        let behaviour =
            wasForced || !wasAnswered ? [] : judge.takeViolations(verdict, request.asked, in: run.state)
        let judged = JudgedRequest(
            request.asked, on: request.streamID, verdict, by: run.sender ?? judge.sender, wasForced: wasForced,
            wasAnswered: wasAnswered, fault: run.mark, behaviour: behaviour)
        // The request belongs to the namespace of the run, wherever the connection is now.
        if run.state === state { unlogged.add(judged) } else { unlogged.add(judged, of: run.place) }
    }

    /// Logs the request as not answered, with the verdict if there is one.
    func leave(_ run: FaultRun, _ why: String) {
        guard !run.isDecided, let request = run.request else {
            run.isDecided = true
            return
        }
        decide(run, run.verdict ?? .unanswered(request.asked, why), wasForced: run.verdict == nil, wasAnswered: false)
    }

    /// Ends all runs, because the connection has ended.
    func abandonRuns() {
        for run in faults.removeAll() {
            run.timer?.cancel()
            leave(run, "The connection ended before the answer was sent.")
        }
    }
}
