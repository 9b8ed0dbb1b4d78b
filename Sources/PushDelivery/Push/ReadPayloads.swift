internal import PushCampaign
internal import PushProvider

/// The payloads and templates that were read last, so that the jobs of a campaign read theirs once. A pure value.
struct ReadPayloads {
    enum Read {
        case payload(PushPayload)
        case template(Result<PayloadTemplate, PushTemplateError>)
    }

    private struct Key: Hashable {
        var bytes: [UInt8]
        var isTemplate: Bool

        /// Hashes all bytes with one call, which is faster than the hash of an array.
        func hash(into hasher: inout Hasher) {
            hasher.combine(isTemplate)
            bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
    }

    /// The maximum number of payloads in each of the two generations. When the newer one is full, the older one is dropped.
    static let maximum = 128

    private var newer: [Key: Read] = [:]
    private var older: [Key: Read] = [:]

    var count: Int { newer.count + older.count }

    /// Makes the payload of a job.
    ///
    /// - Parameters:
    ///   - bytes: The payload, or a template.
    ///   - variables: The values for the template; `nil` if it is a payload.
    /// - Returns: The payload.
    /// - Throws: ``PushTemplateError`` if the text is not a template, or the variables do not fit it.
    mutating func payload(_ bytes: [UInt8], variables: [UInt8]?) throws(PushTemplateError) -> PushPayload {
        switch read(Key(bytes: bytes, isTemplate: variables != nil)) {
        case .payload(let payload): return payload
        case .template(let template): return try template.get().payload(variables: variables ?? [])
        }
    }

    private mutating func read(_ key: Key) -> Read {
        if let read = newer[key] { return read }
        let read = older[key] ?? Self.read(key)
        if newer.count >= Self.maximum {
            older = newer
            newer.removeAll(keepingCapacity: true)
        }
        newer[key] = read
        return read
    }

    private static func read(_ key: Key) -> Read {
        guard key.isTemplate else { return .payload(PushPayload(json: key.bytes)) }
        return .template(Result { () throws(PushTemplateError) in try PayloadTemplate(accepted: key.bytes) })
    }
}
