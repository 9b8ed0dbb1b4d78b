internal import PushLint
import PushProvider

/// A payload as it stands in a file, with the name under which its findings are told.
struct LintedPayload {
    /// The path as it was given.
    var name: String
    var bytes: [UInt8]

    /// What can be told of it, with what is known of the request.
    ///
    /// The key of the simulator is for the simulator only: it names the topic, where none was given, and is not sent.
    func context(_ given: LintContext) -> LintContext {
        let spoken = SpokenPayload(raw: bytes)
        var context = given
        context.topic = given.topic ?? spoken.bundleID
        context.payloadByteCount = spoken.payload.bytes.count
        return context
    }

    func findings(_ given: LintContext) -> [PushFinding] {
        PayloadLint.findings(in: bytes, context(given))
    }

    /// The findings for a payload that may be a template: a placeholder such as `"{{badge:number}}"` can have any value.
    func templateFindings(_ given: LintContext) -> [PushFinding] {
        PayloadLint.exceptPlaceholders(findings(given), in: bytes)
    }

    /// Mends what is certain. What is known of the request is read from the text as it becomes: the key of the simulator may
    /// come to light only then.
    func repaired(_ given: LintContext) -> (payload: LintedPayload, mended: [PushFinding]) {
        var payload = self
        var mended: [PushFinding] = []
        while true {
            let repair = PayloadLint.repaired(payload.bytes, payload.context(given))
            guard !repair.mended.isEmpty else { return (payload, mended) }
            payload.bytes = repair.json
            mended += repair.mended
        }
    }
}
