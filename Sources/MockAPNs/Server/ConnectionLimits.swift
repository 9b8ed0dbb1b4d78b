internal import NIOCore
internal import PushWire

/// The ``MockLimits`` of one connection, and how much of them its client has used.
struct ConnectionLimits {
    let limits: MockLimits
    private var watch: ConnectionWatch
    /// The timers of the limits. The connection starts them, and cancels them when it ends.
    var timers = LimitTimers()
    /// The limit that the client has exceeded. The connection ends after the requests that came before are answered.
    private(set) var reached: LimitExceeded?
    /// The number of resets by the session that have been counted.
    private var forcedResets = 0
    /// The number of bytes of incomplete requests that was last reported to the mock.
    private var reportedUnfinished = 0
    private var hasNotedOverlongSection = false

    init(_ limits: MockLimits) {
        self.limits = limits
        watch = ConnectionWatch(limits, now: NIODeadline.now().uptimeNanoseconds)
    }

    // MARK: Rates

    /// Counts received frames and sets ``reached`` when they exceed a limit.
    mutating func count(_ frames: [HTTP2FrameNote], of http2: HTTP2Session) {
        var resets = http2.forcedResets - forcedResets
        forcedResets += resets
        var idle = 0
        for frame in frames where !frame.isSent {
            if frame.isReset { resets += 1 } else if frame.isIdle { idle += 1 }
        }
        if http2.overlongBody != nil { reached = LimitExceeded(.requestBytes, in: limits) }
        guard resets + idle > 0 else { return }
        let now = NIODeadline.now().uptimeNanoseconds
        if let excess = watch.came(resets: resets, idleFrames: idle, at: now) { reached = excess }
    }

    /// Whether a stream was reset because of its header fields; `true` once. The reset itself carries no reason.
    mutating func isFirstOverlongSection(_ http2: HTTP2Session) -> Bool {
        guard http2.overlongSections > 0, !hasNotedOverlongSection else { return false }
        hasNotedOverlongSection = true
        return true
    }

    // MARK: Memory

    /// Reports the bytes of incomplete requests on this connection.
    ///
    /// - Returns: The number of another connection that has to end, because all together have too many bytes.
    mutating func reportUnfinished(_ bytes: Int, in place: ConnectionPlace) -> Int? {
        guard bytes != reportedUnfinished else { return nil }
        reportedUnfinished = bytes
        guard let maximum = place.state.keepsUnfinished(bytes, connection: place.number) else { return nil }
        guard maximum == place.number else { return maximum }
        reached = LimitExceeded(.unfinishedBytes, in: limits)
        return nil
    }

    /// The connection leaves a mock, with the bytes of its incomplete requests.
    mutating func leave(_ place: ConnectionPlace) {
        guard reportedUnfinished > 0 else { return }
        reportedUnfinished = 0
        _ = place.state.keepsUnfinished(0, connection: place.number)
    }

    /// Whether there is room for an answer beside those that wait on this connection; otherwise sets ``reached``. There
    /// is always room for small answers: their number has a limit.
    mutating func hasRoom(forAnswer bytes: Int, _ http2: HTTP2Session) -> Bool {
        guard bytes > Self.smallAnswer, let maximum = limits.answerBytes else { return true }
        guard http2.unsentAnswerBytes + bytes > maximum else { return true }
        reached = LimitExceeded(.answerBytes, in: limits)
        return false
    }

    /// The maximum size of a small answer, in bytes. Only larger answers count for the limit of bytes.
    private static let smallAnswer = 4096

    // MARK: Times

    mutating func checkRequests(_ http2: HTTP2Session) -> LimitExceeded? {
        watch.checked(unfinished: http2.oldestUnfinishedRequest, newest: http2.newestStreamID)
    }

    /// ``MockLimits/unreadTime`` has passed.
    mutating func checkAnswers(_ http2: HTTP2Session) -> LimitExceeded? {
        watch.checked(unread: http2.oldestUnsentAnswer)
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
    fileprivate var isReset: Bool { MockFault.Frame.Kind(rawValue: type) == .resetStream }

    /// Whether the frame carries no data but causes work. Acknowledgements are not idle frames.
    fileprivate var isIdle: Bool {
        switch MockFault.Frame.Kind(rawValue: type) {
        case .ping, .settings: !acknowledges
        case .priority: true
        default: isEmptyData
        }
    }
}
