internal import PushLint
import PushProvider

/// A payload as it is in its file, with the file name for its findings.
struct LintedPayload {
    /// The path as given.
    var name: String
    var bytes: [UInt8]
    /// Whether it has no file, so that the corrected payload is written to standard output.
    var isCorrectedToOutput = false

    /// Adds the properties of the payload to those of the request.
    ///
    /// The simulator's key gives the topic if none is given. It is only for the simulator, and is not sent.
    func context(_ given: LintContext) -> LintContext {
        let composed = ComposedPayload(raw: bytes)
        var context = given
        context.topic = given.topic ?? composed.bundleID
        context.payloadByteCount = composed.payload.bytes.count
        return context
    }

    func findings(_ given: LintContext) -> [PushFinding] {
        PayloadLint.findings(in: bytes, context(given))
    }

    /// The findings for a payload that may be a template: a placeholder such as `"{{badge:number}}"` can have any value.
    func templateFindings(_ given: LintContext) -> [PushFinding] {
        PayloadLint.exceptPlaceholders(findings(given), in: bytes)
    }

    /// Makes the certain corrections. The properties of the request are read again after each round, because a correction may
    /// make the simulator's key readable.
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
