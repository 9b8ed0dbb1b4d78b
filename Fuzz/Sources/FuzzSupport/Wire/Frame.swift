/// A frame of HTTP/2 (RFC 9113 section 4.1).
package struct Frame {
    package enum Kind: UInt8, CaseIterable {
        case data, headers, priority, resetStream, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    package static let headerLength = 9
    package static let endStream: UInt8 = 1
    package static let endHeaders: UInt8 = 4
    package static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    package var type: UInt8
    package var flags: UInt8
    package var streamID: UInt32
    package var payload: [UInt8]

    package init(type: UInt8, flags: UInt8 = 0, streamID: UInt32 = 0, payload: [UInt8] = []) {
        self.type = type
        self.flags = flags
        self.streamID = streamID
        self.payload = payload
    }

    /// Reads a frame that a session has written, and claims that it is well formed.
    package init(_ bytes: UnsafeRawBufferPointer) {
        claim(bytes.count >= Self.headerLength, "the header of a frame is incomplete")
        let length = Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2])
        claim(bytes.count == Self.headerLength + length, "the length of a frame differs from its length field")
        claim(length <= 16_384, "a frame is larger than the size that every peer accepts")
        claim(Kind(rawValue: bytes[3]) != nil, "a frame is of an unknown type")
        let id = bytes[5..<9].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        self.init(
            type: bytes[3], flags: bytes[4], streamID: id,
            payload: Array(UnsafeRawBufferPointer(rebasing: bytes[Self.headerLength...])))
    }

    package func isOf(_ kind: Kind) -> Bool { type == kind.rawValue }

    package var bytes: [UInt8] {
        let length = UInt32(truncatingIfNeeded: payload.count)
        return length.bigEndianBytes.dropFirst() + [type, flags] + streamID.bigEndianBytes + payload
    }
}

extension FixedWidthInteger {
    package var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
