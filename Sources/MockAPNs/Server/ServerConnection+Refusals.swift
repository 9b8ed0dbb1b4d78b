internal import PushWire

/// Requests that are not taken: they break a rule of HTTP/2, are beyond a limit, or never come to their end.
extension ServerConnection {
    /// Writes a request into the log whose stream is reset, or ends its connection.
    func refused(_ received: HTTP2Request, _ refusal: HTTP2Refusal) {
        // A fault that acts on the request writes its own line.
        guard runs[received.streamID] == nil, !streamsOverBeforeBody.contains(received.streamID) else { return }
        writeDown(received) { .refused($0, refusal.fact, refusal.detail, refusal.remedy) }
        if refusal == .beyondAcknowledgedLimit {
            firstStreamBeyondLimit = min(firstStreamBeyondLimit ?? .max, received.streamID)
        }
    }

    private func writeDown(_ received: HTTP2Request, _ verdict: (MockRequest) -> Verdict) {
        state.countRequest()
        let request = requestReader.request(received)
        dealtWith.append(DealtWith(request, on: received.streamID, verdict(request), wasAnswered: false))
    }

    /// The GOAWAY for a stream beyond the limit says that the streams behind it were not processed.
    func isBehindStreamBeyondLimit(_ received: HTTP2Request) -> Bool {
        firstStreamBeyondLimit.map { received.streamID > $0 } ?? false
    }

    /// Writes a request into the log that such a GOAWAY passes over. It was counted when it came.
    func passOver(_ received: HTTP2Request) {
        let request = requestReader.request(received)
        let words = """
            A stream before this one is beyond the limit of the SETTINGS that the client has acknowledged. The connection was \
            ended, with a GOAWAY that says that this stream was not processed.
            """
        let verdict = Verdict.refused(request, HTTP2Refusal.beyondAcknowledgedLimit.fact, words)
        dealtWith.append(DealtWith(request, on: received.streamID, verdict, wasAnswered: false))
    }

    /// Writes requests into the log that were begun, and were not whole when the client's connection was ended.
    ///
    /// - Parameter why: Why it was ended.
    func noteUnfinished(_ why: String) {
        for received in wire.http2.unfinishedRequests where received.streamID <= lastStreamTaken {
            let id = received.streamID
            guard runs[id] == nil, !streamsOverBeforeBody.contains(id) else { continue }
            writeDown(received) { .unfinished($0, why) }
        }
    }

    /// Ends the connection of a client that opens more streams than it has acknowledged.
    func endForStreams(from streamID: Int32) {
        goAway(max(0, streamID - 2), .refusedStream, HTTP2Refusal.textOfApple)
        turnAway(
            "the client opened more streams than the SETTINGS allow that it has acknowledged, and got a GOAWAY with REFUSED_STREAM"
        )
    }
}

extension HTTP2Refusal {
    /// The text behind the GOAWAY that was seen at Apple's.
    static let textOfApple = "Maximum active streams violated for this endpoint."

    fileprivate var fact: Fact {
        switch self {
        case .malformed:
            Fact(
                """
                A request that is not legal HTTP/2 gets no answer: its stream is reset, as RFC 9113 section 8.1.1 demands. \
                What APNs does is not known.
                """, .guess)
        case .notTaken:
            Fact(
                """
                A request that the mock cannot take, though HTTP/2 allows it, gets no answer: its stream is reset. What APNs \
                does is not known.
                """, .guess)
        case .beyondAnnouncedLimit, .tooManyEarlyStreams: Allowance.earlyStreamFact
        case .beyondAcknowledgedLimit:
            Fact(
                """
                More streams than the acknowledged SETTINGS allow end the connection with GOAWAY, code 7 and the text \
                "\(Self.textOfApple)".
                """, .observed)
        }
    }

    fileprivate var detail: String {
        switch self {
        case .malformed(let code, let words), .notTaken(let code, let words):
            "\(words) The stream was reset with \(HTTP2Code(rawValue: code))."
        case .beyondAnnouncedLimit:
            """
            The stream is beyond the limit that SETTINGS announce, and the client has not acknowledged them yet. The stream \
            was reset with REFUSED_STREAM.
            """
        case .tooManyEarlyStreams(let most):
            """
            The stream is beyond the limit that SETTINGS announce, the client has not acknowledged them yet, and more than \
            \(most) streams are open: that many are served. The stream was reset with REFUSED_STREAM.
            """
        case .beyondAcknowledgedLimit:
            "The stream is beyond the limit of the SETTINGS that the client has acknowledged. The connection was ended."
        }
    }

    fileprivate var remedy: String? {
        switch self {
        case .beyondAnnouncedLimit:
            "Start the mock with --early-streams serve (MockVariants.refusesEarlyStreams = false)."
        case .tooManyEarlyStreams:
            "Wait for the server's SETTINGS, and keep to their limit."
        case .malformed, .notTaken, .beyondAcknowledgedLimit: nil
        }
    }
}

extension Verdict {
    static let checkOfHTTP2 = "rules of HTTP/2"

    fileprivate static func refused(
        _ request: MockRequest, _ fact: Fact, _ detail: String, _ remedy: String? = nil
    ) -> Verdict {
        Verdict(
            status: 0, messageID: request.id ?? "", check: checkOfHTTP2, fact: fact, detail: detail, remedy: remedy)
    }

    fileprivate static func unfinished(_ request: MockRequest, _ why: String) -> Verdict {
        Verdict(
            status: 0, messageID: request.id ?? "", check: "whole request",
            fact: Fact(
                "A request whose connection ends before its body does is not judged and gets no answer.", .guess),
            detail: "The connection ended before the request was whole: \(why)")
    }

    /// The body of the answer. An answer to HEAD has none (RFC 9110 section 9.3.2).
    func body(for request: MockRequest) -> [UInt8] {
        request.method == "HEAD" ? [] : body
    }
}
