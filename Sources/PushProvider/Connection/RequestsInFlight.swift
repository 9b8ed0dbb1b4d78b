internal import Logging
internal import NIOCore
internal import PushWire

/// The requests of a connection that have no outcome yet: submits them, and handles their answers, deadlines and
/// cancellations. Use it only on the event loop of the connection.
final class RequestsInFlight {
    private let number: Int
    private let channel: HTTP2Channel
    private let silence: SilenceCheck
    let ends: AttemptEnds
    private let timing: ClientTiming
    private let logger: Logger
    private let report: @Sendable (ConnectionEvent) -> Void
    weak var owner: ClientConnection?

    /// Decides what the connection may do.
    @exclusivity(unchecked) var state: ConnectionState
    @exclusivity(unchecked) var pace = ConnectionPace()
    /// Whether the connection has carried a request.
    @exclusivity(unchecked) private(set) var hasCarried = false
    @exclusivity(unchecked) private var streams = StreamsInFlight()
    /// When the deadlines of the streams are checked next.
    @exclusivity(unchecked) private var expiryTimer = EarliestTimer()

    init(
        number: Int, _ setup: ConnectionSetup, _ channel: HTTP2Channel, _ silence: SilenceCheck, logger: Logger,
        report: @escaping @Sendable (ConnectionEvent) -> Void
    ) {
        self.number = number
        self.channel = channel
        self.silence = silence
        ends = AttemptEnds(setup)
        timing = setup.timing
        self.logger = logger
        self.report = report
        state = ConnectionState(isAuthenticated: setup.tokens == nil)
    }

    /// Runs the body and counts the time that it takes.
    func working(_ body: () -> Void) {
        let begun = timing.now()
        body()
        pace.worked(for: begun.duration(to: timing.now()))
    }

    func stop() {
        expiryTimer.cancel()
    }

    // MARK: Requests

    func submit(_ send: PendingSend, _ token: ProviderToken?, _ now: MonotonicTime) {
        let tag = streams.add(send, tokenIssuedAt: token?.issuedAt ?? 0, begun: now)
        guard let id = channel.submit(send, token, tag: tag) else {
            // The stream ids of this connection are used up. Another connection sends it.
            _ = streams.remove(tag)
            let outcome = send.unsent(.refused, "the connection has no stream left.", now: now)
            ends.putBack(send, otherwise: outcome, at: now)
            owner?.perform(state.drain())
            return
        }
        streams[tag].streamID = id
        state.requestSubmitted(tokenIssuedAt: token?.issuedAt)
        silence.sent()
        pace.requested(now: now)
        hasCarried = true
        armExpiry(by: send.deadline, now)
    }

    // MARK: Answers

    func streamEnded(_ end: consuming HTTP2StreamEnd, _ now: MonotonicTime) {
        let entry = streams.remove(end.tag)
        if end.response.status != nil {
            pace.answered(after: entry.begun.duration(to: now), now: now)
            silence.streamAnswered()
        }
        if case .resetByPeer(HTTP2ErrorCode.enhanceYourCalm.rawValue) = end.cause { calmDown() }
        let wasUnproven = state.goodAnswers == 0
        let action = state.streamEnded(status: end.response.status)
        if wasUnproven, state.goodAnswers > 0 { report(.authenticated) }
        if let send = entry.send {
            let trace = trace(send, entry, now)
            if let acceptance = StreamResult.acceptance(end, send.kind, trace) {
                if state.hasTopicRefusals, let topic = send.topic { state.topicAnswered(topic) }
                ends.finish(send, acceptance)
            } else {
                conclude(send, outcome(end, send, trace), end.response, entry.tokenIssuedAt, now)
            }
        }
        switch action {
        case .none: break
        case .close: owner?.close()
        }
    }

    private func calmDown() {
        guard let streams = state.receivedEnhanceYourCalm() else { return }
        logger.info("the server asks for fewer streams", metadata: ["streams": "\(streams)"])
    }

    private func outcome(_ end: HTTP2StreamEnd, _ send: PendingSend, _ trace: PushOutcome.Trace) -> PushOutcome {
        let reason = owner?.endReason
        return StreamResult.outcome(
            of: StreamResult.Facts(
                end: end,
                kind: send.kind,
                wasWritten: channel.isWritten(end.tag),
                connectionError: reason?.failure?.description,
                goAway: reason?.goAwayMessage,
                isCertificateRefused: reason?.certificateRefusal != nil,
                apnsID: send.apnsID,
                registered: send.registered,
                trace: trace
            ))
    }

    private func trace(_ send: PendingSend, _ entry: StreamsInFlight.Entry, _ now: MonotonicTime) -> PushOutcome.Trace {
        PushOutcome.Trace(
            queued: send.begun.duration(to: entry.begun),
            inFlight: entry.begun.duration(to: now),
            attempts: (send.past?.history.attempts ?? 0) + 1,
            connection: number
        )
    }

    private func conclude(
        _ send: PendingSend, _ outcome: PushOutcome, _ response: HTTP2Response,
        _ tokenIssuedAt: Int, mayRetry: Bool = true, _ now: MonotonicTime
    ) {
        let consequence = ends.conclude(
            send, outcome, response, tokenIssuedAt: tokenIssuedAt, mayRetry: mayRetry, now)
        switch consequence {
        case .none, .noNewerToken: break
        case .leave: owner?.perform(state.drain())
        case .returnedAgain: owner?.perform(state.returnedAgain())
        }
        guard case .rejected(let rejection) = outcome else { return }
        // The notification is sent again with a newer token.
        if consequence == .leave, rejection.reason == .expiredProviderToken { return }
        rejected(rejection, topic: send.topic, noNewerToken: consequence == .noNewerToken)
    }

    /// Reports a rejection that concerns more than its notification: all sends with these credentials, or all sends to
    /// a topic.
    private func rejected(_ rejection: PushOutcome.Rejection, topic: String?, noNewerToken: Bool) {
        let reason = rejection.reason.map { " \(PeerText.printable($0.rawValue))" } ?? ""
        let message = "\(rejection.status)\(reason)"
        let reports = state.rejected(
            status: rejection.status, rejection.reason, topic: topic, noNewerToken: noNewerToken)
        for rejected in reports {
            switch rejected {
            case .keyRefused(let hadFitted): report(.keyRefused(message: message, hadFitted: hadFitted))
            case .topicRefused: report(.topicRefused(topic ?? "", message: message))
            case .newestTokenRefused: report(.newestTokenRefused(message: message))
            case .credentialsRefused:
                report(.credentialsRefused(message: message, certificate: owner?.endReason.certificateRefusal))
            }
        }
    }

    /// Puts the sends to send again into the queue.
    func giveBack() {
        if let event = ends.giveBack() { report(event) }
    }

    // MARK: Deadlines and cancellation

    private func expire() {
        noticeEnds()
        let now = timing.now()
        expiryTimer.fired()
        for tag in streams.late(now: now) {
            guard let send = streams[tag].send else { continue }
            let isAnswered = abandon(tag, send, .deadline, "its deadline passed before the answer arrived.")
            guard !isAnswered else { continue }
            if silence.deadlinePassed(isStarved: pace.isStarved(since: streams[tag].begun, now: now)) {
                owner?.perform(state.drain())
            }
        }
        if let next = streams.nextDeadline { armExpiry(by: next, now) }
        noticeEnds()
        owner?.pull()
    }

    private func armExpiry(by time: MonotonicTime, _ now: MonotonicTime) {
        expiryTimer.arm(by: time, now: now) { wait in channel.schedule(after: wait) { self.expire() } }
    }

    /// Cancels one send.
    ///
    /// - Returns: `false` if this connection does not have it.
    func cancel(_ send: PendingSend) -> Bool {
        noticeEnds()
        guard let tag = streams.tag(of: send) else { return false }
        abandon(tag, send, .cancelled, "its task was cancelled before the answer arrived.")
        noticeEnds()
        // The stream is free again.
        owner?.pull()
        return true
    }

    /// Handles the streams that HTTP/2 has reset: those with malformed answers before any stream is cancelled, so that
    /// they end as malformed, and then the cancelled ones.
    private func noticeEnds() {
        channel.flush()
        owner?.takeEvents()
    }

    /// Resets a stream, which frees it for another request, and gives its send the outcome.
    ///
    /// If the status of the answer has arrived, it counts. Without a status, the outcome is unknown as soon as the
    /// request was given to the socket: bytes in the buffer of this process are still sent unless the connection ends.
    ///
    /// - Returns: Whether the status has arrived.
    @discardableResult
    private func abandon(
        _ tag: Int, _ send: PendingSend, _ cause: PushOutcome.Cause, _ message: String
    ) -> Bool {
        let entry = streams[tag]
        let answer = channel.http2.answerSoFar(on: entry.streamID)
        streams[tag].send = nil
        channel.http2.reset(entry.streamID, code: .cancel)
        let now = timing.now()
        let trace = trace(send, entry, now)
        guard let answer, let outcome = StreamResult.outcome(of: answer, send.kind, registered: send.registered, trace)
        else {
            let phase: PushOutcome.Phase = channel.isWritten(tag) ? .wait : .write
            let unknown = PushOutcome.Unknown(
                cause: cause, phase: phase, apnsID: send.apnsID, description: message, trace: trace)
            ends.finish(send, .unknown(unknown))
            return false
        }
        switch outcome {
        case .accepted, .invalid: ends.finish(send, outcome)
        case .rejected, .notSent, .unknown:
            conclude(send, outcome, answer, entry.tokenIssuedAt, mayRetry: false, now)
        }
        return true
    }
}

/// The sends on the streams of a connection, by the tag that HTTP/2 uses for each stream.
struct StreamsInFlight {
    struct Entry {
        /// `nil` once the send has its outcome and only the end of the stream is awaited.
        var send: PendingSend?
        var streamID: Int32 = 0
        var begun: MonotonicTime
        /// The time of issue of the provider token that the request carried.
        var tokenIssuedAt = 0

        /// Moves the send out, with the other values.
        fileprivate mutating func takeAll() -> Entry {
            Entry(send: send.take(), streamID: streamID, begun: begun, tokenIssuedAt: tokenIssuedAt)
        }
    }

    private var entries: [Entry] = []
    private var freeTags: [Int] = []

    mutating func add(_ send: PendingSend, tokenIssuedAt: Int, begun: MonotonicTime) -> Int {
        let entry = Entry(send: send, begun: begun, tokenIssuedAt: tokenIssuedAt)
        guard let tag = freeTags.popLast() else {
            entries.append(entry)
            return entries.count - 1
        }
        entries[tag] = entry
        return tag
    }

    subscript(tag: Int) -> Entry {
        get { entries[tag] }
        _modify { yield &entries[tag] }
    }

    /// Frees the tag of a stream that has ended, and returns its entry. The entry without its send stays readable until the
    /// tag is used again.
    mutating func remove(_ tag: Int) -> Entry {
        freeTags.append(tag)
        return entries[tag].takeAll()
    }

    func tag(of send: PendingSend) -> Int? {
        entries.firstIndex { $0.send === send }
    }

    /// The tags of the sends whose deadline has passed.
    func late(now: MonotonicTime) -> [Int] {
        entries.indices.filter { tag in entries[tag].send.map { $0.deadline <= now } ?? false }
    }

    var nextDeadline: MonotonicTime? {
        entries.lazy.compactMap { $0.send?.deadline }.min()
    }
}
