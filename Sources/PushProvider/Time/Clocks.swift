/// Time as the delivery sees it, and how long it waits for what: given from outside, so that tests can hold it.
package struct Clocks: Sendable {
    /// The clock that never goes back.
    var now: @Sendable () -> MonotonicTime
    /// Seconds since 1970, for provider tokens, expirations and the dates of servers.
    var wallSeconds: @Sendable () -> Int
    var resolveTimeout: Duration
    var connectTimeout: Duration
    var handshakeTimeout: Duration
    var settingsTimeout: Duration
    /// After so much silence a connection is asked by a PING before it is used.
    var trustedSilence: Duration
    /// After so much silence it is asked even if there is nothing to send.
    var keepAlive: Duration?
    var pingTimeout: Duration
}

extension Clocks {
    /// Both clocks now.
    var reading: ClockReading {
        ClockReading(
            secondsSince1970: wallSeconds(), monotonicSeconds: Int(now().nanoseconds / 1_000_000_000))
    }
}
