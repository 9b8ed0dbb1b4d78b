internal import NIOCore
import PushPlatform
internal import PushWire

/// Executes the faults of one connection: chooses them, and keeps their progress. The steps are in `FaultPlayer+Steps.swift`.
final class FaultPlayer {
    unowned(unsafe) let connection: ServerConnection

    /// The running faults, by the stream of their request or by their moment.
    private(set) var runs: [Int32: FaultRun] = [:]
    /// A fault that acts as soon as the TLS handshake is complete.
    private var openingRun: FaultRun?
    /// Faults that have more to send, and wait until the client has read enough.
    private var runsWaitingForRoom: [FaultRun] = []
    /// Streams on which a fault has acted before their request was complete.
    private(set) var streamsOverBeforeBody: Set<Int32> = []
    /// The streams of `streamsOverBeforeBody` that have ended: after the events in the queue, no more events follow for them.
    private var streamsToForget: [Int32] = []
    /// The last stream id of the GOAWAY that was sent. Streams above it are not processed.
    var lastStreamTaken = Int32.max

    // What faults have done to the connection.
    /// Nothing is read before TLS.
    private(set) var holdsReads = false
    /// Whether reading has stopped.
    var readsNothing = false
    /// Whether reading and sending have stopped.
    var isSilent = false
    /// Delays on this connection are caused by a fault, so the client's time limits do not apply.
    var isStalledByFault = false
    /// Sends a few bytes at a time.
    var trickleHandler: TrickleHandler?
    /// The mock selects no protocol by ALPN, whatever the client offers.
    var agreesOnNothing = false
    /// A fault has set the number of streams.
    var limitsStreams = false

    init(_ connection: ServerConnection) {
        self.connection = connection
    }

    /// Whether bytes of the client are read.
    var letsRead: Bool { !holdsReads && !readsNothing && !isSilent }

    // MARK: Choosing faults

    private func run(at moment: MockFaultMoment) -> FaultRun? {
        connection.state.order(for: FaultEvent(moment: moment, connection: connection.number)).map {
            FaultRun($0, of: connection.state, at: moment)
        }
    }

    func run(
        for request: MockRequest, number: Int, on streamID: Int32, would verdict: MockVerdict? = nil
    ) -> FaultRun? {
        var asked = FaultEvent.Request(request, number: number, numberOnConnection: connection.requests.count)
        asked.verdict = verdict
        return run(.request, asked, request, on: streamID)
    }

    /// For a request whose body has not arrived yet. Stream ids are odd, from 1, so the id gives the number of the request.
    func run(forHeadersOf request: MockRequest, on streamID: Int32) -> FaultRun? {
        let asked = FaultEvent.Request(request, number: 0, numberOnConnection: Int(streamID / 2) + 1)
        return run(.requestHeaders, asked, request, on: streamID)
    }

    private func run(
        _ moment: MockFaultMoment, _ asked: FaultEvent.Request, _ request: MockRequest, on streamID: Int32
    ) -> FaultRun? {
        let event = FaultEvent(moment: moment, connection: connection.number, request: asked)
        return connection.state.order(for: event).map {
            FaultRun($0, of: connection.state, at: moment, request: (request, streamID))
        }
    }

    // MARK: Moments of the connection

    /// TCP is connected, and nothing has been read.
    func connectionAccepted() {
        if let run = run(at: .connectionAccepted) { begin(run) }
    }

    /// The TLS handshake is complete.
    ///
    /// - Returns: Whether a fault delays the start of HTTP/2. It acts at ``beginOpening()``.
    func holdsOpening() -> Bool {
        openingRun = run(at: .connectionEstablished)
        return openingRun != nil
    }

    /// The bytes that came with the handshake have been read.
    func beginOpening() {
        guard !connection.isOver, let run = openingRun else { return }
        openingRun = nil
        begin(run)
    }

    /// Whether a fault acted on the headers of this request, and either replaced the answer or is still running.
    func isInterrupted(_ received: HTTP2Request, number: Int) -> Bool {
        if streamsOverBeforeBody.remove(received.streamID) != nil { return true }
        guard let run = runs[received.streamID], run.moment == .requestHeaders else { return false }
        run.whole = (received, number)
        return true
    }

    /// Whether a fault acts on a stream, or has ended it before its request was complete.
    func concerns(_ streamID: Int32) -> Bool { runs[streamID] != nil || streamsOverBeforeBody.contains(streamID) }

    /// Called when all received events have been processed.
    func forgetEndedStreams() {
        streamsOverBeforeBody.subtract(streamsToForget)
        streamsToForget.removeAll(keepingCapacity: true)
    }

    /// Executes steps on an open connection, at the request of a test. Before the mock's SETTINGS, it does nothing.
    func begin(_ order: FaultOrder) {
        guard !connection.isOver, connection.hasAnnounced else { return }
        begin(FaultRun(order, of: connection.state, at: .connectionEstablished))
        // No received bytes cause what the steps have prepared to be sent.
        connection.settle()
    }

    // MARK: Running

    func begin(_ run: FaultRun) {
        connection.state.records.change(connection.number) { record in
            if let (_, streamID) = run.request { record.acted(run.mark, on: streamID) } else { record.acted(run.mark) }
        }
        if run.moment == .connectionAccepted {
            holdsReads = true
            connection.limits.doNotLimitHandshake()
        }
        advance(run)
    }

    /// Executes the steps up to the next wait, or to the end.
    private func advance(_ run: FaultRun) {
        while !connection.isOver, let step = run.nextStep() {
            guard case .wait(let delay) = step else {
                perform(step, run)
                if run.isRepeating, !connection.isOver, pauses(run) { return }
                continue
            }
            runs[run.key] = run
            run.timer = connection.context?.eventLoop.assumeIsolated().scheduleTask(
                in: TimeAmount(delay.time(drawn: 0))
            ) {
                [connection] in connection.faults.goOnWith(run)
            }
            return
        }
        runs[run.key] = nil
        if !connection.isOver, !run.isDecided { goOn(run) }
        afterRun(run)
    }

    /// Continues after a pause.
    private func goOnWith(_ run: FaultRun) {
        connection.move(to: run.state)
        advance(run)
        connection.requests.publish()
        connection.settle()
    }

    // MARK: Flow control

    /// Pauses a repeated step after each part: until the client has read it, or to let other connections run.
    ///
    /// - Returns: Whether the run was paused. It continues later.
    private func pauses(_ run: FaultRun) -> Bool {
        run.stepsInTurn += 1
        guard connection.wire.waitingByteCount >= Self.partBytes || run.stepsInTurn >= Self.stepsInTurn else {
            return false
        }
        sendAll()
        guard connection.context?.channel.isWritable ?? false else {
            waitForRoom(run)
            return true
        }
        guard run.stepsInTurn >= Self.stepsInTurn else { return false }
        run.stepsInTurn = 0
        runs[run.key] = run
        run.timer = connection.context?.eventLoop.assumeIsolated().scheduleTask(in: .zero) { [connection] in
            connection.faults.goOnWith(run)
        }
        return true
    }

    /// The number of waiting bytes after which a run sends, and pauses if the client does not read.
    private static let partBytes = 64 * 1024
    /// The maximum number of steps in one turn of the event loop. After them, other connections have their turn.
    private static let stepsInTurn = 4096

    private func waitForRoom(_ run: FaultRun) {
        runs[run.key] = run
        runsWaitingForRoom.append(run)
    }

    func roomIsThere() {
        guard !runsWaitingForRoom.isEmpty else { return }
        let waiting = runsWaitingForRoom
        runsWaitingForRoom = []
        for run in waiting where !connection.isOver { goOnWith(run) }
    }

    /// Does what the mock would do without the fault.
    private func goOn(_ run: FaultRun) {
        switch run.moment {
        case .connectionAccepted:
            holdsReads = false
            connection.limits.limitHandshake()
            connection.readAgain()
        case .connectionEstablished: release()
        // `afterRun` continues, when the body has arrived.
        case .requestHeaders: break
        case .request:
            guard let (request, streamID) = standing(run) else { return }
            let verdict = run.verdict ?? judge(request)
            let wasAnswered = connection.requests.answer(verdict, to: request, on: streamID)
            decide(run, verdict, wasAnswered: wasAnswered)
        }
    }

    /// The verdict on a request as if no fault acted, at this moment of the mock's clock.
    func judge(_ request: MockRequest) -> MockVerdict {
        connection.requests.judge(request, connection.state.snapshot(for: 0), connection.state.now)
    }

    /// Serves a request that was interrupted at its headers, if it is complete and the fault has not answered it.
    private func afterRun(_ run: FaultRun) {
        guard run.moment == .requestHeaders, let request = run.request, !connection.isOver else { return }
        if run.isDecided {
            if run.whole == nil { streamsOverBeforeBody.insert(request.streamID) }
        } else if let (received, number) = run.whole {
            run.whole = nil
            connection.requests.accept(
                received, number: number, connection.state.snapshot(for: 0), connection.state.now)
        }
    }

    /// The request of a run, if it can still be answered and has not been. If its stream has ended, the log says so.
    func standing(_ run: FaultRun) -> (MockRequest, Int32)? {
        guard let request = run.request, !run.isDecided else { return nil }
        guard connection.wire.http2.hasStream(request.streamID) else {
            leave(run, "The stream had ended before the answer was sent.")
            return nil
        }
        return (request.asked, request.streamID)
    }

    func decide(_ run: FaultRun, _ verdict: MockVerdict, wasForced: Bool = false, wasAnswered: Bool = true) {
        run.isDecided = true
        guard let request = run.request else { return }
        connection.requests.add(
            JudgedRequest(
                request.asked, on: request.streamID, verdict, by: connection.requests.sender, wasForced: wasForced,
                wasAnswered: wasAnswered && !isSilent, fault: run.mark), of: run.state)
    }

    /// Logs the request as not answered, with the verdict if there is one.
    func leave(_ run: FaultRun, _ why: String) {
        guard !run.isDecided else { return }
        run.isDecided = true
        guard let request = run.request else { return }
        decide(run, run.verdict ?? .unanswered(request.asked, why), wasForced: run.verdict == nil, wasAnswered: false)
    }

    // MARK: End of streams and of the connection

    func streamIsGone(_ end: HTTP2StreamEnd) {
        guard !runs.isEmpty || !streamsOverBeforeBody.isEmpty else { return }
        // The end of its request may be in the queue of events, not processed yet.
        if streamsOverBeforeBody.contains(end.streamID) { streamsToForget.append(end.streamID) }
        guard let run = runs[end.streamID] else { return }
        if case .resetByPeer = end.cause {
            leave(run, "The client reset the stream before the answer was sent.")
        } else {
            leave(run, "The stream ended before the answer was sent.")
        }
    }

    /// Ends all runs, because the connection has ended.
    func abandonRuns() {
        for run in runs.values {
            run.timer?.cancel()
            leave(run, "The connection ended before the answer was sent.")
        }
        runs = [:]
    }
}
