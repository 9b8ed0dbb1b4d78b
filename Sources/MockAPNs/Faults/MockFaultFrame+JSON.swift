extension MockFault.Frame: Codable {
    /// Decodes the JSON that `docs/mock-api.md#failure-injection` describes.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: ``MockFaultError`` if a key or a name is unknown, `DecodingError` if a type is wrong.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.members(
            ["type", "flags", "stream", "payload", "fields", "declared_length"], of: "\"frame\"")
        let payload = try members.decodeIfPresent(MockFault.Bytes.self, forKey: "payload")
        let fields = try members.decodeIfPresent([FaultField].self, forKey: "fields")?.map(\.field)
        if payload != nil, fields != nil {
            throw MockFaultError.malformed("A frame can have either a \"payload\" or \"fields\", not both.")
        }
        self.init(
            try members.decode(Kind.self, forKey: "type"),
            try members.decodeIfPresent(Flags.self, forKey: "flags") ?? [],
            try members.decodeIfPresent(NamedStream<FrameStreamNames>.self, forKey: "stream")?.stream ?? .connection,
            fields.map(Payload.fields) ?? .bytes(payload ?? .bytes([])),
            try members.decodeIfPresent(Int.self, forKey: "declared_length"))
    }

    /// Encodes the same JSON. Members with default values are omitted.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: AnyKey.self)
        try members.encode(kind, forKey: "type")
        if !flags.isEmpty { try members.encode(flags, forKey: "flags") }
        if stream != .connection { try members.encode(NamedStream<FrameStreamNames>(stream), forKey: "stream") }
        switch payload {
        case .bytes(let bytes): if bytes.count > 0 { try members.encode(bytes, forKey: "payload") }
        case .fields(let fields): try members.encode(fields.map(FaultField.init), forKey: "fields")
        }
        try members.encodeIfPresent(declaredLength, forKey: "declared_length")
    }
}

extension MockFault.Frame.Kind: Codable {
    /// Decodes a name from the RFCs or a number.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: ``MockFaultError`` if the name is unknown, `DecodingError` if the type is wrong.
    public init(from decoder: any Decoder) throws {
        guard let name = try? String(from: decoder) else {
            self.init(rawValue: try decoder.byte("type of a frame"))
            return
        }
        guard let known = Self.names.first(where: { $0.1 == name }) else {
            let names = Self.names.map(\.1).joined(separator: ", ")
            throw MockFaultError.malformed(
                "Unknown frame type \(Finding.quote(name)). Use one of \(names), or a number.")
        }
        self = known.0
    }

    /// Encodes the name if there is one, otherwise the number.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        let name = Self.names.first { $0.0 == self }?.1
        if let name { try name.encode(to: encoder) } else { try rawValue.encode(to: encoder) }
    }
}

extension Decoder {
    fileprivate func byte(_ what: String) throws -> UInt8 {
        guard let byte = UInt8(exactly: try Int(from: self)) else {
            throw MockFaultError(.outOfRange, "The \(what) must be a name or a number from 0 to 255.")
        }
        return byte
    }
}

extension MockFault.Frame.Flags: Codable {
    /// Decodes a list of names or a number.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: ``MockFaultError`` if the name is unknown, `DecodingError` if the type is wrong.
    public init(from decoder: any Decoder) throws {
        if (try? Int(from: decoder)) != nil {
            self.init(rawValue: try decoder.byte("flags of a frame"))
            return
        }
        self = []
        for name in try [String](from: decoder) {
            // ACK is a second name for the same bit.
            guard let flag = (Self.names + [(.acknowledges, "ACK")]).first(where: { $0.1 == name })?.0 else {
                let names = Self.names.map(\.1).joined(separator: ", ")
                throw MockFaultError.malformed("Unknown flag \(Finding.quote(name)). Use \(names), ACK, or a number.")
            }
            insert(flag)
        }
    }

    /// Encodes the names if all flags have one, otherwise the number.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        let named = Self.names.filter { contains($0.0) }
        if named.map(\.0.rawValue).reduce(0, |) == rawValue { return try named.map(\.1).encode(to: encoder) }
        try rawValue.encode(to: encoder)
    }
}
