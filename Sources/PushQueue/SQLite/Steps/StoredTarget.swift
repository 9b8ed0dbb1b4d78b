/// How a target is stored: the usual device token, in hex, as bytes; everything else as a text with a mark before it.
enum StoredTarget: SQLValue {
    case token([UInt8])
    case text(String)

    init(_ target: QueueJobTarget) {
        switch target {
        case .device(let token):
            self = TokenText.bytes(of: token).map { .token($0) } ?? .text("d" + token)
        case .channel(let channel): self = .text("c" + channel)
        }
    }

    static func read(_ row: borrowing SQLRow, _ column: Int32) -> QueueJobTarget {
        guard row.isText(column) else { return .device(row.withBytes(column, TokenText.hex)) }
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
