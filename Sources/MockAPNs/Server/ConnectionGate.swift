internal import NIOCore
import PushPlatform
internal import PushWire

/// Where connections come in: how many there may be, and what happens when the system gives no more.
struct ConnectionGate: Sendable {
    let configuration: MockConfiguration
    let connections: OpenConnections
    let logger: ConnectionLog

    @Sendable func prepare(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(AcceptPause(logger: logger))
        }
    }

    /// - Throws: ``LimitExceeded`` when there is no room for one more: its channel is then closed.
    func letIn() throws(LimitExceeded) {
        guard let most = configuration.limits.connections, connections.count >= most else { return }
        let reached = LimitExceeded(.connections, in: configuration.limits)
        logger.notice("a connection was closed at once: \(reached.text(configuration))")
        throw reached
    }
}

/// Waits when the system refuses to accept a connection, which it would do at once again.
///
/// NIO's own `AcceptBackoffHandler` holds back the next read. But a read that has failed still counts as wanted: NIO would
/// go on trying, without a pause. Only to take the listening socket out of what it waits for helps.
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
            no connection can be accepted, because there are no file descriptors left: those that wait come in when \
            others end. The shell's ulimit -n says how many the system allows.
            """
    }
}

extension HTTP2Session.Limits {
    /// What the session itself looks after. Resets are counted by ``ConnectionWatch``, which has words for them.
    mutating func take(_ limits: MockLimits) {
        headerBytes = limits.headerBytes ?? .max
        continuations = limits.continuations ?? .max
        longestBody = limits.requestBytes ?? .max
        unsentAnswersToControl = limits.waitingAnswers ?? .max
        resetBurst = .max
        resetsPerSecond = .max
    }
}
