public import APNSVocabulary

/// One thing that a fault does. More kinds will come.
public enum FaultStep: Sendable, Hashable {
    /// Does nothing for a while; other streams of the connection go on.
    case wait(FaultDelay)
    /// Judges the request now and keeps the answer back: what follows decides what the client learns. Whole requests only.
    case judge
    /// Answers in this way. Requests only.
    case answer(FaultAnswer)
    /// Never does what comes next: no answer to a request, no SETTINGS on an established connection, no TLS handshake
    /// on an accepted one. The steps after it are done all the same.
    case noAnswer
    /// Resets the stream. With `afterHeaders` the request is judged and the headers of its answer are sent first, its
    /// end never. Requests only.
    case resetStream(HTTP2Code, afterHeaders: Bool = false)
    /// Says GOAWAY. Requests that it declares unprocessed are not judged. Not before the TLS handshake.
    case goAway(FaultGoAway)
    /// Announces settings, at the beginning in place of the usual ones. Not before the TLS handshake.
    case settings(FaultSettings)
    /// Lets the client send so many bytes more, by WINDOW_UPDATE: 1 to 2 147 483 647. Not before the TLS handshake.
    case openWindow(FaultWindow, by: Int)
    /// Keeps back what the mock would send by itself, on this connection and from now on; an empty set ends that. Not
    /// before the TLS handshake.
    case withhold(Set<FaultWithheld>)
    /// Sends a frame, whatever HTTP/2 says of it: nothing is checked. Not before the TLS handshake.
    case frame(FaultFrame)
    /// Sends bytes: before the TLS handshake as they are, after it in a TLS record in place of frames.
    case bytes(FaultBytes)
    /// From now on sends no more than so many bytes at a time on this connection, and nothing in the time between. TLS
    /// itself is slow then, and everything in it.
    case trickle(bytes: Int, every: Duration)
    /// From now on reads nothing on this connection. The kernel takes what its buffer holds, which is made small.
    case stopReading
    /// From now on neither reads nor sends anything on this connection, nor ends it: to its client it is a path that has
    /// swallowed the packets.
    case fallSilent
    /// Has another certificate or other demands in the TLS handshake. Before it only.
    case tls(FaultTLS)
    /// Does these steps again and again, 1 to 1 000 000 times; each round draws its own times. None of them can be
    /// another `repeated`, or end the connection.
    case repeated([FaultStep], times: Int)
    /// Ends the connection. Nothing can follow.
    case closeConnection(FaultClosing)
}

extension FaultStep {
    /// Does nothing for a while. In JSON the time is cut to microseconds.
    ///
    /// - Parameters:
    ///   - shortest: How long, up to an hour.
    ///   - longest: With it the time is drawn between both.
    /// - Returns: The step.
    public static func wait(_ shortest: Duration, upTo longest: Duration? = nil) -> FaultStep {
        .wait(longest.map { .between(shortest, $0) } ?? .exactly(shortest))
    }

    /// Answers with a status and a reason.
    ///
    /// - Parameters:
    ///   - status: The HTTP status, 200 to 599.
    ///   - reason: The word in the body.
    ///   - timestamp: The time in the body, for a 410.
    ///   - headers: Header fields besides the usual ones, or in place of them.
    ///   - body: The body, in place of the one with the reason.
    /// - Returns: The step.
    public static func answer(
        status: Int, reason: RejectionReason? = nil, timestamp: Moment? = nil, headers: [String: String] = [:],
        body: FaultBytes? = nil
    ) -> FaultStep {
        .answer(FaultAnswer(status: status, reason: reason, timestamp: timestamp, headers: headers, body: body))
    }

    /// Says GOAWAY with Apple's body, `{"reason":"…"}`.
    ///
    /// - Parameters:
    ///   - lastStream: Up to which stream requests are processed.
    ///   - code: The error code.
    ///   - reason: The word in the body; an empty body without one.
    /// - Returns: The step.
    public static func goAway(
        _ lastStream: FaultGoAway.LastStream, code: HTTP2Code = .noError, reason: RejectionReason? = nil
    ) -> FaultStep {
        let text = reason.map { Verdict(status: 0, reason: $0, messageID: "", fact: .accepted).body }
        return .goAway(
            FaultGoAway(lastStream: lastStream, code: code, text: String(decoding: text ?? [], as: UTF8.self)))
    }

    /// Announces how many streams may be open at a time.
    public static func settings(maxConcurrentStreams: UInt32) -> FaultStep {
        .settings(FaultSettings(maxConcurrentStreams: maxConcurrentStreams))
    }
}

/// How a connection is ended.
public enum FaultClosing: String, Sendable, Hashable, CaseIterable {
    /// Properly: TLS says that it ends, then TCP does.
    case tlsClosed = "tls_closed"
    /// By a fatal alert of TLS, `bad_record_mac`, as on a path that changes bytes. Not before the TLS handshake.
    case tlsAlert = "tls_alert"
    /// TCP ends without a word of TLS.
    case tcpClosed = "tcp_closed"
    /// TCP is reset; what is on its way may be lost.
    case tcpReset = "tcp_reset"
}

/// Whose flow-control window it is (RFC 9113 section 5.2).
public enum FaultWindow: String, Sendable, Hashable, CaseIterable {
    /// That of the request's stream. Requests only.
    case stream
    /// That of the connection.
    case connection
}

/// What the mock sends by itself and a fault can keep back.
public enum FaultWithheld: String, Sendable, Hashable, CaseIterable {
    /// WINDOW_UPDATE: what the client has sent is never given back to its windows. What ``FaultStep/openWindow(_:by:)``
    /// gives goes out all the same.
    case windowUpdates = "WINDOW_UPDATE"
    /// The answers to the client's PINGs.
    case pingAnswers = "PING"
    /// The acknowledgements of the client's SETTINGS.
    case settingsAnswers = "SETTINGS"
}
