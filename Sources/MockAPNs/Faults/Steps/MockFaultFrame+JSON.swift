extension MockFaultFrame: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case type, flags, stream, payload, fields
        case declaredLength = "declared_length"
    }

    /// Decodes the JSON that `docs/faults.md` describes.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: ``MockFaultError`` if a key or a name is unknown, `DecodingError` if a type is wrong.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.members(Key.self, of: "\"frame\"")
        let payload = try members.decodeIfPresent(MockFaultBytes.self, forKey: .payload)
        let fields = try members.decodeIfPresent([Field].self, forKey: .fields)
        if payload != nil, fields != nil {
            throw MockFaultError.malformed("A frame can have either a \"payload\" or \"fields\", not both.")
        }
        self.init(
            try members.decode(Kind.self, forKey: .type),
            try members.decodeIfPresent(Flags.self, forKey: .flags) ?? [],
            try members.decodeIfPresent(Stream.self, forKey: .stream) ?? .connection,
            fields.map(Payload.fields) ?? .bytes(payload ?? .bytes([])),
            try members.decodeIfPresent(Int.self, forKey: .declaredLength))
    }

    /// Encodes the same JSON. Members with default values are omitted.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encode(kind, forKey: .type)
        if !flags.isEmpty { try members.encode(flags, forKey: .flags) }
        if stream != .connection { try members.encode(stream, forKey: .stream) }
        switch payload {
        case .bytes(let bytes): if bytes.count > 0 { try members.encode(bytes, forKey: .payload) }
        case .fields(let fields): try members.encode(fields, forKey: .fields)
        }
        try members.encodeIfPresent(declaredLength, forKey: .declaredLength)
    }
}

extension MockFaultFrame.Kind: Codable {
    /// Decodes a name from the RFCs or a number.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: ``MockFaultError`` if the name is unknown, `DecodingError` if the type is wrong.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        guard let name = try? value.decode(String.self) else {
            self.init(rawValue: try value.byte("type of a frame"))
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
        var value = encoder.singleValueContainer()
        if let name = Self.names.first(where: { $0.0 == self })?.1 {
            try value.encode(name)
        } else {
            try value.encode(rawValue)
        }
    }
}

extension SingleValueDecodingContainer {
    fileprivate func byte(_ what: String) throws -> UInt8 {
        guard let byte = UInt8(exactly: try decode(Int.self)) else {
            throw MockFaultError(
                code: .outOfRange, description: "The \(what) must be a name or a number from 0 to 255.")
        }
        return byte
    }
}

extension MockFaultFrame.Flags: Codable {
    /// Decodes a list of names or a number.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: ``MockFaultError`` if the name is unknown, `DecodingError` if the type is wrong.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if (try? value.decode(Int.self)) != nil {
            self.init(rawValue: try value.byte("flags of a frame"))
            return
        }
        self = []
        for name in try value.decode([String].self) {
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
        var value = encoder.singleValueContainer()
        let named = Self.names.filter { contains($0.0) }
        if named.map(\.0.rawValue).reduce(0, |) == rawValue {
            try value.encode(named.map(\.1))
        } else {
            try value.encode(rawValue)
        }
    }
}

extension MockFaultFrame.Stream: Codable {
    private static let names: [(MockFaultFrame.Stream, String)] = [
        (.connection, "connection"), (.this, "this"), (.idle, "idle"),
    ]

    /// Decodes a name or a stream id.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: ``MockFaultError`` if the name is unknown, `DecodingError` if the type is wrong.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        guard let name = try? value.decode(String.self) else {
            self = .id(try value.decode(Int32.self))
            return
        }
        guard let found = Self.names.first(where: { $0.1 == name }) else {
            let known = Self.names.map { "\"\($0.1)\"" }.joined(separator: ", ")
            throw MockFaultError.malformed("Unknown stream \(Finding.quote(name)) of a frame. Use \(known) or an id.")
        }
        self = found.0
    }

    /// Encodes a name or a stream id.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        if case .id(let id) = self { return try value.encode(id) }
        try value.encode(Self.names.first { $0.0 == self }?.1)
    }
}

/// A header field as an array of name and value: names can be repeated, and the order matters.
extension MockFaultFrame.Field: Codable {
    /// Decodes an array of two strings.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: ``MockFaultError`` if the array does not have two strings, `DecodingError` if a type is wrong.
    public init(from decoder: any Decoder) throws {
        let texts = try decoder.singleValueContainer().decode([String].self)
        guard texts.count == 2 else {
            throw MockFaultError.malformed("A header field must be a list of two strings, its name and its value.")
        }
        self.init(texts[0], texts[1])
    }

    /// Encodes an array of two strings.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode([name, self.value])
    }
}
