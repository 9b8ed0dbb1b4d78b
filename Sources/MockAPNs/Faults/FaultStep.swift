public import APNSVocabulary

/// One thing that a fault does. More kinds will come.
public enum FaultStep: Sendable, Hashable {
    /// Does nothing for a while; other streams of the connection go on. With `upTo` the time is drawn between both.
    /// At most an hour. In JSON the time is cut to microseconds.
    case wait(Duration, upTo: Duration? = nil)
    /// Judges the request now and keeps the answer back: what follows decides what the client learns. Requests only.
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
    /// Ends the connection. Nothing can follow.
    case closeConnection(FaultClosing)
}

extension FaultStep {
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
        body: String? = nil
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
    /// TCP ends without a word of TLS.
    case tcpClosed = "tcp_closed"
    /// TCP is reset; what is on its way may be lost.
    case tcpReset = "tcp_reset"
}
