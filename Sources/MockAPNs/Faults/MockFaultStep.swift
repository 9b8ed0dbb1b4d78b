public import APNSVocabulary
public import PushPlatform

extension MockFault {
    /// One action of a fault. New kinds can be added.
    public enum Step: Sendable, Hashable {
        /// Waits. Other streams of the connection continue.
        case wait(MockFault.Delay)
        /// Checks the request now and holds the answer back: the next steps decide what the client receives. Only for
        /// complete requests.
        case judge
        /// Sends this answer. Only at moments with a request.
        case answer(MockFault.Answer)
        /// Sends the answer of the checks with these header fields: more fields, or replacements for usual ones; names in lower
        /// case. Only for complete requests.
        case addFields([String: String])
        /// Omits what would come next: the answer to a request, the SETTINGS of an established connection, or the TLS
        /// handshake of an accepted connection. The steps after it are still executed.
        case noAnswer
        /// Resets the stream. With `afterHeaders`, the request is checked and the headers of its answer are sent before the
        /// reset. Only at moments with a request.
        case resetStream(MockHTTP2Code, afterHeaders: Bool = false)
        /// Sends GOAWAY (RFC 9113 section 6.8) with the last stream that the server processes, and with debug data of at most 4096
        /// bytes. Requests that it declares unprocessed are not checked. Not before the TLS handshake.
        ///
        /// For a graceful shutdown in two steps, use a GOAWAY with ``MockFault/Stream/highest``, a wait, and a GOAWAY with
        /// ``MockFault/Stream/newest``. If a later GOAWAY names a higher stream than an earlier one, it is not sent.
        case goAway(MockFault.Stream, code: MockHTTP2Code, text: String)
        /// Sends SETTINGS. On a new connection, they replace the usual ones. Not before the TLS handshake.
        case settings(MockFault.Settings)
        /// Sends WINDOW_UPDATE for ``MockFault/Stream/this`` or ``MockFault/Stream/connection``: the client may send this number of
        /// bytes more, 1 to 2 147 483 647. Not before the TLS handshake.
        case openWindow(MockFault.Stream, by: Int)
        /// From now on does not send these automatic frames on this connection. An empty set ends this. Not before the TLS
        /// handshake.
        case withhold(Set<MockFault.Withheld>)
        /// Sends any frame, legal or not. Nothing is checked. Not before the TLS handshake.
        case frame(MockFault.Frame)
        /// Sends raw bytes instead of frames: without TLS before the TLS handshake, in a TLS record after it.
        case bytes(MockFault.Bytes)
        /// From now on sends at most this number of bytes at a time on this connection, at this interval. TLS is slow, too.
        case trickle(bytes: Int, every: Duration)
        /// From now on does not read on this connection. The kernel's receive buffer is made small and still fills.
        case stopReading
        /// From now on does not read, send or close anything on this connection, like a network that drops all packets.
        case fallSilent
        /// Changes the TLS handshake. Only before the handshake.
        case tls(MockFault.TLS)
        /// Repeats these steps, 1 to 1,000,000 times. Each round draws new random times. The steps cannot contain
        /// `repeated`, `judge`, `tls`, `trickle` or `closeConnection`.
        case repeated([MockFault.Step], times: Int)
        /// Closes the connection. Must be the last step.
        case closeConnection(MockFault.Closing)
    }
}

extension MockFault.Step {
    /// Waits. JSON has the time in microsecond precision.
    ///
    /// - Parameters:
    ///   - shortest: The time, or the shortest time; at most one hour.
    ///   - longest: The longest time. If it is given, the time is drawn at random between the two.
    /// - Returns: The step.
    public static func wait(_ shortest: Duration, upTo longest: Duration? = nil) -> MockFault.Step {
        .wait(longest.map { .between(shortest, $0) } ?? .exactly(shortest))
    }

    /// Answers with a status and a reason.
    ///
    /// - Parameters:
    ///   - status: The HTTP status, 200 to 599.
    ///   - reason: The reason in the body.
    ///   - timestamp: The `timestamp` in the body, for a 410.
    ///   - headers: Additional header fields, or replacements for usual ones.
    ///   - body: The body. It replaces the body with the reason.
    /// - Returns: The step.
    public static func answer(
        status: Int, reason: RejectionReason? = nil, timestamp: Date? = nil, headers: [String: String] = [:],
        body: MockFault.Bytes? = nil
    ) -> MockFault.Step {
        .answer(MockFault.Answer(status: status, reason: reason, timestamp: timestamp, headers: headers, body: body))
    }

    /// Sends GOAWAY with Apple's debug data, `{"reason":"…"}`.
    ///
    /// - Parameters:
    ///   - lastStream: The last stream that the server processes.
    ///   - code: The error code.
    ///   - reason: The reason in the debug data; `nil` for no debug data.
    /// - Returns: The step.
    public static func goAway(
        _ lastStream: MockFault.Stream, code: MockHTTP2Code = .noError, reason: RejectionReason? = nil
    ) -> MockFault.Step {
        let text = reason.map { MockVerdict(status: 0, reason: $0, messageID: "", fact: .accepted).body }
        return .goAway(lastStream, code: code, text: String(decoding: text ?? [], as: UTF8.self))
    }

    /// Sends SETTINGS with the maximum number of open streams.
    public static func settings(maxConcurrentStreams: UInt32) -> MockFault.Step {
        .settings(MockFault.Settings(maxConcurrentStreams: maxConcurrentStreams))
    }
}

extension MockFault {
    /// How a connection is closed.
    public enum Closing: String, Sendable, Hashable, CaseIterable {
        /// Properly: with a TLS close_notify alert, then TCP FIN.
        case tlsClosed = "tls_closed"
        /// With a fatal TLS alert, `bad_record_mac`, as if the network had changed bytes. Not before the TLS handshake.
        case tlsAlert = "tls_alert"
        /// With TCP FIN, without a TLS alert.
        case tcpClosed = "tcp_closed"
        /// With TCP RST. Data in flight may be lost.
        case tcpReset = "tcp_reset"
    }

    /// Frames that the mock sends automatically and that a fault can suppress.
    public enum Withheld: String, Sendable, Hashable, CaseIterable {
        /// WINDOW_UPDATE: the client's windows are not replenished. ``MockFault/Step/openWindow(_:by:)`` still sends.
        case windowUpdates = "WINDOW_UPDATE"
        /// The acknowledgements of the client's PINGs.
        case pingAnswers = "PING"
        /// The acknowledgements of the client's SETTINGS.
        case settingsAnswers = "SETTINGS"
    }
}
