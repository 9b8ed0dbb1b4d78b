import PushWire

/// Frames written by hand, for what nghttp2 would not send (RFC 9113 section 4.1).
enum Frame {
    static let data: UInt8 = 0
    static let headers: UInt8 = 1
    static let resetStream: UInt8 = 3
    static let ping: UInt8 = 6
    static let goAway: UInt8 = 7
    static let windowUpdate: UInt8 = 8
    static let endsStream: UInt8 = 1
    static let endsHeaders: UInt8 = 4

    static func bytes(type: UInt8, flags: UInt8 = 0, streamID: Int32, payload: [UInt8] = []) -> [UInt8] {
        let length = payload.count
        return [UInt8(length >> 16), UInt8(length >> 8 & 255), UInt8(length & 255), type, flags]
            + bigEndian(UInt32(streamID)) + payload
    }

    /// Headers with a status and nothing else, in HPACK that needs no table.
    static func status(_ status: Int, on streamID: Int32, endsStream: Bool) -> [UInt8] {
        // A literal that is not indexed, under the name of the static table's entry 8, `:status` (RFC 7541 section 6.2.2).
        let field: [UInt8] = [8, 3] + Array(String(status).utf8)
        let flags = endsHeaders | (endsStream ? Self.endsStream : 0)
        return bytes(type: headers, flags: flags, streamID: streamID, payload: field)
    }

    static func data(_ text: String, on streamID: Int32, endsStream: Bool) -> [UInt8] {
        bytes(type: data, flags: endsStream ? Self.endsStream : 0, streamID: streamID, payload: Array(text.utf8))
    }

    static func reset(_ code: HTTP2ErrorCode, on streamID: Int32) -> [UInt8] {
        bytes(type: resetStream, streamID: streamID, payload: bigEndian(code.rawValue))
    }

    static func goAway(lastStreamID: Int32, _ code: HTTP2ErrorCode = .noError, data: [UInt8] = []) -> [UInt8] {
        bytes(type: goAway, streamID: 0, payload: bigEndian(UInt32(lastStreamID)) + bigEndian(code.rawValue) + data)
    }

    static func openWindow(by increment: UInt32) -> [UInt8] {
        bytes(type: windowUpdate, streamID: 0, payload: bigEndian(increment))
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}

/// Reads the frames of a client out of its bytes, wherever they were cut.
struct FrameReader {
    struct Header {
        var type: UInt8
        var flags: UInt8
        var streamID: Int32
        var payload: [UInt8]
    }

    private var bytes: [UInt8] = []
    private var prefaceLeft = 24

    mutating func receive(_ more: some Sequence<UInt8>) -> [Header] {
        bytes.append(contentsOf: more)
        var at = min(prefaceLeft, bytes.count)
        prefaceLeft -= at
        var frames: [Header] = []
        while bytes.count >= at + 9 {
            let length = Int(bytes[at]) << 16 | Int(bytes[at + 1]) << 8 | Int(bytes[at + 2])
            guard bytes.count >= at + 9 + length else { break }
            frames.append(
                Header(
                    type: bytes[at + 3],
                    flags: bytes[at + 4],
                    streamID: bytes[(at + 5)..<(at + 9)].reduce(Int32(0)) { $0 << 8 | Int32($1) },
                    payload: Array(bytes[(at + 9)..<(at + 9 + length)])
                ))
            at += 9 + length
        }
        bytes.removeFirst(at)
        return frames
    }
}
