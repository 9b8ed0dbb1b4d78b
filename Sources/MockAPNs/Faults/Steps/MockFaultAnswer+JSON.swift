import APNSVocabulary
import PushPlatform

extension MockFaultAnswer: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case status, reason
        case timestamp = "timestamp_ms"
        case headers, fields, padding, interim, body, trailers, ends
        case leftOut = "left_out"
        case pieceBytes = "piece_bytes"
    }

    /// Decodes the JSON that `docs/faults.md` describes.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: ``MockFaultError`` if a key is unknown, `DecodingError` if a type is wrong.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.members(Key.self, of: "\"answer\"")
        self.init(
            status: try members.decode(Int.self, forKey: .status),
            reason: try members.decodeIfPresent(String.self, forKey: .reason).map(RejectionReason.init(rawValue:)),
            timestamp: try members.decodeIfPresent(Int64.self, forKey: .timestamp)
                .map { Date(timeIntervalSince1970: Double($0) / 1000) },
            headers: try members.decodeIfPresent([String: String].self, forKey: .headers) ?? [:],
            body: try members.decodeIfPresent(MockFaultBytes.self, forKey: .body)
        )
        leftOut = try members.decodeIfPresent(Set<String>.self, forKey: .leftOut) ?? []
        fields = try members.decodeIfPresent([MockFaultFrame.Field].self, forKey: .fields)
        padding = try members.decodeIfPresent(Padding.self, forKey: .padding)
        interim = try members.decodeIfPresent([Int].self, forKey: .interim) ?? []
        pieceBytes = try members.decodeIfPresent(Int.self, forKey: .pieceBytes)
        trailers = try members.decodeIfPresent([String: String].self, forKey: .trailers) ?? [:]
        ends = try members.decodeIfPresent(Bool.self, forKey: .ends) ?? true
    }

    /// Encodes the same JSON. Members with default values are omitted.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encode(status, forKey: .status)
        try members.encodeIfPresent(reason?.rawValue, forKey: .reason)
        try members.encodeIfPresent(timestamp?.millisecondsSince1970, forKey: .timestamp)
        if !headers.isEmpty { try members.encode(headers, forKey: .headers) }
        try members.encodeIfPresent(body, forKey: .body)
        if !leftOut.isEmpty { try members.encode(leftOut.sorted(), forKey: .leftOut) }
        try members.encodeIfPresent(fields, forKey: .fields)
        try members.encodeIfPresent(padding, forKey: .padding)
        if !interim.isEmpty { try members.encode(interim, forKey: .interim) }
        try members.encodeIfPresent(pieceBytes, forKey: .pieceBytes)
        if !trailers.isEmpty { try members.encode(trailers, forKey: .trailers) }
        if !ends { try members.encode(ends, forKey: .ends) }
    }
}

extension MockFaultAnswer.Padding: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case count, bytes
    }

    /// Decodes the JSON that `docs/faults.md` describes.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: ``MockFaultError`` if a key is unknown, `DecodingError` if a type is wrong.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.members(Key.self, of: "\"padding\"")
        self.init(
            count: try members.decode(Int.self, forKey: .count), bytes: try members.decode(Int.self, forKey: .bytes))
    }

    /// Encodes the same JSON.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encode(count, forKey: .count)
        try members.encode(bytes, forKey: .bytes)
    }
}
