internal import NIOCore

/// What a connection tells the pool that keeps it.
enum ConnectionNews: Sendable {
    /// How far it has come, or whether the answer to a PING is awaited before it is used.
    case progressed(PushPhase, awaitsPing: Bool)
    /// It can take requests.
    case opened
    /// It has taken what it had room for, where the pool has asked to be told.
    case pulled
    /// There is more in the queue than it has room for, and nobody may have been woken for it.
    case overflows
    /// It has put sends back into the queue: to be sent at once, or later. Then is the latest time to look after them.
    case returned(atOnce: Bool, later: MonotonicTime)
    /// An answer was that the key does not fit the connection, which may have fitted before.
    case keyRefused(words: String, hadFitted: Bool)
    /// The server refuses the credentials, whatever is sent; what it said of the certificate, where it was that.
    case credentialsRefused(words: String, certificate: ConnectionFailure?)
    /// An answer has shown for the first time that the server takes this client for who it is.
    case authenticated
    /// The newest provider token that can be made was refused as too old.
    case newestTokenRefused(words: String)
    /// The server refuses a topic, whatever is sent to it.
    case topicRefused(String, words: String)
    /// It takes no more requests; what is in flight may finish. Another one is of use only where this one was.
    case stopsTaking(wasOfUse: Bool)
    /// It is gone.
    case closed(ConnectionEnding)
}

/// How a connection ended.
struct ConnectionEnding: Sendable {
    /// Why; `nil` when both sides had nothing more to say.
    var failure: ConnectionFailure?
    /// It has never carried a request, and this side did not want it to end.
    var neverServed: Bool
    var worth: ReconnectBackoff.Worth
}

/// Through which connections talk to their pool, whichever event loop they are on: the pool is touched on its own only.
// Not checked by the compiler: `loop` never changes, and `pool` is set in `init` and from then on read on `loop` only, which
// `perform` sees to. A weak reference cannot be a constant, and the pool itself is not Sendable.
final class PoolDoor: @unchecked Sendable {
    let loop: any EventLoop
    /// Touched on `loop` only.
    private weak var pool: ConnectionPool?

    init(_ pool: ConnectionPool, loop: any EventLoop) {
        self.pool = pool
        self.loop = loop
    }

    func tell(_ number: Int, _ news: ConnectionNews) {
        perform { $0.heard(news, from: number) }
    }

    func perform(_ body: @escaping @Sendable (ConnectionPool) -> Void) {
        if loop.inEventLoop {
            if let pool { body(pool) }
        } else {
            loop.execute { self.perform(body) }
        }
    }
}

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
