internal import NIOCore

/// Through which connections talk to their pool, whichever event loop they are on: the pool is touched on its own only.
// Not checked by the compiler: `loop` never changes, and `pool` is set in `init` and from then on read on `loop` only, which
// `perform` sees to. A weak reference cannot be a constant, and the pool itself is not Sendable.
final class PoolInbox: @unchecked Sendable {
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
