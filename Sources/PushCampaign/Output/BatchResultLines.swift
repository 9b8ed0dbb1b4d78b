import PushJSON
internal import PushProvider

/// Results as JSON lines: one object per line, with keys in snake_case.
public struct BatchResultLines: Sendable {
    /// Complete lines, in UTF-8.
    public private(set) var bytes: [UInt8] = []
    /// The names of the files, if there are several.
    private let files: [String]

    /// Creates an empty value.
    ///
    /// - Parameter files: The names of the campaign's files. If there are several, each line has the name of its file.
    public init(files: [String]) {
        self.files = files.count > 1 ? files : []
    }

    /// Removes all lines, and keeps the memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    /// Adds the line of a result. A line that the next run sends gets no line here.
    public mutating func add(_ result: BatchResult) {
        if result.fate == .released { return }
        let row = result.row
        let start = bytes.count
        bytes += "{\"line\":".utf8
        JSONBytes.write(row.line, to: &bytes)
        if !files.isEmpty {
            bytes += ",\"file\":".utf8
            JSONBytes.write(files[row.file], to: &bytes)
        }
        if let ref = row.ref {
            bytes += ",\"ref\":".utf8
            bytes += row.text[ref]
        }
        // A longer text is not a device token.
        if let token = row.deviceToken, token.count <= APNSLimit.deviceTokenHexDigits {
            bytes += ",\"token\":\"".utf8
            bytes += token
            bytes.append(UInt8(ascii: "\""))
        }
        switch result.outcome {
        case .push(let outcome): write(outcome)
        case .invalid(let message): writeUnsent("not_sent", "invalid", message)
        case .duplicate: writeUnsent("not_sent", "duplicate", "An earlier line has the same device token.")
        case .interrupted:
            writeUnsent("unknown", "interrupted", "An earlier run that ended may have sent the line.")
            if let id = result.interruptedID { writeText("apns_id", id) }
        }
        bytes += "}\n".utf8
        // Text from the line or the server may be shown on a terminal.
        PeerText.makePrintable(json: &bytes, from: start)
    }

    /// Writes the id, if there is one. A server can omit it.
    private mutating func writeID(_ id: String) {
        if !id.isEmpty { writeText("apns_id", id) }
    }

    private mutating func write(_ outcome: PushOutcome) {
        switch outcome {
        case .accepted(let acceptance):
            bytes += ",\"outcome\":\"accepted\",\"status\":200".utf8
            writeID(acceptance.apnsID)
            if let id = acceptance.uniqueID { writeText("apns_unique_id", id) }
        case .rejected(let rejection):
            bytes += ",\"outcome\":\"rejected\",\"status\":".utf8
            JSONBytes.write(rejection.status, to: &bytes)
            if let reason = rejection.reason { writeText("reason", reason.rawValue) }
            if let timestamp = rejection.timestampMilliseconds {
                bytes += ",\"timestamp\":".utf8
                JSONBytes.write(Int(timestamp), to: &bytes)
            }
            writeID(rejection.apnsID)
            bytes += rejection.isFinal ? ",\"final\":true".utf8 : ",\"final\":false".utf8
        case .notSent(let notSent):
            writeUnsent("not_sent", notSent.cause.description, notSent.description)
        case .unknown(let unknown):
            writeUnsent("unknown", unknown.cause.description, unknown.description)
            writeID(unknown.apnsID)
        case .invalid: writeUnsent("not_sent", "invalid", outcome.description)
        }
        let trace = outcome.trace
        bytes += ",\"attempts\":".utf8
        JSONBytes.write(trace.attempts, to: &bytes)
        bytes += ",\"ms\":".utf8
        JSONBytes.write(trace.milliseconds, to: &bytes)
    }

    private mutating func writeUnsent(_ outcome: StaticString, _ reason: String, _ detail: String) {
        bytes += ",\"outcome\":\"".utf8
        outcome.withUTF8Buffer { bytes += $0 }
        bytes.append(UInt8(ascii: "\""))
        writeText("reason", reason)
        writeText("detail", detail)
    }

    private mutating func writeText(_ name: StaticString, _ text: String) {
        bytes += ",\"".utf8
        name.withUTF8Buffer { bytes += $0 }
        bytes += "\":".utf8
        JSONBytes.write(text, to: &bytes)
    }
}

extension PushOutcome.Trace {
    /// The time from the call to the end.
    var milliseconds: Int {
        let (seconds, attoseconds) = (queued + inFlight).components
        return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
    }
}
