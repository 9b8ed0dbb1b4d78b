internal import PushWire
internal import Tracing

/// Creates one span for each notification, from the call to the outcome.
///
/// Names and attributes follow OpenTelemetry's conventions for messaging. Attributes that only APNs has begin with
/// `apns.`. A span never contains a full device token.
package struct PushTracing: Sendable {
    private let tracer: any Tracer
    private let environment: PushEnvironment

    /// Uses the tracer of the process, or of the task that creates the client; `nil` if there is none, so that a client
    /// without tracing has no cost.
    init?(to environment: PushEnvironment) {
        // Faster than the search for a tracer, which searches all types of the program.
        if InstrumentationSystem.instrument is NoOpInstrument { return nil }
        let tracer = InstrumentationSystem.tracer
        if tracer is NoOpTracer { return nil }
        self.tracer = tracer
        self.environment = environment
    }

    /// Begins the span of a send, as a child of the current span of the caller's task.
    func begin(_ fields: OutgoingFields, bodyBytes: Int, _ deviceToken: DeviceToken) -> PushSpan {
        begin(.push, to: fields[APNSHeader.topic] ?? "", bodyBytes: bodyBytes) { attributes in
            attributes["apns.device_token"] = deviceToken.shortened
            if let type = fields[APNSHeader.pushType] { attributes["apns.push_type"] = type }
            if let priority = fields[APNSHeader.priority] { attributes["apns.priority"] = priority }
        }
    }

    func begin(_ request: ChannelRequest, bytes: Int) -> PushSpan {
        begin(request.kind, to: request.fields[":path"] ?? "", bodyBytes: bytes) { attributes in
            if let channel = request.fields[APNSHeader.channelID] { attributes["apns.channel_id"] = channel }
        }
    }

    private func begin(
        _ kind: RequestKind, to destination: String, bodyBytes: Int, _ addOwn: (inout SpanAttributes) -> Void
    ) -> PushSpan {
        let span = tracer.startSpan("\(kind.name) \(destination)", ofKind: .producer)
        guard span.isRecording else { return PushSpan(span, successStatus: kind.successStatus) }
        span.updateAttributes { attributes in
            attributes["messaging.system"] = "apns"
            attributes["messaging.operation.name"] = kind.name
            if kind == .push || kind == .broadcast { attributes["messaging.operation.type"] = "send" }
            attributes["messaging.destination.name"] = destination
            attributes["messaging.message.body.size"] = bodyBytes
            attributes["server.address"] = environment.host
            attributes["server.port"] = environment.port
            addOwn(&attributes)
        }
        return PushSpan(span, successStatus: kind.successStatus)
    }
}

/// The span of one notification, or of one request about channels.
final class PushSpan {
    private let span: any Span
    private let successStatus: Int

    init(_ span: any Span, successStatus: Int) {
        self.span = span
        self.successStatus = successStatus
    }

    func end(_ outcome: PushOutcome, id: RequestID?) {
        if span.isRecording {
            span.updateAttributes { record(outcome, id, in: &$0) }
            if !outcome.isAccepted { span.setStatus(SpanStatus(code: .error, message: outcome.description)) }
        }
        span.end()
    }

    private func record(_ outcome: PushOutcome, _ id: RequestID?, in attributes: inout SpanAttributes) {
        let trace = outcome.trace
        attributes["apns.outcome"] = outcome.name
        attributes["apns.attempts"] = trace.attempts
        if let connection = trace.connection { attributes["apns.connection"] = connection }
        attributes["apns.queued_ms"] = trace.queued.milliseconds
        attributes["apns.in_flight_ms"] = trace.inFlight.milliseconds
        var apnsID = id?.description ?? ""
        switch outcome {
        case .accepted(let acceptance):
            attributes["http.response.status_code"] = successStatus
            if !acceptance.apnsID.isEmpty { apnsID = acceptance.apnsID }
            if let unique = acceptance.uniqueID { attributes["apns.unique_id"] = unique }
        case .rejected(let rejection):
            attributes["http.response.status_code"] = rejection.status
            if !rejection.apnsID.isEmpty { apnsID = rejection.apnsID }
            let reason = rejection.reason.map { PeerText.printable($0.rawValue) }
            if let reason { attributes["apns.reason"] = reason }
            attributes["error.type"] = reason ?? String(rejection.status)
        case .notSent(let notSent): attributes["error.type"] = notSent.cause.description
        case .unknown(let unknown): attributes["error.type"] = unknown.cause.description
        case .invalid: attributes["error.type"] = outcome.name
        }
        if !apnsID.isEmpty { attributes["messaging.message.id"] = PeerText.printable(apnsID) }
    }
}

extension Duration {
    fileprivate var milliseconds: Double {
        Double(components.seconds) * 1000 + Double(components.attoseconds) / 1e15
    }
}
