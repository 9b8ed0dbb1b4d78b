internal import PushWire

/// Settings that a fault announces (RFC 9113 section 6.5). What is `nil` is not in the frame.
public struct FaultSettings: Sendable, Hashable {
    /// How many streams may be open at a time. From then on the mock does not change it by itself.
    public var maxConcurrentStreams: UInt32?
    /// The flow-control window of each stream, in bytes, up to 2 147 483 647.
    public var initialWindowSize: UInt32?
    /// The largest frame, in bytes, 16 384 to 16 777 215.
    public var maxFrameSize: UInt32?
    /// The longest list of header fields, in bytes of RFC 9113 section 6.5.2.
    public var maxHeaderListSize: UInt32?
    /// The size of the HPACK table, in bytes.
    public var headerTableSize: UInt32?

    /// Takes settings; none at all make an empty frame.
    ///
    /// - Parameters:
    ///   - maxConcurrentStreams: How many streams may be open at a time.
    ///   - initialWindowSize: The flow-control window of each stream, in bytes.
    ///   - maxFrameSize: The largest frame, in bytes.
    ///   - maxHeaderListSize: The longest list of header fields, in bytes.
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
