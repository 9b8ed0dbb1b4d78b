/// The clocks and timeouts of a client. Tests replace them.
package struct ClientTiming: Sendable {
    /// The monotonic clock.
    var now: @Sendable () -> MonotonicTime
    /// The wall clock in seconds since 1970, for provider tokens, expirations and the dates of servers.
    var wallSeconds: @Sendable () -> Int
    var resolveTimeout: Duration
    var connectTimeout: Duration
    var handshakeTimeout: Duration
    var settingsTimeout: Duration
    /// How long a connection may be silent before the client sends a PING ahead of the next request.
    var trustedSilence: Duration
    /// How long a connection may be silent before the client sends a PING even if there is nothing to send; `nil` for
    /// never.
    var keepAlive: Duration?
    var pingTimeout: Duration
}

extension ClientTiming {
    /// A reading of both clocks now.
    var reading: ClockSample {
        ClockSample(
            secondsSince1970: wallSeconds(), monotonicSeconds: Int(now().nanoseconds / 1_000_000_000))
    }
}
