import APNSVocabulary
package import MockAPNs
package import PushJSON
import PushPlatform
import PushTime
package import VirtualPhones

/// The JSON of a request in the log, for the API and for `--json`.
package enum PushForm {
    /// Writes the members that describe a request.
    ///
    /// - Parameters:
    ///   - arrival: The request.
    ///   - namespace: The namespace, if it is to be named.
    ///   - writer: Where to write them, inside an object.
    ///   - record: Its outcome on a phone; `nil` if that is not known.
    ///   - remedy: The text of a remedy.
    package static func write(
        _ arrival: MockArrival, in namespace: String? = nil, to writer: inout JSONWriter, record: PushRecord? = nil,
        remedy: (MockRemedy) -> String
    ) {
        let request = arrival.request
        let verdict = arrival.verdict
        writer.member("namespace", namespace)
        writer.member("number", arrival.number)
        writer.member("time", arrival.time.rfc3339)
        writer.member("time_ms", Int(arrival.time.millisecondsSince1970))
        writer.member("connection", arrival.connection)
        writer.member("stream", Int(arrival.streamID))
        writer.member("environment", arrival.sender.environment.rawValue)
        writer.member("peer", arrival.sender.peer)
        writer.member("method", request.method)
        writer.member("path", request.path)
        writer.member("token", arrival.deviceToken)
        writer.member("topic", request.topic)
        writer.member("push_type", request.pushType?.rawValue)
        writer.member("priority", request.priority)
        writer.member("expiration", request.expiration)
        writer.member("collapse_id", request.collapseID)
        writer.member("channel_id", request.channelID ?? verdict.channelID)
        writer.member("key_id", arrival.sender.keyID)
        writer.member("team_id", arrival.sender.teamID)
        writer.member("token_issued_at", arrival.sender.issuedAt?.rfc3339)
        writer.member("certificate", arrival.sender.certificate)
        writer.member("payload", arrival.payload)
        if request.bodyByteCount > request.body.count { writer.member("payload_bytes", request.bodyByteCount) }
        writer.member("status", verdict.status)
        writer.member("reason", verdict.reason?.rawValue)
        writer.member("delivery", verdict.delivery?.rawValue)
        writer.member("timestamp", verdict.timestamp.map { Int($0.millisecondsSince1970) })
        if !verdict.messageID.isEmpty {
            writer.member(verdict.isRequestID ? "apns_request_id" : "apns_id", verdict.messageID)
        }
        writer.member("apns_unique_id", verdict.uniqueID)
        writer.member("check", verdict.check)
        writer.member("fact_id", verdict.fact.id)
        writer.member("fact", verdict.fact.statement)
        writer.member("confidence", verdict.fact.confidence.rawValue)
        writer.member("detail", verdict.detail)
        writer.member("remedy", verdict.remedy.map(remedy))
        if !verdict.allowances.isEmpty {
            writer.objects("allowances", verdict.allowances) { write($1, to: &$0) }
        }
        let violations = arrival.violations
        if !violations.isEmpty {
            writer.objects("violations", violations) { write($1, to: &$0) }
        }
        if let fault = arrival.fault {
            writer.member("fault", fault.id.number)
            if !fault.name.isEmpty { writer.member("fault_name", fault.name) }
        }
        if arrival.fault != nil || !arrival.wasAnswered { writer.member("answered", arrival.wasAnswered) }
        writer.member("phone", record?.phone)
        writer.object("outcome", of: record?.outcome) { RecordForm.write($1, to: &$0) }
    }

    /// Writes the header fields, in the order of arrival. A provider token is not among them.
    static func writeHeaders(_ arrival: MockArrival, to writer: inout JSONWriter) {
        writer.objects("headers", arrival.request.fields) { writer, field in
            writer.member("name", field.name)
            writer.member("value", field.value)
        }
    }

    private static func write(_ fact: MockFact, to writer: inout JSONWriter) {
        writer.member("id", fact.id)
        writer.member("fact", fact.statement)
        writer.member("confidence", fact.confidence.rawValue)
    }

    static func write(_ violation: MockViolation, to writer: inout JSONWriter) {
        writer.member("id", violation.id)
        writer.member("fact", violation.fact.statement)
        writer.member("confidence", violation.fact.confidence.rawValue)
        writer.member("detail", violation.detail)
    }
}

extension MockNamespace {
    /// Writes the members that describe a request, with its outcome on a phone.
    func write(_ arrival: MockArrival, to writer: inout JSONWriter) {
        PushForm.write(arrival, to: &writer, record: phones.record(of: arrival.number), remedy: mock.text(of:))
    }
}

enum RecordForm {
    static func write(_ outcome: PhoneOutcome, to writer: inout JSONWriter) {
        writer.member("kind", outcome.kind.rawValue)
        writer.member("text", outcome.text)
        writer.member("why", outcome.why)
        writer.member("replaces", outcome.replaces)
        writer.member("replaced_by", outcome.replacedBy)
    }

    /// Writes the members of a single push: its timeline and its card.
    static func writeDetails(of record: PushRecord, below base: String, to writer: inout JSONWriter) {
        write(record.timeline, to: &writer)
        writer.object("card", of: record.card) { CardForm.write($1, on: record.phone, below: base, to: &$0) }
    }

    static func write(_ timeline: [PhoneStage], to writer: inout JSONWriter) {
        let start = timeline.first?.at
        writer.objects("timeline", timeline) { writer, stage in
            writer.member("stage", stage.kind.rawValue)
            writer.member("at", stage.at.rfc3339)
            writer.member("after_ms", start.map { Int((stage.at.timeIntervalSince($0) * 1000).rounded()) })
            writer.member("text", stage.text)
            writer.member("note", stage.note)
            if let meter = stage.meter {
                writer.member("meter") { $0.array([meter.used, meter.limit]) { $0.number($1) } }
            }
        }
    }
}
