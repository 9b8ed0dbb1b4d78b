internal import NIOCore
internal import PushWire

/// Enforces the ``MockLimits`` on one connection.
final class LimitEnforcer {
    private unowned(unsafe) let connection: ServerConnection
    private let limits: MockLimits
    private var watch: ConnectionWatch
    private var timers = LimitTimers()
    /// The limit that the client has exceeded. The connection ends after the requests that came before are answered.
    private(set) var reached: LimitExceeded?
    /// The number of resets by the session that have been counted.
    private var forcedResets = 0
    /// The number of bytes of incomplete requests that was last reported to the mock.
    private var reportedUnfinished = 0
    private var hasNotedOverlongSection = false

    init(_ connection: ServerConnection) {
        self.connection = connection
        limits = connection.state.configuration.limits
        watch = ConnectionWatch(limits, now: NIODeadline.now().uptimeNanoseconds)
    }

    // MARK: Rates

    /// Counts received frames and sets ``reached`` when they exceed a limit.
    func count(_ frames: [HTTP2FrameNote]) {
        var resets = connection.wire.http2.forcedResets - forcedResets
        forcedResets += resets
        var idle = 0
        for frame in frames where !frame.isSent {
            if frame.isReset { resets += 1 } else if frame.isIdle { idle += 1 }
        }
        noteOverlongSections()
        if connection.wire.http2.overlongBody != nil { reached = LimitExceeded(.requestBytes, in: limits) }
        guard resets + idle > 0 else { return }
        let now = NIODeadline.now().uptimeNanoseconds
        if let excess = watch.came(resets: resets, idleFrames: idle, at: now) { reached = excess }
    }

    /// Logs the first stream of a connection that was reset because of its header fields. The reset itself carries no reason.
    private func noteOverlongSections() {
        guard connection.wire.http2.overlongSections > 0, !hasNotedOverlongSection else { return }
        hasNotedOverlongSection = true
        connection.logger.notice(
            """
            connection \(connection.number): a stream was reset: \
            \(LimitExceeded(.headerBytes, in: limits).text(connection.state.configuration))
            """)
    }

    // MARK: Memory

    /// Reports the bytes of incomplete requests on this connection. If all connections together have too many, one is closed.
    func reportUnfinished() {
        let bytes = connection.isOver ? 0 : connection.wire.http2.unfinishedBytes
        guard bytes != reportedUnfinished else { return }
        reportedUnfinished = bytes
        guard let most = connection.state.keepsUnfinished(bytes, connection: connection.number) else { return }
        let excess = LimitExceeded(.unfinishedBytes, in: limits)
        if most == connection.number {
            reached = excess
        } else {
            connection.state.connections.reach(most) { if !$0.isOver { $0.refuse(excess) } }
        }
    }

    /// The connection leaves the mock, with the bytes of its incomplete requests.
    func leave() {
        guard reportedUnfinished > 0 else { return }
        reportedUnfinished = 0
        _ = connection.state.keepsUnfinished(0, connection: connection.number)
    }

    /// Whether there is room for an answer beside those that wait on this connection; otherwise sets ``reached``. There
    /// is always room for small answers: their number has a limit.
    func hasRoom(forAnswer bytes: Int) -> Bool {
        guard bytes > Self.smallAnswer, let most = limits.answerBytes else { return true }
        guard connection.wire.http2.unsentAnswerBytes + bytes > most else { return true }
        reached = LimitExceeded(.answerBytes, in: limits)
        return false
    }

    /// The maximum size of a small answer, in bytes. Only larger answers count for the limit of bytes.
    private static let smallAnswer = 4096

    // MARK: Times

    func limitHandshake() {
        timers.handshake = after(limits.handshakeTime) { enforcer in
            let (wire, limits) = (enforcer.connection.wire, enforcer.limits)
            let isReady = wire.tls.isEstablished && wire.http2.peerSettings != nil
            guard !isReady, enforcer.connection.faults.runs.isEmpty else { return }
            enforcer.connection.refuse(LimitExceeded(.handshakeTime, in: limits))
        }
    }

    func cancelTimers() {
        timers.cancelAll()
    }

    func doNotLimitHandshake() {
        timers.handshake?.cancel()
    }

    func limitRequests() {
        timers.requests = after(limits.requestTime) { enforcer in
            let http2 = enforcer.connection.wire.http2
            let (unfinished, newest) = (http2.oldestUnfinishedRequest, http2.newestStreamID)
            if let excess = enforcer.watch.checked(unfinished: unfinished, newest: newest) {
                return enforcer.connection.refuse(excess)
            }
            enforcer.limitRequests()
        }
    }

    /// Limits how long answers wait for window from the client.
    func limitAnswers() {
        timers.answers = after(limits.unreadTime) { enforcer in
            let unread = enforcer.connection.wire.http2.oldestUnsentAnswer
            if let excess = enforcer.watch.checked(unread: unread) { return enforcer.connection.refuse(excess) }
            enforcer.limitAnswers()
        }
    }

    /// Limits how long the socket may stay unwritable.
    func limitUnwritable(_ isWritable: Bool) {
        timers.writing?.cancel()
        guard !isWritable else { return }
        timers.writing = after(limits.unreadTime) { enforcer in
            enforcer.connection.refuse(LimitExceeded(.unreadTime, in: enforcer.limits))
        }
    }

    private func after(_ time: Duration?, _ body: @escaping (LimitEnforcer) -> Void) -> Scheduled<Void>? {
        guard let time else { return nil }
        return connection.context?.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(time)) { [weak self] in
            guard let self, !connection.isOver, !connection.faults.isSilent, !connection.faults.isStalledByFault else {
                return
            }
            body(self)
        }
    }
}

extension LimitExceeded {
    /// What the client did, the limit, and how to raise it.
    func text(_ configuration: MockConfiguration) -> String {
        "\(self) \(configuration.remedyText(.raiseLimit(limit)))"
    }
}

/// The timers of a connection. They are cancelled when it ends.
struct LimitTimers {
    var handshake: Scheduled<Void>?
    var requests: Scheduled<Void>?
    var answers: Scheduled<Void>?
    var writing: Scheduled<Void>?

    func cancelAll() {
        for timer in [handshake, requests, answers, writing] { timer?.cancel() }
    }
}

extension HTTP2FrameNote {
    fileprivate var isReset: Bool { MockHTTP2FrameType(rawValue: type) == .resetStream }

    /// Whether the frame carries no data but causes work. Acknowledgements are not idle frames.
    fileprivate var isIdle: Bool {
        switch MockHTTP2FrameType(rawValue: type) {
        case .ping, .settings: !acknowledges
        case .priority: true
        default: isEmptyData
        }
    }
}
