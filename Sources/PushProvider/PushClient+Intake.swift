internal import Logging
internal import NIOCore

/// How a notification comes into a client, and leaves it before a connection has it.
extension PushClient {
    /// Begins a notification of a sequence; its outcome goes to the mailbox.
    ///
    /// - Returns: `false` when the sequence is cancelled, and the notification with it.
    func begin(
        _ notification: consuming PushNotification, index: Int, timeout: Duration?, for mailbox: OutcomeMailbox
    ) -> Bool {
        // Something is known of it without sending it.
        if notification.attachment?.isInvalid == true {
            return mailbox.refuse(notification, index: index, .invalid([]))
        }
        // The result has this time too, so that the notification keeps it when it is handed in again.
        if case .after? = notification.expiration {
            notification = notification.handedOn(secondsSince1970: timing.wallSeconds())
        }
        let contents: PendingSend.Contents
        do throws(PushError) { contents = try self.contents(notification, timeout) } catch {
            return mailbox.refuse(notification, index: index, error)
        }
        let traced = tracing == nil ? nil : notification.deviceToken
        let send = SequencedSend(contents, notification, index: index, mailbox: mailbox)
        if let tracing, let traced { send.span = tracing.begin(send.fields, bodyBytes: send.body.count, traced) }
        guard mailbox.expect(send) else {
            let (cause, message) = mailbox.refusal
            end(send, cause, message)
            return false
        }
        handIn(send)
        return true
    }

    /// Checks and encodes, all on the caller's own thread.
    func takeIn(_ notification: PushNotification, _ timeout: Duration?) throws(PushError) -> PendingSend {
        let send = PendingSend(try contents(notification, timeout))
        if let tracing { send.span = tracing.begin(send.fields, bodyBytes: send.body.count, notification.deviceToken) }
        return send
    }

    /// Whether it would be refused before it is sent.
    package func refuses(_ notification: PushNotification) -> Bool {
        let whole = (notification.topic.isEmpty ? notification.addressed(by: credentials) : notification).settled
        let findings = Refusals.findings(
            whole, whole.inferred, certificate: certificateCheck, checks: configuration.checksNotifications)
        return !findings.isEmpty
    }

    private func contents(
        _ notification: PushNotification, _ timeout: Duration?
    ) throws(PushError) -> PendingSend.Contents {
        // Copied only where it has to change.
        if case .after? = notification.expiration {
            return try contents(notification.handedOn(secondsSince1970: timing.wallSeconds()), timeout)
        }
        if notification.topic.isEmpty { return try checked(notification.addressed(by: credentials).settled, timeout) }
        return try notification.payload.pushType == nil
            ? checked(notification, timeout) : checked(notification.settled, timeout)
    }

    private func checked(
        _ notification: PushNotification, _ timeout: Duration?
    ) throws(PushError) -> PendingSend.Contents {
        let inferred = notification.inferred
        let findings = Refusals.findings(
            notification, inferred, certificate: certificateCheck, checks: configuration.checksNotifications)
        if !findings.isEmpty { throw .invalid(findings) }
        // What may be sent twice must be known by one id.
        let isNamed = configuration.assignsIDs || configuration.retry.guarantee == .atLeastOnce
        let id = notification.id.map(RequestID.init) ?? (isNamed ? ids.next() : nil)
        let now = timing.now()
        return PendingSend.Contents(
            fields: RequestHeaders(notification, inferred, id: id).fields,
            body: notification.payload.bytes,
            id: id,
            begun: now,
            deadline: now.advanced(byNanoseconds: timeout?.clampedNanoseconds ?? usualTimeout),
            expires: expiry(notification.effectiveExpiration, now),
            registered: notification.registeredMilliseconds
        )
    }

    /// When a notification is of no use any more, on the clock of deadlines.
    private func expiry(_ expiration: Expiration, _ now: MonotonicTime) -> MonotonicTime {
        guard case .until(let seconds) = expiration, seconds > 0 else { return .never }
        return now.advanced(by: .seconds(seconds - timing.wallSeconds()))
    }

    func handIn(_ send: PendingSend) {
        if send.limit <= send.begun { return endTooLate(send) }
        switch intake.handIn(send) {
        case .taken(wakeLoop: false): break
        case .taken(wakeLoop: true):
            let limit = send.limit
            loop.execute { [pool] in pool.value.wake(earliestLimit: limit) }
        case .refused(.cancelled):
            let (cause, message) =
                send.mailbox.map { $0._withUnsafeGuaranteedRef { $0.refusal } } ?? (
                    .cancelled, "its task was cancelled."
                )
            end(send, cause, message)
        case .refused(.topicRefused): end(send, .topicRefused, SendIntake.refusal(of: send.topic ?? ""))
        case .refused(let cause): end(send, cause, "the client was shut down.")
        }
    }

    /// No connection is opened for what could not be sent any more.
    private func endTooLate(_ send: PendingSend) {
        guard send.hasExpired(now: send.begun) else {
            return end(
                send, .deadline, "its timeout is not longer than zero: its deadline had come before it was taken in.")
        }
        end(send, .expired, "its expiration had passed before it was taken in.")
    }

    func cancel(_ send: PendingSend) {
        cancel([send])
    }

    /// Cancels several: first those in the queue, so that none of them goes out where another one leaves a stream.
    func cancel(_ sends: [PendingSend]) {
        let onConnections = sends.filter { send in
            switch intake.cancel(send) {
            case .tooLate: return false
            case .withdrawn:
                endWithdrawn(send, .cancelled, "its task was cancelled while it was in the queue.")
                return false
            case .onConnection: return true
            }
        }
        guard !onConnections.isEmpty else { return }
        loop.execute { [pool] in
            for send in onConnections { pool.value.cancel(send) }
        }
    }

    /// Takes a send of a sequence back that no connection has; one that is in flight has its own end.
    private func withdraw(_ send: PendingSend, _ mismatch: PushMismatch) {
        guard intake.cancel(send) == .withdrawn else { return }
        endWithdrawn(send, .mismatch, mismatch.ofOneNotSent)
    }

    private func endWithdrawn(_ send: PendingSend, _ cause: NotSent.Cause, _ message: String) {
        let outcome = send.unsent(cause, message, now: timing.now())
        metrics.count(outcome)
        // Before its caller can ask for a shutdown.
        tally.count(outcome)
        send.end(outcome)
    }

    // MARK: Sequences

    /// What is sent again by itself, and when.
    package var retry: RetryPolicy { configuration.retry }
    /// When a sequence is stopped because device tokens and setup do not fit.
    package var mismatchBreaker: MismatchBreaker? { configuration.mismatchBreaker }

    /// What stops a sequence: device tokens that do not fit the setup, where that is asked for, and a sender that APNs refuses.
    var sequenceBreaker: OutcomeMailbox.Breaker {
        OutcomeMailbox.Breaker(
            watch: configuration.mismatchBreaker.map(MismatchWatch.init),
            diagnose: { PushMismatch($0, topic: $1.topic, environment: self.environment) },
            stopped: { self.stopped($0) },
            withdraw: { self.withdraw($0, $1) }
        )
    }

    private func stopped(_ mismatch: PushMismatch) {
        metrics.stopped(mismatch.reason)
        logger.error("stopped a sequence of notifications", metadata: ["why": "\(mismatch)"])
    }

    /// Of one that was never taken in: no shutdown reports it.
    private func end(_ send: PendingSend, _ cause: NotSent.Cause, _ message: String) {
        let outcome = send.unsent(cause, message, now: timing.now())
        metrics.count(outcome)
        send.end(outcome)
    }
}
