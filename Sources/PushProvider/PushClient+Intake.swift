internal import Logging
internal import NIOCore

/// How a notification enters a client, and leaves it before a connection takes it.
extension PushClient {
    /// Begins to send a notification of a sequence. Its outcome goes to the mailbox.
    ///
    /// - Returns: `false` if the sequence is cancelled, and the notification with it.
    @usableFromInline package func begin(
        _ notification: consuming PushNotification, index: Int, timeout: Duration?, for mailbox: OutcomeMailbox
    ) -> Bool {
        // The notification is known to be invalid before it is sent.
        if notification.attachment?.isInvalid == true {
            return mailbox.refuse(notification, index: index, .invalid([]))
        }
        // The result has this expiration too, so that the notification keeps it when it is sent again.
        if notification.expiration?.isDuration == true {
            notification = notification.handedOn(secondsSince1970: timing.wallSeconds())
        }
        let contents: PendingSend.Contents
        do throws(PushOutcome) { contents = try self.contents(notification, timeout) } catch {
            return mailbox.refuse(notification, index: index, error)
        }
        let traced = isTraced ? notification.deviceToken : nil
        let send = SequencedSend(contents, notification, index: index, mailbox: mailbox)
        if let traced, let tracing { send.span = tracing.begin(send.fields, bodyBytes: send.body.count, traced) }
        guard mailbox.expect(send) else {
            let (cause, message) = mailbox.refusal
            end(send, cause, message)
            return false
        }
        enqueue(send)
        return true
    }

    /// Sends a notification whose expiration was counted by another clock, and returns its outcome.
    ///
    /// - Parameters:
    ///   - notification: The notification. Its expiration goes to APNs.
    ///   - timeout: The maximum time until the outcome.
    ///   - lifetime: The time until the expiration, if it has one. The clock of this machine, which may be wrong, is not asked.
    /// - Returns: One of the five outcomes.
    package func outcome(
        of notification: PushNotification, timeout: Duration?, lifetime: Duration?
    ) async -> PushOutcome {
        let send: PendingSend
        do throws(PushOutcome) { send = try accept(notification, timeout, lifetime: lifetime) } catch { return error }
        await wait(for: send)
        return send.takeOutcome()
    }

    /// Checks and encodes a notification, on the thread of the caller.
    func accept(
        _ notification: PushNotification, _ timeout: Duration?, lifetime: Duration? = nil
    ) throws(PushOutcome) -> PendingSend {
        let send = PendingSend(try contents(notification, timeout, lifetime: lifetime))
        if isTraced, let tracing {
            send.span = tracing.begin(send.fields, bodyBytes: send.body.count, notification.deviceToken)
        }
        return send
    }

    package func refuses(_ notification: PushNotification) -> Bool {
        let whole = (notification.topic.isEmpty ? notification.addressed(by: credentials) : notification).settled
        let findings = Refusals.findings(
            whole, whole.inferred, certificate: certificateCheck, checks: configuration.checksNotifications)
        return !findings.isEmpty
    }

    private func contents(
        _ notification: PushNotification, _ timeout: Duration?, lifetime: Duration? = nil
    ) throws(PushOutcome) -> PendingSend.Contents {
        // The notification is copied only if it must change.
        if notification.expiration?.isDuration == true {
            return try contents(
                notification.handedOn(secondsSince1970: timing.wallSeconds()), timeout, lifetime: lifetime)
        }
        if notification.topic.isEmpty {
            return try checked(notification.addressed(by: credentials).settled, timeout, lifetime)
        }
        return try notification.payload.pushType == nil
            ? checked(notification, timeout, lifetime) : checked(notification.settled, timeout, lifetime)
    }

    private func checked(
        _ notification: PushNotification, _ timeout: Duration?, _ lifetime: Duration?
    ) throws(PushOutcome) -> PendingSend.Contents {
        let inferred = notification.inferred
        let findings = Refusals.findings(
            notification, inferred, certificate: certificateCheck, checks: configuration.checksNotifications)
        if !findings.isEmpty { throw .invalid(findings) }
        // APNs must see the same id if the notification is sent twice.
        let isNamed = configuration.assignsIDs || configuration.retry.guarantee == .atLeastOnce
        let id = notification.id.map(RequestID.init) ?? (isNamed ? ids.next() : nil)
        let now = timing.now()
        return PendingSend.Contents(
            fields: RequestHeaders(notification, inferred, id: id).fields,
            body: notification.payload.bytes,
            id: id,
            begun: now,
            deadline: now.advanced(byNanoseconds: timeout?.clampedNanoseconds ?? defaultTimeout),
            expires: lifetime.map { now.advanced(by: $0) } ?? expiry(notification.effectiveExpiration, now),
            registered: notification.registeredMilliseconds,
            key: notification.collapseID == nil ? nil : CollapseKey(notification, inferred)
        )
    }

    /// The expiration of a notification, on the clock of the deadlines.
    func expiry(_ expiration: PushExpiration, _ now: MonotonicTime) -> MonotonicTime {
        guard case .until(let seconds) = expiration.form, seconds > 0 else { return .never }
        return now.advanced(by: .seconds(seconds - timing.wallSeconds()))
    }

    func enqueue(_ send: PendingSend) {
        if send.limit <= send.begun { return endTooLate(send) }
        switch intake.enqueue(send) {
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

    /// Ends a send that is already too late, without opening a connection.
    private func endTooLate(_ send: PendingSend) {
        let (cause, name) = send.whatPassed
        let why = cause == .deadline ? "its timeout isn't longer than zero: " : ""
        end(send, cause, "\(why)its \(name) passed before it was queued.")
    }

    func cancel(_ send: PendingSend) {
        cancel([send])
    }

    /// Cancels several sends: first those in the queue, so that none of them is sent on a stream that another one
    /// frees.
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

    /// Withdraws a send of a sequence if no connection has it. A send in flight gets its own outcome.
    private func withdraw(_ send: PendingSend, _ mismatch: PushMismatch) {
        guard intake.cancel(send) == .withdrawn else { return }
        endWithdrawn(send, .mismatch, mismatch.ofOneNotSent)
    }

    private func endWithdrawn(_ send: PendingSend, _ cause: PushOutcome.Cause, _ message: String) {
        let outcome = send.unsent(cause, message, now: timing.now())
        // Count it before the caller can begin a shutdown.
        metrics.count(outcome)
        send.end(outcome)
    }

    // MARK: Sequences

    package var retry: PushConfiguration.RetryPolicy { configuration.retry }
    /// When a sequence is stopped because device tokens and setup do not match.
    package var mismatchBreaker: PushConfiguration.MismatchBreaker? { configuration.mismatchBreaker }

    /// Stops a sequence: if device tokens do not fit the setup and a breaker is configured, or if APNs refuses the
    /// sender.
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

    /// Ends a send that was never queued. No shutdown reports it.
    private func end(_ send: PendingSend, _ cause: PushOutcome.Cause, _ message: String) {
        let outcome = send.unsent(cause, message, now: timing.now())
        metrics.count(outcome, isUnfinished: false)
        send.end(outcome)
    }
}
