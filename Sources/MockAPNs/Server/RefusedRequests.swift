internal import PushWire

extension HTTP2Refusal {
    /// The text behind the GOAWAY that was seen at Apple's.
    static let textOfApple = "Maximum active streams violated for this endpoint."

    var fact: Fact {
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

    var detail: String {
        switch self {
        case .malformed(let code, let message), .notTaken(let code, let message):
            "\(message) The stream was reset with \(HTTP2Code(rawValue: code))."
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

    var remedy: MockRemedy? {
        switch self {
        case .beyondAnnouncedLimit: .serveEarlyStreams
        case .tooManyEarlyStreams: .awaitSettings
        case .malformed, .notTaken, .beyondAcknowledgedLimit: nil
        }
    }
}

extension Verdict {
    static let checkOfHTTP2 = "rules of HTTP/2"

    static func refused(
        _ request: MockRequest, _ fact: Fact, _ detail: String, _ remedy: MockRemedy? = nil
    ) -> Verdict {
        Verdict(
            status: 0, messageID: request.id ?? "", check: checkOfHTTP2, fact: fact, detail: detail, remedy: remedy)
    }

    static func unfinished(_ request: MockRequest, _ why: String) -> Verdict {
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
