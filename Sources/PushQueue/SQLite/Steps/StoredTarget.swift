import PushPlatform

/// How a target is stored: the usual device token, in hex, as bytes; everything else as a text with a mark before it.
enum StoredTarget: SQLValue {
    case token([UInt8])
    case text(String)

    init(_ target: QueueJobTarget) {
        switch target {
        case .device(let token):
            self = HexText.bytes(of: token).map { .token($0) } ?? .text("d" + token)
        case .channel(let channel): self = .text("c" + channel)
        }
    }

    static func read(_ row: borrowing SQLRow, _ column: Int) -> QueueJobTarget {
        guard row.isText(column) else { return .device(row.withBytes(column, HexText.of)) }
        let text = row.text(column)
        let name = String(text.dropFirst())
        return text.first == "c" ? .channel(name) : .device(name)
    }

    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        switch self {
        case .token(let bytes): bytes.bind(to: statement, at: index)
        case .text(let text): text.bind(to: statement, at: index)
        }
    }
}

extension StoredTarget {
    /// The key of a target in the index of its jobs: a number that few other targets have.
    var mark: Int64 {
        let digest =
            switch self {
            case .token(let bytes): Self.digest(bytes)
            case .text(let text): Self.digest(text.utf8)
            }
        return Int64(digest & 0xFFFF_FFFF)
    }

    /// A digest that must never change, because it is stored: FNV-1a, and a last step that spreads the bits.
    private static func digest(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        digest = (digest ^ digest >> 33) &* 0xFF51_AFD7_ED55_8CCD
        return digest ^ digest >> 33
    }
}
