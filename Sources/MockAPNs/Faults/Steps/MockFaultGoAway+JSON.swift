extension MockFaultGoAway: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case lastStream = "last_stream"
        case code, text
    }

    /// Decodes the JSON that `docs/faults.md` describes.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: ``MockFaultError`` if a key or a name is unknown, `DecodingError` if a type is wrong.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.members(Key.self, of: "\"go_away\"")
        self.init(
            lastStream: try members.decodeIfPresent(LastStream.self, forKey: .lastStream) ?? .newest,
            code: try members.decodeIfPresent(MockHTTP2Code.self, forKey: .code) ?? .noError,
            text: try members.decodeIfPresent(String.self, forKey: .text) ?? ""
        )
    }

    /// Encodes the same JSON. Members with default values are omitted.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encode(lastStream, forKey: .lastStream)
        if code != .noError { try members.encode(code, forKey: .code) }
        if !text.isEmpty { try members.encode(text, forKey: .text) }
    }
}

extension MockFaultGoAway.LastStream: Codable {
    private static let names: [(MockFaultGoAway.LastStream, String)] = [
        (.newest, "newest"), (.this, "this"), (.below, "below"), (.none, "none"), (.highest, "highest"),
    ]

    /// Decodes a name or a stream id.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: ``MockFaultError`` if the name is unknown, `DecodingError` if the type is wrong.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        guard let name = try? value.decode(String.self) else {
            self = .stream(try value.decode(Int32.self))
            return
        }
        guard let found = Self.names.first(where: { $0.1 == name }) else {
            let known = Self.names.map { "\"\($0.1)\"" }.joined(separator: ", ")
            throw MockFaultError.malformed("Unknown last stream \(Finding.quote(name)). Use \(known) or an id.")
        }
        self = found.0
    }

    /// Encodes a name or a stream id.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        if case .stream(let id) = self { return try value.encode(id) }
        try value.encode(Self.names.first { $0.0 == self }?.1)
    }
}

extension MockHTTP2Code: Codable {
    /// Decodes a name from the RFC or a number.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: ``MockFaultError`` if the name is unknown, `DecodingError` if the type is wrong.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        guard let name = try? value.decode(String.self) else {
            self.init(rawValue: try UInt32(fault: try value.decode(Int64.self), "code"))
            return
        }
        guard let code = MockHTTP2Code(name: name) else {
            throw MockFaultError.malformed(
                "Unknown error code \(Finding.quote(name)). Use a name from RFC 9113 section 7, or a number.")
        }
        self = code
    }

    /// Encodes the name if there is one, otherwise the number.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        if let name { try value.encode(name) } else { try value.encode(rawValue) }
    }
}
