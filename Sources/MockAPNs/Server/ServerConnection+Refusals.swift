internal import PushWire

/// Requests that are not taken because they break a rule of HTTP/2.
extension ServerConnection {
    /// Writes a request into the log whose stream is reset, or ends its connection.
    func refused(_ received: HTTP2Request, _ refusal: HTTP2Refusal) {
        // A fault that acts on the request writes its own line.
        guard runs[received.streamID] == nil, !streamsOverBeforeBody.contains(received.streamID) else { return }
        state.countRequest()
        let request = requestReader.request(received)
        let verdict = Verdict.refused(request, refusal)
        dealtWith.append(DealtWith(request, on: received.streamID, verdict, wasAnswered: false))
        if refusal == .beyondAcknowledgedLimit {
            firstStreamBeyondLimit = min(firstStreamBeyondLimit ?? .max, received.streamID)
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
        case .beyondAnnouncedLimit: Allowance.earlyStreamFact
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
        case .malformed(let code, let words): "\(words) The stream was reset with \(HTTP2Code(rawValue: code))."
        case .beyondAnnouncedLimit:
            """
            The stream is beyond the limit that SETTINGS announce, and the client has not acknowledged them yet. The stream \
            was reset with REFUSED_STREAM.
            """
        case .beyondAcknowledgedLimit:
            "The stream is beyond the limit of the SETTINGS that the client has acknowledged. The connection was ended."
        }
    }

    fileprivate var remedy: String? {
        self == .beyondAnnouncedLimit
            ? "Start the mock with --early-streams serve (MockVariants.refusesEarlyStreams = false)." : nil
    }
}

extension Verdict {
    static let checkOfHTTP2 = "rules of HTTP/2"

    fileprivate static func refused(_ request: MockRequest, _ refusal: HTTP2Refusal) -> Verdict {
        Verdict(
            status: 0, messageID: request.id ?? "", check: checkOfHTTP2, fact: refusal.fact, detail: refusal.detail,
            remedy: refusal.remedy)
    }

    /// The body of the answer. An answer to HEAD has none (RFC 9110 section 9.3.2).
    func body(for request: MockRequest) -> [UInt8] {
        request.method == "HEAD" ? [] : body
    }
}
