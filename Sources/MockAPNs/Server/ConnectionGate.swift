internal import NIOCore
import PushPlatform
internal import PushWire

/// Limits the number of open connections, and pauses when the system cannot accept more.
struct ConnectionGate: Sendable {
    let configuration: MockConfiguration
    let connections: OpenConnections
    let logger: ConnectionLog

    @Sendable func prepare(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(AcceptPause(logger: logger))
        }
    }

    /// - Throws: ``LimitExceeded`` when too many connections are open. The channel is then closed.
    func letIn() throws(LimitExceeded) {
        guard let most = configuration.limits.connections, connections.count >= most else { return }
        let reached = LimitExceeded(.connections, in: configuration.limits)
        logger.notice("a connection was closed at once: \(reached.text(configuration))")
        throw reached
    }
}

/// Pauses when the system fails to accept a connection, because the next attempt would fail too.
///
/// NIO's own `AcceptBackoffHandler` delays the next read. But NIO still has the failed read pending, and would try again
/// without a pause. So the listening socket is removed from the selector, by `autoRead`.
private final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private static let length = TimeAmount.milliseconds(100)

    private let logger: ConnectionLog

    init(logger: ConnectionLog) {
        self.logger = logger
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError else { return context.fireErrorCaught(error) }
        logger.notice(Self.message(for: error))
        let channel = context.channel
        channel.setOption(.autoRead, value: false).whenSuccess {
            channel.eventLoop.scheduleTask(in: Self.length) { channel.setOption(.autoRead, value: true) }
        }
    }

    private static func message(for error: IOError) -> String {
        guard [EMFILE, ENFILE].contains(error.errnoCode) else { return "no connection can be accepted: \(error)" }
        return """
            no connection can be accepted: too many open files. Waiting clients are accepted when other connections \
            end. To see or raise the limit, use "ulimit -n" in the shell.
            """
    }
}

extension HTTP2Session.Limits {
    /// Sets the limits that the session checks itself. ``ConnectionWatch`` counts resets, because it reports the limit by name.
    mutating func take(_ limits: MockLimits) {
        headerBytes = limits.headerBytes ?? .max
        continuations = limits.continuations ?? .max
        longestBody = limits.requestBytes ?? .max
        unsentAnswersToControl = limits.waitingAnswers ?? .max
        resetBurst = .max
        resetsPerSecond = .max
    }
}
