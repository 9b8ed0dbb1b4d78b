import APNSVocabulary

extension MockFault.Matcher: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case deviceToken = "device_token"
        case topic
        case pushType = "push_type"
        case headers, payload, verdict
        case request
        case requestOnConnection = "request_on_connection"
        case connection, match, probability
    }

    /// Decodes the JSON that `docs/faults.md` describes.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: ``MockFaultError`` if a key is unknown, `DecodingError` if a type is wrong.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.members(Key.self, of: "\"when\"")
        self.init(
            deviceToken: try members.decodeIfPresent(String.self, forKey: .deviceToken).map(Self.token),
            topic: try members.decodeIfPresent(String.self, forKey: .topic),
            pushType: try members.decodeIfPresent(String.self, forKey: .pushType).map(PushType.init(rawValue:)),
            headers: try members.decodeIfPresent([String: String].self, forKey: .headers),
            payload: try members.decodeIfPresent([String: FaultText].self, forKey: .payload)?.mapValues(\.text),
            verdict: try members.decodeIfPresent(FaultText.self, forKey: .verdict)?.text,
            request: try members.decodeIfPresent(MockFault.Ordinal.self, forKey: .request),
            requestOnConnection: try members.decodeIfPresent(MockFault.Ordinal.self, forKey: .requestOnConnection),
            connection: try members.decodeIfPresent(MockFault.Ordinal.self, forKey: .connection),
            match: try members.decodeIfPresent(MockFault.Ordinal.self, forKey: .match),
            probability: try members.decodeIfPresent(Double.self, forKey: .probability)
        )
    }

    private static func token(_ hex: String) throws -> DeviceToken {
        do throws(DeviceTokenError) {
            return try DeviceToken(pasted: hex)
        } catch {
            throw MockFaultError(code: .outOfRange, description: error.description)
        }
    }

    /// Encodes the same JSON. Conditions that are `nil` are omitted.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encodeIfPresent(deviceToken?.hex, forKey: .deviceToken)
        try members.encodeIfPresent(topic, forKey: .topic)
        try members.encodeIfPresent(pushType?.rawValue, forKey: .pushType)
        try members.encodeIfPresent(headers, forKey: .headers)
        try members.encodeIfPresent(payload, forKey: .payload)
        try members.encodeIfPresent(verdict, forKey: .verdict)
        try members.encodeIfPresent(request, forKey: .request)
        try members.encodeIfPresent(requestOnConnection, forKey: .requestOnConnection)
        try members.encodeIfPresent(connection, forKey: .connection)
        try members.encodeIfPresent(match, forKey: .match)
        try members.encodeIfPresent(probability, forKey: .probability)
    }
}

/// A string. A number or a truth value is read as its text: `7` as `"7"`.
private struct FaultText: Decodable {
    var text: String

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let text = try? value.decode(String.self) {
            self.text = text
        } else if let flag = try? value.decode(Bool.self) {
            text = flag ? "true" : "false"
        } else if let number = try? value.decode(Int.self) {
            text = String(number)
        } else {
            text = "\(try value.decode(Double.self))"
        }
    }
}

extension MockFault.Ordinal: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case from, through, every
    }

    /// Decodes a number, or an object with `from`, `through` and `every`.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: ``MockFaultError`` if a key is unknown, `DecodingError` if a type is wrong.
    public init(from decoder: any Decoder) throws {
        if let number = try? decoder.singleValueContainer().decode(Int.self) {
            self = .exactly(number)
            return
        }
        let members = try decoder.members(Key.self, of: "a range", or: "a whole number")
        let every = try members.decodeIfPresent(Int.self, forKey: .every) ?? 1
        self.init(
            from: try members.decodeIfPresent(Int.self, forKey: .from) ?? every,
            through: try members.decodeIfPresent(Int.self, forKey: .through),
            step: every
        )
    }

    /// Encodes a number if possible, otherwise an object.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        if through == from, step == 1 {
            var value = encoder.singleValueContainer()
            return try value.encode(from)
        }
        var members = encoder.container(keyedBy: Key.self)
        if from != step { try members.encode(from, forKey: .from) }
        try members.encodeIfPresent(through, forKey: .through)
        if step != 1 || from == 1 && through == nil { try members.encode(step, forKey: .every) }
    }
}
