internal import PushWire

/// Decides what the end of a stream means for the notification on it.
enum StreamResult {
    struct Facts {
        var end: HTTP2StreamEnd
        var kind = RequestKind.push
        /// Whether the kernel has accepted the last byte of the TLS record that holds the first byte of the HEADERS.
        var wasWritten: Bool
        /// Why the connection ended, if it ended.
        var connectionError: String?
        /// The description of the server's GOAWAY, if there was one.
        var goAway: String?
        var isCertificateRefused = false
        var apnsID: String
        /// When the app registered the device token, in milliseconds since 1970.
        var registered: Int64?
        var trace: PushOutcome.Trace
    }

    /// Returns the acceptance for an answer whose status means success, which is the usual end; `nil` for every other
    /// end.
    static func acceptance(_ end: HTTP2StreamEnd, _ kind: RequestKind, _ trace: PushOutcome.Trace) -> PushOutcome
        .Acceptance?
    {
        guard let status = end.response.status, kind.isSuccess(status), isAnswer(end) else { return nil }
        return acceptance(end.response, kind, trace)
    }

    private static func acceptance(
        _ response: HTTP2Response, _ kind: RequestKind, _ trace: PushOutcome.Trace
    ) -> PushOutcome.Acceptance {
        // The usual answer has only a status: no need to parse it.
        guard kind != .push || response.headers.count > 0 else {
            return PushOutcome.Acceptance(apnsID: "", uniqueID: nil, trace: trace)
        }
        let answer = ParsedAnswer(response, kind)
        var acceptance = PushOutcome.Acceptance(apnsID: answer.apnsID, uniqueID: answer.uniqueID, trace: trace)
        if kind != .push {
            acceptance.reply = PushOutcome.Acceptance.Reply(
                channelID: answer.channelID, body: response.body, isCut: response.bodyByteCount > response.body.count)
        }
        return acceptance
    }

    /// The outcome of a complete or incomplete answer; `nil` without a status.
    static func outcome(
        of response: HTTP2Response, _ kind: RequestKind, registered: Int64?, _ trace: PushOutcome.Trace
    ) -> PushOutcome? {
        guard let status = response.status else { return nil }
        guard !kind.isSuccess(status) else { return .accepted(acceptance(response, kind, trace)) }
        return .rejected(rejection(response, kind, status, registered: registered, trace))
    }

    static func outcome(of facts: Facts) -> PushOutcome {
        if isAnswer(facts.end),
            let outcome = outcome(of: facts.end.response, facts.kind, registered: facts.registered, facts.trace)
        {
            return outcome
        }
        switch facts.end.cause {
        case .unprocessed:
            let how = facts.goAway ?? "REFUSED_STREAM or GOAWAY"
            if facts.isCertificateRefused, let error = facts.connectionError {
                return notSent(.credentials, .wait, error, facts)
            }
            return notSent(.refused, .wait, "the server didn't process the request (\(how)).", facts)
        case .connectionLost:
            let why = ending(facts).map { " (\($0))" } ?? ""
            return facts.wasWritten
                ? unknown(.connectionLost, .wait, "the connection ended before the answer arrived\(why).", facts)
                : notSent(.connectionLost, .write, "the connection ended before the request was written\(why).", facts)
        case .resetByPeer(let code):
            let name = HTTP2ErrorCode(rawValue: code)
            return unknown(.streamReset, .wait, "the server reset the stream (\(name)).", facts)
        case .resetHere(let code):
            let name = HTTP2ErrorCode(rawValue: code)
            return unknown(.malformedAnswer, .parse, "the answer was malformed (\(name)).", facts)
        case .answered:
            return unknown(.malformedAnswer, .parse, "the answer has no status.", facts)
        }
    }

    /// The end of the connection as part of a sentence, without a full stop.
    private static func ending(_ facts: Facts) -> String? {
        guard let error = facts.connectionError else { return facts.goAway }
        let message = error.hasSuffix(".") ? String(error.dropLast()) : error
        guard let goAway = facts.goAway, !message.contains(goAway) else { return message }
        return "\(message) after \(goAway)"
    }

    /// Whether the end counts as an answer. The status is enough, even if the rest was cut off. A malformed answer does
    /// not count.
    private static func isAnswer(_ end: HTTP2StreamEnd) -> Bool {
        switch end.cause {
        case .answered, .resetByPeer, .connectionLost: true
        case .unprocessed, .resetHere: false
        }
    }

    private static func rejection(
        _ response: HTTP2Response, _ kind: RequestKind, _ status: Int, registered: Int64?, _ trace: PushOutcome.Trace
    ) -> PushOutcome.Rejection {
        let answer = ParsedAnswer(response, kind)
        return PushOutcome.Rejection(
            status: status,
            reason: answer.body?.reason,
            timestampMilliseconds: status == 410 ? answer.body?.timestampMilliseconds : nil,
            registeredMilliseconds: registered,
            apnsID: answer.apnsID,
            uniqueID: answer.uniqueID,
            retryAfter: answer.retryAfter,
            serverSeconds: ParsedAnswer.serverTime(response),
            body: response.body,
            trace: trace
        )
    }

    private static func notSent(
        _ cause: PushOutcome.Cause, _ phase: PushOutcome.Phase, _ message: String, _ facts: Facts
    ) -> PushOutcome {
        .notSent(PushOutcome.NotSent(cause: cause, phase: phase, description: message, trace: facts.trace))
    }

    private static func unknown(
        _ cause: PushOutcome.Cause, _ phase: PushOutcome.Phase, _ message: String, _ facts: Facts
    ) -> PushOutcome {
        .unknown(
            PushOutcome.Unknown(
                cause: cause, phase: phase, apnsID: facts.apnsID, description: message, trace: facts.trace)
        )
    }
}
