import PushQueue

/// How a target is stored: a first byte that says what it is, then the bytes of a token in hex, or a text.
enum StoredPostgresTarget {
    private static let token: UInt8 = 0
    private static let device: UInt8 = 1
    private static let channel: UInt8 = 2

    static func bytes(of target: QueueJobTarget) -> [UInt8] {
        switch target {
        case .device(let token):
            TokenText.bytes(of: token).map { [Self.token] + $0 } ?? [Self.device] + Array(token.utf8)
        case .channel(let channel): [Self.channel] + Array(channel.utf8)
        }
    }

    static func read(_ bytes: [UInt8]) -> QueueJobTarget {
        let rest = bytes.dropFirst()
        return switch bytes.first {
        case token: .device(rest.withUnsafeBytes { TokenText.hex($0) })
        case channel: .channel(String(decoding: rest, as: UTF8.self))
        default: .device(String(decoding: rest, as: UTF8.self))
        }
    }
}
