import Dispatch
import PushPlatform
import TestSupport

/// Takes connections as a server of another version does, and nothing more.
final class OldServer: Sendable {
    let port: Int
    private let listener: Int32

    init(version: String) throws {
        let (listener, port) = try LoopbackSocket.listen()
        (self.listener, self.port) = (listener, port)
        DispatchQueue.global().async {
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                _ = LoopbackSocket.read(client)
                LoopbackSocket.write(Self.welcome(version), to: client)
                while !LoopbackSocket.read(client).isEmpty {}
                close(client)
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// The user is let in, the server says what it is, and is ready.
    private static func welcome(_ version: String) -> [UInt8] {
        let parameters = [
            ("server_version", version), ("default_transaction_read_only", "off"), ("in_hot_standby", "off"),
        ]
        return message("R", [0, 0, 0, 0])
            + parameters.flatMap { message("S", Array($0.utf8) + [0] + Array($1.utf8) + [0]) }
            + message("K", [0, 0, 0, 1, 0, 0, 0, 1]) + message("Z", Array("I".utf8))
    }

    private static func message(_ type: Character, _ body: [UInt8]) -> [UInt8] {
        [type.asciiValue ?? 0, 0, 0, 0, UInt8(body.count + 4)] + body
    }
}
