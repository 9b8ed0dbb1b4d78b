internal import NIOCore

/// Lets connections call their pool from any event loop. The calls run on the event loop of the pool.
// The compiler does not check it: `loop` never changes, and `pool` is set in `init` and then read only on `loop`, which
// `perform` guarantees. A weak reference cannot be a constant, and the pool itself is not Sendable.
final class PoolInbox: @unchecked Sendable {
    let loop: any EventLoop
    /// Use it only on `loop`.
    private weak var pool: ConnectionPool?

    init(_ pool: ConnectionPool, loop: any EventLoop) {
        self.pool = pool
        self.loop = loop
    }

    func report(_ event: ConnectionEvent, from number: Int) {
        perform { $0.received(event, from: number) }
    }

    func perform(_ body: @escaping @Sendable (ConnectionPool) -> Void) {
        if loop.inEventLoop {
            if let pool { body(pool) }
        } else {
            loop.execute { self.perform(body) }
        }
    }
}
