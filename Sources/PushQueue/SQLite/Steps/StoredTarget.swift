#if PushService
    /// How a target is stored: the usual device token, in hex, as bytes; everything else as a text with a mark before it.
    enum StoredTarget: SQLValue {
        case token([UInt8])
        case text(String)

        init(_ target: JobTarget) {
            switch target {
            case .device(let token):
                self = Self.bytes(ofHex: token).map { .token($0) } ?? .text("d" + token)
            case .channel(let channel): self = .text("c" + channel)
            }
        }

        static func read(_ row: borrowing SQLRow, _ column: Int32) -> JobTarget {
            guard row.isText(column) else { return .device(row.withBytes(column, hex)) }
            let text = row.text(column)
            let name = String(text.dropFirst())
            return text.first == "c" ? .channel(name) : .device(name)
        }

        /// One spelling for each device token: a token in hex gets lower-case letters.
        static func canonical(_ token: String) -> String {
            bytes(ofHex: token).map { $0.withUnsafeBytes(hex) } ?? token
        }

        func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
            switch self {
            case .token(let bytes): bytes.bind(to: statement, at: index)
            case .text(let text): text.bind(to: statement, at: index)
            }
        }

        private static func bytes(ofHex text: String) -> [UInt8]? {
            let digits = text.utf8
            guard digits.count.isMultiple(of: 2), !digits.isEmpty else { return nil }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(digits.count / 2)
            var high: UInt8?
            for digit in digits {
                let value: UInt8
                switch digit {
                case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
                case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
                case UInt8(ascii: "A")...UInt8(ascii: "F"): value = digit - UInt8(ascii: "A") + 10
                default: return nil
                }
                if let first = high {
                    bytes.append(first << 4 | value)
                    high = nil
                } else {
                    high = value
                }
            }
            return bytes
        }

        private static func hex(_ bytes: UnsafeRawBufferPointer) -> String {
            String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
                for (index, byte) in bytes.enumerated() {
                    text[2 * index] = digit(byte >> 4)
                    text[2 * index + 1] = digit(byte & 15)
                }
                return 2 * bytes.count
            }
        }

        private static func digit(_ value: UInt8) -> UInt8 {
            value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
        }
    }
#endif
