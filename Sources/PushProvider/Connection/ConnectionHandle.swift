internal import NIOCore

/// A connection as its pool holds it: what is asked of it is done on its own event loop.
// Not checked by the compiler: everything in it is constant, and the connection, which is not Sendable, is reached only through
// `perform`, on `loop`.
final class ConnectionHandle: @unchecked Sendable {
    let number: Int
    let loop: any EventLoop
    /// Touched on `loop` only.
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
