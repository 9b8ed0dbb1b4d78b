/// One HTTP/2 frame as plain data (RFC 9113 section 4.1): made by hand for a session, or read from what it sent.
package struct Frame: Equatable {
    /// The frame types of RFC 9113 section 6.
    package enum Kind: UInt8 {
        case data, headers, priority, resetStream, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    package static let endStream: UInt8 = 1
    package static let acknowledgement: UInt8 = 1
    package static let endHeaders: UInt8 = 4
    package static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    package var kind: Kind
    package var flags: UInt8 = 0
    package var streamID: Int32 = 0
    package var payload: [UInt8] = []

    package init(kind: Kind, flags: UInt8 = 0, streamID: Int32 = 0, payload: [UInt8] = []) {
        self.kind = kind
        self.flags = flags
        self.streamID = streamID
        self.payload = payload
    }

    package var bytes: [UInt8] {
        let length = UInt32(payload.count)
        return length.bigEndianBytes.dropFirst() + [kind.rawValue, flags] + streamID.bigEndianBytes + payload
    }

    /// The code of a RST_STREAM.
    package var resetCode: UInt32? { kind == .resetStream ? payload.reduce(0) { $0 << 8 | UInt32($1) } : nil }

    /// The frames of a byte stream, the client's preface passed over; `nil` when the bytes do not end with a frame.
    package static func read(_ bytes: [UInt8]) -> [Frame]? {
        readWithOffsets(bytes)?.map(\.frame)
    }

    /// The frame at the beginning of these bytes, `nil` if its type is unknown, and its length; `nil` if it is incomplete.
    package static func first(in bytes: ArraySlice<UInt8>) -> (frame: Frame?, length: Int)? {
        let start = bytes.startIndex
        guard bytes.count >= 9 else { return nil }
        let length = 9 + bytes[start..<start + 3].reduce(0) { $0 << 8 | Int($1) }
        guard bytes.count >= length else { return nil }
        let frame = Kind(rawValue: bytes[start + 3]).map { kind in
            Frame(
                kind: kind, flags: bytes[start + 4],
                streamID: bytes[start + 5..<start + 9].reduce(Int32(0)) { $0 << 8 | Int32($1) },
                payload: Array(bytes[start + 9..<start + length]))
        }
        return (frame, length)
    }

    /// The frames with the offsets at which they begin.
    package static func readWithOffsets(_ bytes: [UInt8]) -> [(offset: Int, frame: Frame)]? {
        var at = bytes.starts(with: preface) ? preface.count : 0
        var frames: [(offset: Int, frame: Frame)] = []
        while at < bytes.count {
            guard let first = first(in: bytes[at...]), let frame = first.frame else { return nil }
            frames.append((at, frame))
            at += first.length
        }
        return frames
    }
}

// MARK: Frames that tests send by hand

extension Frame {
    package static let emptySettings = Frame(kind: .settings)

    package static func maxConcurrentStreams(_ value: UInt32) -> Frame {
        Frame(kind: .settings, payload: [0, 3] + value.bigEndianBytes)
    }

    /// Header fields, each spelled out (RFC 7541 section 6.2.2).
    package static func headers(
        _ fields: [(String, String)], on streamID: Int32, flags: UInt8 = endHeaders
    ) -> Frame {
        Frame(kind: .headers, flags: flags, streamID: streamID, payload: fields.flatMap(literal))
    }

    package static func continuation(_ fields: [(String, String)], on streamID: Int32, flags: UInt8 = 0) -> Frame {
        Frame(kind: .continuation, flags: flags, streamID: streamID, payload: fields.flatMap(literal))
    }

    /// HEADERS with a status and nothing else.
    package static func status(_ status: Int, on streamID: Int32, flags: UInt8 = 0) -> Frame {
        headers([(":status", String(status))], on: streamID, flags: endHeaders | flags)
    }

    package static func data(_ text: String, on streamID: Int32, flags: UInt8 = 0) -> Frame {
        Frame(kind: .data, flags: flags, streamID: streamID, payload: Array(text.utf8))
    }

    package static func reset(_ streamID: Int32, code: UInt32) -> Frame {
        Frame(kind: .resetStream, streamID: streamID, payload: code.bigEndianBytes)
    }

    package static func goAway(lastStreamID: Int32, code: UInt32 = 0, debugData: String = "") -> Frame {
        Frame(kind: .goAway, payload: lastStreamID.bigEndianBytes + code.bigEndianBytes + Array(debugData.utf8))
    }

    package static func windowUpdate(_ streamID: Int32, by increment: UInt32) -> Frame {
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
    package var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}

/// Reads the frames of a client from its bytes, wherever they were cut.
package struct FrameReader {
    private var bytes: [UInt8] = []
    private var prefaceLeft = Frame.preface.count

    package init() {}

    /// Returns the frames that are complete now; frames of unknown types are left out.
    package mutating func receive(_ more: some Sequence<UInt8>) -> [Frame] {
        bytes.append(contentsOf: more)
        var at = min(prefaceLeft, bytes.count)
        prefaceLeft -= at
        var frames: [Frame] = []
        while let first = Frame.first(in: bytes[at...]) {
            if let frame = first.frame { frames.append(frame) }
            at += first.length
        }
        bytes.removeFirst(at)
        return frames
    }
}
