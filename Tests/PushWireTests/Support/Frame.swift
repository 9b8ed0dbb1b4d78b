/// One HTTP/2 frame as plain data (RFC 9113 section 4.1): made by hand for a session, or read from what it sent.
struct Frame: Equatable {
    /// The frame types of RFC 9113 section 6.
    enum Kind: UInt8 {
        case data, headers, priority, resetStream, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    static let endStream: UInt8 = 1
    static let acknowledgement: UInt8 = 1
    static let endHeaders: UInt8 = 4
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    var kind: Kind
    var flags: UInt8 = 0
    var streamID: Int32 = 0
    var payload: [UInt8] = []

    var bytes: [UInt8] {
        let length = UInt32(payload.count)
        return length.bigEndianBytes.dropFirst() + [kind.rawValue, flags] + streamID.bigEndianBytes + payload
    }

    /// The code of a RST_STREAM.
    var resetCode: UInt32? { kind == .resetStream ? payload.reduce(0) { $0 << 8 | UInt32($1) } : nil }

    /// The frames of a byte stream, the client's preface passed over; `nil` when the bytes do not end with a frame.
    static func read(_ bytes: [UInt8]) -> [Frame]? {
        readWithOffsets(bytes)?.map(\.frame)
    }

    /// The frames with the offsets at which they begin.
    static func readWithOffsets(_ bytes: [UInt8]) -> [(offset: Int, frame: Frame)]? {
        var at = bytes.starts(with: preface) ? preface.count : 0
        var frames: [(offset: Int, frame: Frame)] = []
        while at < bytes.count {
            guard at + 9 <= bytes.count, let kind = Kind(rawValue: bytes[at + 3]) else { return nil }
            let length = bytes[at..<at + 3].reduce(0) { $0 << 8 | Int($1) }
            guard at + 9 + length <= bytes.count else { return nil }
            let id = bytes[at + 5..<at + 9].reduce(Int32(0)) { $0 << 8 | Int32($1) }
            let payload = Array(bytes[at + 9..<at + 9 + length])
            frames.append((at, Frame(kind: kind, flags: bytes[at + 4], streamID: id, payload: payload)))
            at += 9 + length
        }
        return frames
    }
}

// MARK: Frames that tests send by hand

extension Frame {
    static let emptySettings = Frame(kind: .settings)

    static func maxConcurrentStreams(_ value: UInt32) -> Frame {
        Frame(kind: .settings, payload: [0, 3] + value.bigEndianBytes)
    }

    /// Header fields, each spelled out (RFC 7541 section 6.2.2).
    static func headers(
        _ fields: [(String, String)], on streamID: Int32, flags: UInt8 = endHeaders
    ) -> Frame {
        Frame(kind: .headers, flags: flags, streamID: streamID, payload: fields.flatMap(literal))
    }

    static func continuation(_ fields: [(String, String)], on streamID: Int32, flags: UInt8 = 0) -> Frame {
        Frame(kind: .continuation, flags: flags, streamID: streamID, payload: fields.flatMap(literal))
    }

    static func data(_ text: String, on streamID: Int32, flags: UInt8 = 0) -> Frame {
        Frame(kind: .data, flags: flags, streamID: streamID, payload: Array(text.utf8))
    }

    static func reset(_ streamID: Int32, code: UInt32) -> Frame {
        Frame(kind: .resetStream, streamID: streamID, payload: code.bigEndianBytes)
    }

    static func goAway(lastStreamID: Int32, code: UInt32 = 0, debugData: String = "") -> Frame {
        Frame(kind: .goAway, payload: lastStreamID.bigEndianBytes + code.bigEndianBytes + Array(debugData.utf8))
    }

    static func windowUpdate(_ streamID: Int32, by increment: UInt32) -> Frame {
        Frame(kind: .windowUpdate, streamID: streamID, payload: increment.bigEndianBytes)
    }

    private static func literal(_ name: String, _ value: String) -> [UInt8] {
        [0] + text(name) + text(value)
    }

    /// A string without Huffman coding, its length in front (RFC 7541 section 5.2).
    private static func text(_ value: String) -> [UInt8] {
        var length = value.utf8.count
        guard length >= 127 else { return [UInt8(length)] + Array(value.utf8) }
        var bytes: [UInt8] = [127]
        length -= 127
        while length >= 128 {
            bytes.append(UInt8(length % 128 + 128))
            length /= 128
        }
        return bytes + [UInt8(length)] + Array(value.utf8)
    }
}

extension FixedWidthInteger {
    var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
