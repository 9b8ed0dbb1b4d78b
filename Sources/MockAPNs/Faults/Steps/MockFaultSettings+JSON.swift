extension MockFaultSettings: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case maxConcurrentStreams = "max_concurrent_streams"
        case initialWindowSize = "initial_window_size"
        case maxFrameSize = "max_frame_size"
        case maxHeaderListSize = "max_header_list_size"
        case headerTableSize = "header_table_size"
    }

    /// Decodes the JSON that `docs/faults.md` describes.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: ``MockFaultError`` if a key is unknown, `DecodingError` if a type is wrong.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.members(Key.self, of: "\"settings\"")
        func value(_ key: Key) throws -> UInt32? {
            try members.decodeIfPresent(Int64.self, forKey: key).map { try UInt32(fault: $0, key.rawValue) }
        }
        self.init(
            maxConcurrentStreams: try value(.maxConcurrentStreams), initialWindowSize: try value(.initialWindowSize),
            maxFrameSize: try value(.maxFrameSize), maxHeaderListSize: try value(.maxHeaderListSize),
            headerTableSize: try value(.headerTableSize))
    }

    /// Encodes the same JSON. Settings that are not in the frame are omitted.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encodeIfPresent(maxConcurrentStreams, forKey: .maxConcurrentStreams)
        try members.encodeIfPresent(initialWindowSize, forKey: .initialWindowSize)
        try members.encodeIfPresent(maxFrameSize, forKey: .maxFrameSize)
        try members.encodeIfPresent(maxHeaderListSize, forKey: .maxHeaderListSize)
        try members.encodeIfPresent(headerTableSize, forKey: .headerTableSize)
    }
}
