internal import PushWire

extension MockFault {
    /// The content of a SETTINGS frame (RFC 9113 section 6.5). Settings that are `nil` are not in the frame.
    public struct Settings: Sendable, Hashable {
        /// The maximum number of open streams. If it is set, the mock does not change the limit by itself any more.
        public var maxConcurrentStreams: UInt32?
        /// The flow-control window of each stream, in bytes, up to 2 147 483 647.
        public var initialWindowSize: UInt32?
        /// The maximum size of a frame in bytes, 16 384 to 16 777 215.
        public var maxFrameSize: UInt32?
        /// The maximum size of all header fields in bytes, as defined in RFC 9113 section 6.5.2.
        public var maxHeaderListSize: UInt32?
        /// The size of the HPACK table, in bytes.
        public var headerTableSize: UInt32?

        /// Creates settings. Without any setting, the frame is empty.
        ///
        /// - Parameters:
        ///   - maxConcurrentStreams: The maximum number of open streams.
        ///   - initialWindowSize: The flow-control window of each stream, in bytes.
        ///   - maxFrameSize: The maximum size of a frame in bytes.
        ///   - maxHeaderListSize: The maximum size of all header fields in bytes.
        ///   - headerTableSize: The size of the HPACK table, in bytes.
        public init(
            maxConcurrentStreams: UInt32? = nil, initialWindowSize: UInt32? = nil, maxFrameSize: UInt32? = nil,
            maxHeaderListSize: UInt32? = nil, headerTableSize: UInt32? = nil
        ) {
            self.maxConcurrentStreams = maxConcurrentStreams
            self.initialWindowSize = initialWindowSize
            self.maxFrameSize = maxFrameSize
            self.maxHeaderListSize = maxHeaderListSize
            self.headerTableSize = headerTableSize
        }

        init(_ settings: HTTP2Settings) {
            self.init(
                maxConcurrentStreams: settings.maxConcurrentStreams, initialWindowSize: settings.initialWindowSize,
                maxFrameSize: settings.maxFrameSize, maxHeaderListSize: settings.maxHeaderListSize,
                headerTableSize: settings.headerTableSize)
        }

        var onTheWire: HTTP2Settings {
            HTTP2Settings(
                maxConcurrentStreams: maxConcurrentStreams, initialWindowSize: initialWindowSize,
                maxHeaderListSize: maxHeaderListSize, headerTableSize: headerTableSize, maxFrameSize: maxFrameSize)
        }
    }
}

extension MockFault.Settings: Codable, FaultObject {
    static let what = "\"settings\""
    static var blank: Self { Self() }
    static var members: [FaultMember<Self>] {
        let table: [(String, WritableKeyPath<Self, UInt32?>)] = [
            ("max_concurrent_streams", \.maxConcurrentStreams), ("initial_window_size", \.initialWindowSize),
            ("max_frame_size", \.maxFrameSize), ("max_header_list_size", \.maxHeaderListSize),
            ("header_table_size", \.headerTableSize),
        ]
        return table.map { name, path in
            .init(AnyKey(stringValue: name), path, read: { try UInt32(fault: $0, name) }, write: { Int64($0) })
        }
    }
}
