import APNSVocabulary

extension FaultAnswer: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case status, reason
        case timestamp = "timestamp_ms"
        case headers, body
    }

    /// Reads the form that `docs/faults.md` describes.
    ///
    /// - Parameter decoder: Where to read.
    /// - Throws: ``FaultError`` for an unknown key, `DecodingError` for a wrong type.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.members(Key.self, of: "\"answer\"")
        self.init(
            status: try members.decode(Int.self, forKey: .status),
            reason: try members.decodeIfPresent(String.self, forKey: .reason).map(RejectionReason.init(rawValue:)),
            timestamp: try members.decodeIfPresent(Int64.self, forKey: .timestamp)
                .map { Moment(secondsSince1970: Double($0) / 1000) },
            headers: try members.decodeIfPresent([String: String].self, forKey: .headers) ?? [:],
            body: try members.decodeIfPresent(String.self, forKey: .body)
        )
    }

    /// Writes that form; what is at its default is left out.
    ///
    /// - Parameter encoder: Where to write.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encode(status, forKey: .status)
        try members.encodeIfPresent(reason?.rawValue, forKey: .reason)
        try members.encodeIfPresent(timestamp?.millisecondsSince1970, forKey: .timestamp)
        if !headers.isEmpty { try members.encode(headers, forKey: .headers) }
        try members.encodeIfPresent(body, forKey: .body)
    }
}
