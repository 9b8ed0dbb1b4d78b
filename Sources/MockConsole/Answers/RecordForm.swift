import APNSVocabulary
import MockAPNs
import PushJSON
import PushPlatform
import PushTime
import VirtualPhones

/// The JSON of the outcome of a push on a phone.
enum RecordForm {
    static func write(_ outcome: PhoneOutcome, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("kind", outcome.kind.rawValue)
            writer.member("text", outcome.text)
            writer.member("why", outcome.why)
            writer.member("replaces", outcome.replaces)
            writer.member("replaced_by", outcome.replacedBy)
        }
    }

    /// Writes the members of a single push: its timeline and its card.
    static func writeDetails(of record: PushRecord, below base: String, to writer: inout JSONWriter) {
        writer.member("timeline") { write(record.timeline, to: &$0) }
        if let card = record.card {
            writer.member("card") { CardForm.write(card, on: record.phone, below: base, to: &$0) }
        }
    }

    static func write(_ timeline: [PhoneStage], to writer: inout JSONWriter) {
        let start = timeline.first?.at
        writer.array(timeline) { writer, stage in
            writer.object { writer in
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
}
