extension Frame {
    /// A frame that the input describes. Most frames are well formed, so that the session reads their contents.
    package init(_ input: inout FuzzInput) {
        let type = input.byte()
        let kind = Kind(rawValue: type % 0x10)
        let flags = input.choice(of: [0, 1, 4, 5, input.byte()])
        let streamID = Self.streamID(&input)
        let payload =
            switch kind {
            case .headers: Self.fields(&input)
            case .settings: Self.settings(&input)
            case .resetStream: Self.code(&input).bigEndianBytes
            case .ping: Self.padded(input.piece(), to: 8)
            case .goAway: Self.streamID(&input).bigEndianBytes + Self.code(&input).bigEndianBytes + input.piece()
            case .windowUpdate: input.choice(of: [1, 1000, 65_535, 0x7FFF_FFFF, input.number32()]).bigEndianBytes
            case .data, .priority, .pushPromise, .continuation, nil: input.piece()
            }
        let isOnConnection = kind == .settings || kind == .ping || kind == .goAway
        self.init(type: type % 0x10, flags: flags, streamID: isOnConnection ? 0 : streamID, payload: payload)
    }

    private static func streamID(_ input: inout FuzzInput) -> UInt32 {
        let byte = input.byte()
        return byte < 0xF0 ? UInt32(byte) % 64 : input.number32()
    }

    private static func code(_ input: inout FuzzInput) -> UInt32 {
        let byte = input.byte()
        return byte < 0xF0 ? UInt32(byte) % 16 : input.number32()
    }

    private static func padded(_ bytes: [UInt8], to count: Int) -> [UInt8] {
        Array((bytes + [UInt8](repeating: 0, count: count)).prefix(count))
    }

    private static func settings(_ input: inout FuzzInput) -> [UInt8] {
        (0..<input.number(below: 5)).flatMap { _ in
            let value = input.choice(of: [0, 1, 2, 100, 4095, 4096, 16_384, 65_535, 0x7FFF_FFFF, input.number32()])
            return UInt16(input.number(below: 9)).bigEndianBytes + value.bigEndianBytes
        }
    }

    private static let fieldNames = [
        ":status", ":method", ":path", ":scheme", ":authority", "apns-id", "apns-unique-id", "content-length", "date",
        "retry-after", "apns-topic", "te", "connection", "X",
    ]
    private static let fieldValues = [
        "200", "100", "410", "POST", "/3/device/0f0f", "https", "a.b", "0", "5", "trailers",
    ]

    /// Literal fields (RFC 7541 section 6.2), or bytes that may be any HPACK.
    private static func fields(_ input: inout FuzzInput) -> [UInt8] {
        guard input.byte() < 0xC0 else { return input.piece() }
        return (0..<input.number(below: 8)).flatMap { _ in
            let form: UInt8 = input.choice(of: [0x00, 0x10, 0x40])
            let name = Array(input.choice(of: fieldNames).utf8)
            let byte = input.byte()
            let isUsual = Int(byte) < fieldValues.count
            let value = isUsual ? Array(fieldValues[Int(byte)].utf8) : input.bytes(Int(byte % 0x40))
            return [form, UInt8(name.count)] + name + [UInt8(value.count)] + value
        }
    }
}
