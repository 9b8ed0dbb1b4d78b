/// Broadcasts: one request updates the Live Activities of all devices that subscribe to a channel.
extension PushClient {
    /// Sends a broadcast and waits for its outcome, until the deadline at most.
    ///
    /// - Parameters:
    ///   - broadcast: The broadcast.
    ///   - timeout: As for ``send(_:timeout:)``.
    /// - Returns: The acceptance by APNs; its ``PushAcceptance/apnsID`` is the `apns-request-id`.
    /// - Throws: ``PushError``; its code is rejected, not sent, unknown or invalid.
    @discardableResult
    public func sendBroadcast(
        _ broadcast: PushBroadcast, timeout: Duration? = nil
    ) async throws(PushError) -> PushAcceptance {
        try await outcome(ofBroadcast: broadcast, timeout: timeout).get()
    }

    /// Sends a broadcast and returns its outcome as a value.
    ///
    /// - Parameters:
    ///   - broadcast: The broadcast.
    ///   - timeout: As for ``send(_:timeout:)``.
    /// - Returns: One of the four outcomes.
    /// - Throws: ``PushError`` with code `invalid` if the broadcast breaks a rule and was not queued.
    public func outcome(
        ofBroadcast broadcast: PushBroadcast, timeout: Duration? = nil
    ) async throws(PushError) -> PushOutcome {
        let findings = BroadcastChecks.findings(broadcast, checks: configuration.checksNotifications)
        if !findings.isEmpty { throw .invalid(findings) }
        let expiration = broadcast.expiration.counted(from: timing.wallSeconds())
        let request = ChannelRequest.send(
            broadcast, expiration: expiration.headerValue ?? "0",
            id: broadcast.requestID.map(RequestID.init) ?? ids.next())
        return await outcome(of: request, expiration: expiration, timeout: timeout)
    }

    /// Sends a request about a broadcast or a channel.
    func outcome(
        of request: ChannelRequest, expiration: PushExpiration = .apnsDefault, timeout: Duration?
    ) async -> PushOutcome {
        let now = timing.now()
        let send = PendingSend(
            PendingSend.Contents(
                kind: request.kind, fields: request.fields, body: request.body, id: request.id, begun: now,
                deadline: now.advanced(byNanoseconds: timeout?.clampedNanoseconds ?? usualTimeout),
                expires: expiry(expiration, now)))
        if let tracing { send.span = tracing.begin(request, bytes: request.body.count) }
        await wait(for: send)
        return send.takeOutcome()
    }
}
