internal import CNGHTTP2

/// Creates the HEADERS frames of requests and answers. The library decides when a frame is sent, and this type writes
/// its fields.
///
/// The library counts streams, windows and settings, and does not need the fields. It gets no fields, and its empty
/// frame is replaced by a frame with the fields from ``HeaderEncoder``. Fields that are too large for one frame
/// continue in CONTINUATION frames.
struct HeaderFrames: ~Copyable {
    /// The size of a frame header, in bytes.
    private static let headerLength = 9
    /// The maximum payload of a frame, in bytes: every peer accepts this size (RFC 9113, section 4.2). Longer fields
    /// need more frames.
    private static let maximumPayload = 16_384

    private var encoder = HeaderEncoder()
    /// The memory for a frame header, followed by the fields of one stream.
    private var memory = UnsafeMutableRawPointer.allocate(byteCount: 2048, alignment: 8)
    private var capacity = 2048
    /// The range of the fields that were not returned yet, after the memory for the header.
    private var rest = 0..<0
    private var streamID: Int32 = 0

    deinit {
        memory.deallocate()
    }

    mutating func peerAllowsTable(_ bytes: UInt32) {
        encoder.peerAllows(Int(bytes))
    }

    static func streamOpened(by frame: UnsafeRawBufferPointer) -> Int32? {
        guard frame.count >= headerLength, frame[3] == UInt8(NGHTTP2_HEADERS.rawValue) else { return nil }
        return Int32(bigEndian: frame.loadUnaligned(fromByteOffset: 5, as: Int32.self))
    }

    /// Returns the frame with the fields of a stream, instead of the library's frame. It is valid until the next call.
    mutating func begin(
        _ streamID: Int32, _ method: HTTP2Method?, _ common: UnsafeRawBufferPointer, _ own: UnsafeRawBufferPointer,
        _ credential: UnsafeRawBufferPointer, instead frame: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        let room = HeaderEncoder.room(for: common.count + own.count + credential.count)
        if capacity < Self.headerLength + room {
            memory.deallocate()
            capacity = Self.headerLength + room
            memory = .allocate(byteCount: capacity, alignment: 8)
        }
        var output = HPACKWriter(memory + Self.headerLength)
        encoder.begin(&output)
        if let method { encoder.write(method, to: &output) }
        encoder.write(common, to: &output)
        encoder.write(own, to: &output)
        encoder.write(credential, to: &output)
        self.streamID = streamID
        let endsStream = frame[4] & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue)
        return give(UInt8(NGHTTP2_HEADERS.rawValue), flags: endsStream, 0..<output.count)
    }

    /// Returns the next frame with the remaining fields; `nil` if there are none.
    mutating func next() -> UnsafeRawBufferPointer? {
        rest.isEmpty ? nil : give(UInt8(NGHTTP2_CONTINUATION.rawValue), flags: 0, rest)
    }

    /// Writes the header before the fields for one frame. It overwrites bytes that were already returned.
    private mutating func give(_ type: UInt8, flags: UInt8, _ payload: Range<Int>) -> UnsafeRawBufferPointer {
        let length = min(payload.count, Self.maximumPayload)
        rest = payload.lowerBound + length..<payload.upperBound
        let isLast = rest.isEmpty
        let frame = memory + payload.lowerBound
        frame.storeBytes(of: (UInt32(length) << 8 | UInt32(type)).bigEndian, as: UInt32.self)
        let end = isLast ? UInt8(NGHTTP2_FLAG_END_HEADERS.rawValue) : 0
        frame.storeBytes(of: flags | end, toByteOffset: 4, as: UInt8.self)
        frame.storeBytes(of: streamID.bigEndian, toByteOffset: 5, as: Int32.self)
        return UnsafeRawBufferPointer(start: frame, count: Self.headerLength + length)
    }
}
