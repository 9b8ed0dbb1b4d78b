extension FaultSettings: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case maxConcurrentStreams = "max_concurrent_streams"
        case initialWindowSize = "initial_window_size"
        case maxFrameSize = "max_frame_size"
        case maxHeaderListSize = "max_header_list_size"
        case headerTableSize = "header_table_size"
    }

    /// Reads the form that `docs/faults.md` describes.
    ///
    /// - Parameter decoder: Where to read.
    /// - Throws: ``FaultError`` for an unknown key, `DecodingError` for a wrong type.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.members(Key.self, of: "\"settings\"")
        self.init(
            maxConcurrentStreams: try members.decodeIfPresent(UInt32.self, forKey: .maxConcurrentStreams),
            initialWindowSize: try members.decodeIfPresent(UInt32.self, forKey: .initialWindowSize),
            maxFrameSize: try members.decodeIfPresent(UInt32.self, forKey: .maxFrameSize),
            maxHeaderListSize: try members.decodeIfPresent(UInt32.self, forKey: .maxHeaderListSize),
            headerTableSize: try members.decodeIfPresent(UInt32.self, forKey: .headerTableSize)
        )
    }

    /// Writes that form; what is not in the frame is left out.
    ///
    /// - Parameter encoder: Where to write.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encodeIfPresent(maxConcurrentStreams, forKey: .maxConcurrentStreams)
        try members.encodeIfPresent(initialWindowSize, forKey: .initialWindowSize)
        try members.encodeIfPresent(maxFrameSize, forKey: .maxFrameSize)
        try members.encodeIfPresent(maxHeaderListSize, forKey: .maxHeaderListSize)
        try members.encodeIfPresent(headerTableSize, forKey: .headerTableSize)
    }
}
