internal import CNGHTTP2

/// The HEADERS frames of requests and of answers: the library says when one goes out, and this writes the fields into it.
///
/// The library counts streams, windows and settings; what stands in the fields it need not know. It is given none of the
/// fields, and the frame that it makes of nothing is replaced by one with the fields as ``HeaderEncoder`` writes them.
/// Fields larger than a frame go on in CONTINUATION frames.
struct HeaderFrames: ~Copyable {
    private static let headerLength = 9
    /// RFC 9113, section 4.2: what every peer takes.
    private static let mostPayload = 16_384

    private var encoder = HeaderEncoder()
    /// Room for a frame's header, and behind it the fields of one stream.
    private var memory = UnsafeMutableRawPointer.allocate(byteCount: 2048, alignment: 8)
    private var capacity = 2048
    /// What of the fields has not been given out: a range behind the header's room.
    private var rest = 0..<0
    private var streamID: Int32 = 0

    deinit {
        memory.deallocate()
    }

    /// The peer has said how large the table of HPACK may be.
    mutating func peerAllowsTable(_ bytes: UInt32) {
        encoder.peerAllows(Int(bytes))
    }

    static func streamOpened(by frame: UnsafeRawBufferPointer) -> Int32? {
        guard frame.count >= headerLength, frame[3] == UInt8(NGHTTP2_HEADERS.rawValue) else { return nil }
        return Int32(bigEndian: frame.loadUnaligned(fromByteOffset: 5, as: Int32.self))
    }

    /// The frame with the fields of a stream, in place of the library's; valid until the next call.
    mutating func begin(
        _ streamID: Int32, _ common: UnsafeRawBufferPointer, _ own: UnsafeRawBufferPointer,
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
        encoder.write(common, to: &output)
        encoder.write(own, to: &output)
        encoder.write(credential, to: &output)
        self.streamID = streamID
        let endsStream = frame[4] & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue)
        return give(UInt8(NGHTTP2_HEADERS.rawValue), flags: endsStream, 0..<output.count)
    }

    /// What did not fit the frame before.
    mutating func next() -> UnsafeRawBufferPointer? {
        rest.isEmpty ? nil : give(UInt8(NGHTTP2_CONTINUATION.rawValue), flags: 0, rest)
    }

    /// Writes the header in front of as much as fits a frame, over what was given out before.
    private mutating func give(_ type: UInt8, flags: UInt8, _ payload: Range<Int>) -> UnsafeRawBufferPointer {
        let length = min(payload.count, Self.mostPayload)
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
