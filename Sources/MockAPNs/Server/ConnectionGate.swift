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
    func admit() throws(LimitExceeded) {
        guard let maximum = configuration.limits.connections, connections.count >= maximum else { return }
        let reached = LimitExceeded(.connections, in: configuration.limits)
        logger.notice("a connection was closed immediately: \(reached.text(configuration))")
        throw reached
    }
}

/// Pauses when the system fails to accept a connection, because the next attempt would fail too. It also pauses when the
/// process has almost no file descriptors left: Dispatch reads a file about each of its threads, and ends the process if it
/// cannot open that file.
///
/// NIO's own `AcceptBackoffHandler` delays the next read. But NIO still has the failed read pending, and would try again
/// without a pause. So the listening socket is removed from the selector, by `autoRead`.
private final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private static let length = TimeAmount.milliseconds(100)

    private let logger: ConnectionLog
    private var isPaused = false

    init(logger: ConnectionLog) {
        self.logger = logger
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !isPaused, !FileDescriptors.areEnough {
            logger.notice(Self.tooManyFiles)
            pause(context.channel)
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError else { return context.fireErrorCaught(error) }
        logger.notice(Self.message(for: error))
        if !isPaused { pause(context.channel) }
    }

    private func pause(_ channel: any Channel) {
        isPaused = true
        channel.setOption(.autoRead, value: false).assumeIsolated().whenSuccess { self.resumeLater(channel) }
    }

    private func resumeLater(_ channel: any Channel) {
        channel.eventLoop.assumeIsolated()
            .scheduleTask(in: Self.length) { [self] in
                guard channel.isActive else { return }
                guard FileDescriptors.areEnough else { return resumeLater(channel) }
                isPaused = false
                channel.setOption(.autoRead, value: true).whenFailure { _ in }
            }
    }

    private static func message(for error: IOError) -> String {
        [EMFILE, ENFILE].contains(error.errnoCode)
            ? tooManyFiles
            : "no connection can be accepted: \(String(cString: strerror(error.errnoCode)))"
    }

    private static let tooManyFiles = """
        no connection can be accepted: too many open files. Waiting clients are accepted when other connections \
        end. To see or raise the limit, use "ulimit -n" in the shell.
        """
}

/// The file descriptors that the process may still open.
private enum FileDescriptors {
    /// How many stay free for other parts of the process. NIO accepts up to four connections before it pauses.
    private static let reserve = 8

    /// Whether more than the reserve is free. The system assigns the lowest free number, so this number shows it.
    static var areEnough: Bool {
        let lowest = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard lowest >= 0 else { return false }
        defer { close(lowest) }
        guard let maximum = SystemLimit.openFiles.current else { return true }
        return Int(lowest) < maximum - reserve
    }
}

extension HTTP2Session.Limits {
    /// Sets the limits that the session checks itself. ``ConnectionWatch`` counts resets, because it reports the limit by name.
    mutating func apply(_ limits: MockLimits) {
        headerBytes = limits.headerBytes ?? .max
        continuations = limits.continuations ?? .max
        longestBody = limits.requestBytes ?? .max
        unsentAnswersToControl = limits.waitingAnswers ?? .max
        resetBurst = .max
        resetsPerSecond = .max
    }
}
