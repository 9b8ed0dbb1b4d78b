extension FaultGoAway: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case lastStream = "last_stream"
        case code, text
    }

    /// Reads the form that `docs/faults.md` describes.
    ///
    /// - Parameter decoder: Where to read.
    /// - Throws: ``FaultError`` for an unknown key or word, `DecodingError` for a wrong type.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.members(Key.self, of: "\"go_away\"")
        self.init(
            lastStream: try members.decodeIfPresent(LastStream.self, forKey: .lastStream) ?? .newest,
            code: try members.decodeIfPresent(HTTP2Code.self, forKey: .code) ?? .noError,
            text: try members.decodeIfPresent(String.self, forKey: .text) ?? ""
        )
    }

    /// Writes that form; what is at its default is left out.
    ///
    /// - Parameter encoder: Where to write.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encode(lastStream, forKey: .lastStream)
        if code != .noError { try members.encode(code, forKey: .code) }
        if !text.isEmpty { try members.encode(text, forKey: .text) }
    }
}

extension FaultGoAway.LastStream: Codable {
    private static let words: [(FaultGoAway.LastStream, String)] = [
        (.newest, "newest"), (.this, "this"), (.below, "below"), (.none, "none"), (.highest, "highest"),
    ]

    /// Reads a word or a stream's id.
    ///
    /// - Parameter decoder: Where to read.
    /// - Throws: ``FaultError`` for another word, `DecodingError` for another type.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        guard let word = try? value.decode(String.self) else {
            self = .stream(try value.decode(Int32.self))
            return
        }
        guard let found = Self.words.first(where: { $0.1 == word }) else {
            let known = Self.words.map { "\"\($0.1)\"" }.joined(separator: ", ")
            throw FaultError.malformed("There is no last stream \(Finding.quote(word)): use \(known) or an id.")
        }
        self = found.0
    }

    /// Writes a word or a stream's id.
    ///
    /// - Parameter encoder: Where to write.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        if case .stream(let id) = self { return try value.encode(id) }
        try value.encode(Self.words.first { $0.0 == self }?.1)
    }
}

extension HTTP2Code: Codable {
    /// Reads a name of the RFC or a number.
    ///
    /// - Parameter decoder: Where to read.
    /// - Throws: ``FaultError`` for another name, `DecodingError` for another type.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        guard let name = try? value.decode(String.self) else {
            self.init(rawValue: try UInt32(fault: try value.decode(Int64.self), "code"))
            return
        }
        guard let code = HTTP2Code(name: name) else {
            throw FaultError.malformed(
                "There is no error code \(Finding.quote(name)): use a name of RFC 9113 section 7, or a number.")
        }
        self = code
    }

    /// Writes the name where there is one, otherwise the number.
    ///
    /// - Parameter encoder: Where to write.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        if let name { try value.encode(name) } else { try value.encode(rawValue) }
    }
}
