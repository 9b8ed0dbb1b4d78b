internal import NIOCore

/// Lets the pool call a connection. The calls run on the event loop of the connection.
// The compiler does not check it: all properties are constant, and the connection, which is not Sendable, is used only
// through `perform`, on `loop`.
final class ConnectionHandle: @unchecked Sendable {
    let number: Int
    let loop: any EventLoop
    /// Use it only on `loop`.
    private let connection: ClientConnection

    init(_ connection: ClientConnection, loop: any EventLoop) {
        number = connection.number
        self.loop = loop
        self.connection = connection
    }

    func perform(_ body: @escaping @Sendable (ClientConnection) -> Void) {
        if loop.inEventLoop {
            body(connection)
        } else {
            loop.execute { body(self.connection) }
        }
    }
}
