internal import PushWire

extension HTTP2Refusal {
    var fact: MockFact {
        switch self {
        case .malformed: .malformedRequest
        case .notTaken: .unsupportedRequest
        case .beyondAnnouncedLimit, .tooManyEarlyStreams: .streamsBeforeSettings
        case .beyondAcknowledgedLimit: .streamsBeyondSettings
        }
    }

    var detail: String {
        switch self {
        case .malformed(let code, let message), .notTaken(let code, let message):
            "\(message) The stream was reset with \(MockHTTP2Code(rawValue: code))."
        case .beyondAnnouncedLimit:
            """
            The stream exceeds the limit of the announced SETTINGS, which the client hasn't acknowledged yet. The stream was \
            reset with REFUSED_STREAM.
            """
        case .tooManyEarlyStreams(let most):
            """
            The stream exceeds the limit of the announced SETTINGS, which the client hasn't acknowledged yet. The mock serves \
            up to \(most) such streams, and more are open. The stream was reset with REFUSED_STREAM.
            """
        case .beyondAcknowledgedLimit:
            "The stream exceeds the limit of the SETTINGS that the client has acknowledged. The connection was closed."
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

extension MockVerdict {
    static let checkOfHTTP2 = "rules of HTTP/2"

    static func refused(
        _ request: MockRequest, _ fact: MockFact, _ detail: String, _ remedy: MockRemedy? = nil
    ) -> MockVerdict {
        MockVerdict(
            status: 0, messageID: .text(request.sentID), isRequestID: request.sendsRequestID, check: checkOfHTTP2,
            fact: fact,
            detail: detail, remedy: remedy)
    }

    static func unfinished(_ request: MockRequest, _ why: String) -> MockVerdict {
        MockVerdict(
            status: 0, messageID: .text(request.sentID), isRequestID: request.sendsRequestID, check: "whole request",
            fact: .unfinishedRequest,
            detail: "The connection ended before the request was complete: \(why)")
    }
}
