internal import NIOCore
internal import PushWire

/// Performs the steps of faults.
extension ServerConnection {
    // MARK: Which

    func run(at moment: FaultMoment) -> FaultRun? {
        state.order(for: FaultHappening(moment: moment, connection: number)).map { FaultRun($0, at: moment) }
    }

    func run(for request: MockRequest, number: Int, on streamID: Int32) -> FaultRun? {
        let asked = FaultHappening.Request(request, number: number, numberOnConnection: requestCount)
        let happening = FaultHappening(moment: .request, connection: self.number, request: asked)
        return state.order(for: happening).map { FaultRun($0, at: .request, request: (request, streamID)) }
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
            guard case .wait(let time, _) = step else {
                perform(step, run)
                continue
            }
            runs[run.key] = run
            run.timer = context?.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(time)) {
                self.advance(run)
                self.publish()
                self.settle()
            }
            return
        }
        runs[run.key] = nil
        if !isOver, !run.isDecided { goOn(run) }
    }

    /// Does what the mock would have done without the fault.
    private func goOn(_ run: FaultRun) {
        switch run.moment {
        case .connectionAccepted:
            holdsReads = false
            limitHandshake()
            readAgain()
        case .connectionEstablished: release()
        case .request:
            guard let (request, streamID) = standing(run) else { return }
            let verdict = run.verdict ?? judge(request, state.snapshot(for: 0), .now)
            answer(verdict, on: streamID)
            decide(run, verdict)
        }
    }

    /// The request of a run, if it can still be answered and was not; one whose stream is gone is passed over.
    private func standing(_ run: FaultRun) -> (MockRequest, Int32)? {
        guard let request = run.request, !run.isDecided else { return nil }
        guard wire.http2.hasStream(request.streamID) else {
            leave(run, "The stream was gone when its answer was due.")
            return nil
        }
        return (request.asked, request.streamID)
    }

    private func decide(_ run: FaultRun, _ verdict: Verdict, wasForced: Bool = false, wasAnswered: Bool = true) {
        run.isDecided = true
        guard let request = run.request else { return }
        dealtWith.append(
            DealtWith(
                request.asked, on: request.streamID, verdict, wasForced: wasForced, wasAnswered: wasAnswered,
                fault: run.mark))
    }

    /// Nothing will be answered; what would have been stands in the log where it is known.
    private func leave(_ run: FaultRun, _ why: String) {
        guard !run.isDecided else { return }
        run.isDecided = true
        guard let request = run.request else { return }
        decide(run, run.verdict ?? .unanswered(request.asked, why), wasForced: run.verdict == nil, wasAnswered: false)
    }

    // MARK: From outside

    func streamIsGone(_ streamID: Int32) {
        if let run = runs[streamID] { leave(run, "The client reset the stream before its answer was due.") }
    }

    /// The connection is over.
    func abandonRuns() {
        for run in runs.values {
            run.timer?.cancel()
            leave(run, "The connection ended before the answer was due.")
        }
        runs = [:]
    }

    // MARK: Steps

    private func perform(_ step: FaultStep, _ run: FaultRun) {
        switch step {
        case .wait: break
        case .judge:
            guard let (request, _) = standing(run) else { return }
            run.verdict = judge(request, state.snapshot(for: 0), .now)
        case .answer(let answer): give(answer, run)
        case .noAnswer: leave(run, "It gets no answer.")
        case .resetStream(let code, let afterHeaders): reset(run, code, afterHeaders: afterHeaders)
        case .goAway(let goAway): say(goAway, run)
        case .settings(let settings): change(settings)
        case .closeConnection(let how):
            leave(run, "The connection was ended in its place.")
            close(how)
        }
    }

    private func give(_ answer: FaultAnswer, _ run: FaultRun) {
        guard let (request, streamID) = standing(run) else { return }
        let verdict = answer.verdict(for: request)
        let body = answer.body.map { Array($0.utf8) } ?? verdict.body
        let headers = Self.headers(of: verdict, hasBody: !body.isEmpty, others: answer.headers)
        try? wire.http2.submitResponse(headers, body: body, on: streamID)
        decide(run, verdict, wasForced: true)
    }

    private func reset(_ run: FaultRun, _ code: HTTP2Code, afterHeaders: Bool) {
        guard let (request, streamID) = standing(run) else { return }
        if afterHeaders {
            let verdict = run.verdict ?? judge(request, state.snapshot(for: 0), .now)
            let headers = Self.headers(of: verdict, hasBody: !verdict.body.isEmpty)
            try? wire.http2.beginResponse(headers, on: streamID)
            decide(run, verdict)
        } else {
            leave(run, "The stream was reset in its place (\(code)).")
        }
        sendAll()
        wire.http2.reset(streamID, code: code.onTheWire)
        sendAll()
    }

    private func say(_ goAway: FaultGoAway, _ run: FaultRun) {
        release()
        let streamID = run.request?.streamID ?? 0
        let last = goAway.lastStreamID(on: streamID) ?? wire.http2.newestStreamID
        // A GOAWAY that takes back what another has said is a violation that nghttp2 does not send.
        guard last <= lastStreamTaken else { return }
        lastStreamTaken = last
        // Answers that were given go out before streams are declared unprocessed.
        sendAll()
        self.goAway(last, goAway.code, goAway.text)
        let words = "A GOAWAY declared it unprocessed."
        if streamID > last { leave(run, words) }
        for other in runs.values where other.request?.streamID ?? 0 > last { leave(other, words) }
        sendAll()
    }

    private func change(_ settings: FaultSettings) {
        if settings.maxConcurrentStreams != nil { faultLimitsStreams = true }
        announce(settings.onTheWire)
        release()
    }

    /// HTTP/2 begins, if a fault has kept it from that.
    private func release() {
        if !hasAnnounced { announceFirst() }
        guard wire.holdsHTTP2 else { return }
        receive { () throws(HTTP2OverTLS.Failure) in try wire.releaseHTTP2() }
    }

    private func sendAll() {
        publish()
        flush()
    }
}
