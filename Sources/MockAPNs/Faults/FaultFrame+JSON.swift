extension FaultFrame: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case type, flags, stream, payload, fields
        case saidLength = "said_length"
    }

    /// Reads the form that `docs/faults.md` describes.
    ///
    /// - Parameter decoder: Where to read.
    /// - Throws: ``FaultError`` for an unknown key or word, `DecodingError` for a wrong type.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.members(Key.self, of: "\"frame\"")
        let payload = try members.decodeIfPresent(FaultBytes.self, forKey: .payload)
        let fields = try members.decodeIfPresent([Field].self, forKey: .fields)
        if payload != nil, fields != nil {
            throw FaultError.malformed("A frame has either a \"payload\" or \"fields\".")
        }
        self.init(
            try members.decode(Kind.self, forKey: .type),
            try members.decodeIfPresent(Flags.self, forKey: .flags) ?? [],
            try members.decodeIfPresent(Stream.self, forKey: .stream) ?? .connection,
            fields.map(Payload.fields) ?? .bytes(payload ?? .bytes([])),
            try members.decodeIfPresent(Int.self, forKey: .saidLength))
    }

    /// Writes that form; what is at its default is left out.
    ///
    /// - Parameter encoder: Where to write.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encode(kind, forKey: .type)
        if !flags.isEmpty { try members.encode(flags, forKey: .flags) }
        if stream != .connection { try members.encode(stream, forKey: .stream) }
        switch payload {
        case .bytes(let bytes): if bytes.count > 0 { try members.encode(bytes, forKey: .payload) }
        case .fields(let fields): try members.encode(fields, forKey: .fields)
        }
        try members.encodeIfPresent(saidLength, forKey: .saidLength)
    }
}

extension FaultFrame.Kind: Codable {
    /// Reads a name of the RFCs or a number.
    ///
    /// - Parameter decoder: Where to read.
    /// - Throws: ``FaultError`` for another name, `DecodingError` for another type.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        guard let name = try? value.decode(String.self) else {
            self.init(rawValue: try value.byte("type of a frame"))
            return
        }
        guard let known = Self.names.first(where: { $0.1 == name }) else {
            let names = Self.names.map(\.1).joined(separator: ", ")
            throw FaultError.malformed("There is no frame \(Finding.quote(name)): use one of \(names), or a number.")
        }
        self = known.0
    }

    /// Writes the name where there is one, otherwise the number.
    ///
    /// - Parameter encoder: Where to write.
    /// - Throws: What the encoder throws.
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
            throw FaultError(code: .outOfRange, description: "The \(what) must be a name, or 0 to 255.")
        }
        return byte
    }
}

extension FaultFrame.Flags: Codable {
    /// Reads a list of names or a number.
    ///
    /// - Parameter decoder: Where to read.
    /// - Throws: ``FaultError`` for another name, `DecodingError` for another type.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if (try? value.decode(Int.self)) != nil {
            self.init(rawValue: try value.byte("flags of a frame"))
            return
        }
        self = []
        for name in try value.decode([String].self) {
            // The same bit has two names.
            guard let flag = (Self.names + [(.acknowledges, "ACK")]).first(where: { $0.1 == name })?.0 else {
                let names = Self.names.map(\.1).joined(separator: ", ")
                throw FaultError.malformed("There is no flag \(Finding.quote(name)): use \(names), ACK, or a number.")
            }
            insert(flag)
        }
    }

    /// Writes the names where they say it all, otherwise the number.
    ///
    /// - Parameter encoder: Where to write.
    /// - Throws: What the encoder throws.
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

extension FaultFrame.Stream: Codable {
    private static let words: [(FaultFrame.Stream, String)] = [
        (.connection, "connection"), (.this, "this"), (.idle, "idle"),
    ]

    /// Reads a word or a stream's id.
    ///
    /// - Parameter decoder: Where to read.
    /// - Throws: ``FaultError`` for another word, `DecodingError` for another type.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        guard let word = try? value.decode(String.self) else {
            self = .id(try value.decode(Int32.self))
            return
        }
        guard let found = Self.words.first(where: { $0.1 == word }) else {
            let known = Self.words.map { "\"\($0.1)\"" }.joined(separator: ", ")
            throw FaultError.malformed("There is no stream \(Finding.quote(word)) of a frame: use \(known) or an id.")
        }
        self = found.0
    }

    /// Writes a word or a stream's id.
    ///
    /// - Parameter encoder: Where to write.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        if case .id(let id) = self { return try value.encode(id) }
        try value.encode(Self.words.first { $0.0 == self }?.1)
    }
}

/// A pair of texts: the same name can come twice, and their order counts.
extension FaultFrame.Field: Codable {
    /// Reads an array of two.
    ///
    /// - Parameter decoder: Where to read.
    /// - Throws: ``FaultError`` for another number of texts, `DecodingError` for another type.
    public init(from decoder: any Decoder) throws {
        let texts = try decoder.singleValueContainer().decode([String].self)
        guard texts.count == 2 else {
            throw FaultError.malformed("A header field is a list of two texts, its name and its value.")
        }
        self.init(texts[0], texts[1])
    }

    /// Writes an array of two.
    ///
    /// - Parameter encoder: Where to write.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode([name, self.value])
    }
}
