internal import NIOCore
internal import PushWire

/// What a client may not do: see ``MockLimits``.
extension ServerConnection {
    var limits: MockLimits { state.configuration.limits }

    // MARK: How often

    /// Counts what has come. What is too much is dealt with when what came with it was answered.
    func count(_ frames: [HTTP2FrameNote]) {
        var resets = wire.http2.forcedResets - forcedResets
        forcedResets += resets
        var idle = 0
        for frame in frames {
            if frame.isReset { resets += 1 } else if frame.isIdle { idle += 1 }
        }
        noteOverlongSections()
        if wire.http2.overlongBody != nil { reached = LimitReached(.requestBytes, in: limits) }
        guard resets + idle > 0 else { return }
        let now = NIODeadline.now().uptimeNanoseconds
        if let excess = watch.came(resets: resets, idleFrames: idle, at: now) { reached = excess }
    }

    /// Such a stream was reset, which tells its client nothing; the first one on a connection is told in the log.
    private func noteOverlongSections() {
        guard wire.http2.overlongSections > 0, !hasNotedOverlongSection else { return }
        hasNotedOverlongSection = true
        logger.notice("connection \(number): a stream was reset: \(LimitReached(.headerBytes, in: limits))")
    }

    // MARK: How much

    /// Tells the mock how much this connection keeps of requests that are not whole. When all keep too much, one is ended.
    func tellUnfinished() {
        let bytes = isOver ? 0 : wire.http2.unfinishedBytes
        guard bytes != toldUnfinished else { return }
        toldUnfinished = bytes
        guard let most = state.keepsUnfinished(bytes, connection: number) else { return }
        let excess = LimitReached(.unfinishedBytes, in: limits)
        if most == number {
            reached = excess
        } else {
            state.connections.reach(most) { if !$0.isOver { $0.refuse(excess) } }
        }
    }

    // MARK: How long

    func limitHandshake() {
        timers.handshake = after(limits.handshakeTime) { connection in
            let isReady = connection.wire.tls.isEstablished && connection.wire.http2.peerSettings != nil
            guard !isReady, connection.runs.isEmpty else { return }
            connection.refuse(LimitReached(.handshakeTime, in: connection.limits))
        }
    }

    func doNotLimitHandshake() {
        timers.handshake?.cancel()
    }

    func limitRequests() {
        timers.requests = after(limits.requestTime) { connection in
            let unfinished = connection.wire.http2.oldestUnfinishedRequest
            let newest = connection.wire.http2.newestStreamID
            if let excess = connection.watch.looked(unfinished: unfinished, newest: newest) {
                return connection.refuse(excess)
            }
            connection.limitRequests()
        }
    }

    /// Answers whose body the client grants no window for.
    func limitAnswers() {
        timers.answers = after(limits.unreadTime) { connection in
            let unread = connection.wire.http2.oldestUnsentAnswer
            if let excess = connection.watch.looked(unread: unread) { return connection.refuse(excess) }
            connection.limitAnswers()
        }
    }

    /// What the socket does not take.
    func limitUnwritable(_ isWritable: Bool) {
        timers.writing?.cancel()
        guard !isWritable else { return }
        timers.writing = after(limits.unreadTime) { connection in
            connection.refuse(LimitReached(.unreadTime, in: connection.limits))
        }
    }

    private func after(_ time: Duration?, _ body: @escaping (ServerConnection) -> Void) -> Scheduled<Void>? {
        guard let time else { return nil }
        return context?.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(time)) { [weak self] in
            if let self, !isOver, !isSilent, !isStalledByFault { body(self) }
        }
    }

    // MARK: The end of it

    /// What the client did that made the library end the connection.
    var violation: String {
        let code = wire.goAwayCode.map { " with \($0)" } ?? ""
        let complaint = wire.http2.lastComplaint.map { ": \($0)" } ?? ""
        return "the client broke the rules of HTTP/2, and was told so by a GOAWAY\(code)\(complaint)"
    }

    /// Ends the connection of a client that has gone too far, and says so where it can be heard.
    func refuse(_ reached: LimitReached) {
        if wire.speaksHTTP2 {
            goAway(wire.http2.newestStreamID, .enhanceYourCalm, reached.description)
        }
        turnAway(reached.description)
    }

    /// Ends a connection on which HTTP/2 cannot go on.
    func turnAway(after failure: HTTP2OverTLS.Failure) {
        guard case .http2(let error) = failure else { return turnAway("\(failure)") }
        switch error.code {
        case .unsentAnswersToControl: refuse(LimitReached(.waitingAnswers, in: limits))
        case .continuations: refuse(LimitReached(.continuations, in: limits))
        case .notHTTP2: answerOtherThanHTTP2()
        default: turnAway("\(failure)")
        }
    }
}

/// The timers of a connection; none of them outlives it.
struct LimitTimers {
    var handshake: Scheduled<Void>?
    var requests: Scheduled<Void>?
    var answers: Scheduled<Void>?
    var writing: Scheduled<Void>?

    func cancelAll() {
        for timer in [handshake, requests, answers, writing] { timer?.cancel() }
    }
}

extension HTTP2FrameNote {
    fileprivate var isReset: Bool { FrameType(rawValue: type) == .resetStream }

    /// It brings nothing and makes work; acknowledgements are owed.
    fileprivate var isIdle: Bool {
        switch FrameType(rawValue: type) {
        case .ping, .settings: !acknowledges
        case .priority: true
        default: isEmptyData
        }
    }
}
