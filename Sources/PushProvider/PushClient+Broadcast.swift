public import Logging

/// Broadcasts: one request updates the Live Activities of all devices that subscribe to a channel.
extension PushClient {
    /// Sends a broadcast and waits for its outcome, until the deadline at most.
    ///
    /// - Parameters:
    ///   - broadcast: The broadcast.
    ///   - timeout: The maximum time until the outcome; the timeout of the configuration by default.
    ///   - logger: Gets the retries and the outcome of this broadcast.
    /// - Returns: The acceptance by APNs; its ``PushOutcome/Acceptance/apnsID`` is the `apns-request-id`.
    /// - Throws: Every other outcome.
    @discardableResult
    public func send(
        _ broadcast: PushBroadcast, timeout: Duration? = nil, logger: Logger? = nil
    ) async throws(PushOutcome) -> PushOutcome.Acceptance {
        try await outcome(of: broadcast, timeout: timeout, logger: logger).get()
    }

    /// Sends a broadcast and returns its outcome as a value.
    ///
    /// - Parameters:
    ///   - broadcast: The broadcast.
    ///   - timeout: The maximum time until the outcome; the timeout of the configuration by default.
    ///   - logger: Gets the retries and the outcome of this broadcast.
    /// - Returns: One of the five outcomes.
    public func outcome(
        of broadcast: PushBroadcast, timeout: Duration? = nil, logger: Logger? = nil
    ) async -> PushOutcome {
        await outcome(of: broadcast, timeout: timeout, lifetime: nil, logger: logger)
    }

    /// The same for a broadcast whose expiration was counted by another clock: `lifetime` is the time until then.
    package func outcome(
        of broadcast: PushBroadcast, timeout: Duration?, lifetime: Duration?, logger: Logger? = nil
    ) async -> PushOutcome {
        let findings = BroadcastChecks.findings(broadcast, checks: configuration.checksNotifications)
        if !findings.isEmpty { return .invalid(findings) }
        let expiration = broadcast.expiration.counted(from: timing.wallSeconds())
        let request = ChannelRequest.send(
            broadcast, expiration: expiration.headerValue ?? "0",
            id: broadcast.requestID.map(RequestID.init) ?? ids.next())
        return await outcome(
            of: request, expiration: expiration, timeout: timeout, lifetime: lifetime, logger: logger)
    }

    func outcome(
        of request: ChannelRequest, expiration: PushExpiration = .apnsDefault, timeout: Duration?,
        lifetime: Duration? = nil, logger: Logger? = nil
    ) async -> PushOutcome {
        let now = timing.now()
        let send = PendingSend(
            PendingSend.Contents(
                kind: request.kind, fields: request.fields, body: request.body, id: request.id, begun: now,
                deadline: now.advanced(byNanoseconds: timeout?.clampedNanoseconds ?? defaultTimeout),
                expires: lifetime.map { now.advanced(by: $0) } ?? expiry(expiration, now)))
        send.logger = logger
        if let tracing { send.span = tracing.begin(request, bytes: request.body.count) }
        await wait(for: send)
        return send.takeOutcome()
    }
}
