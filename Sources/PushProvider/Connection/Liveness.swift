/// Decides whether the server on a connection still answers. A pure value.
///
/// A dead connection looks like an idle one. So after a long silence, a PING is sent before the next request. Any
/// received bytes count as the answer.
struct Liveness: Equatable {
    /// After this many passed deadlines, with no answer between them, the connection is drained.
    static let maximumDeadlines = 3

    /// How long a connection is trusted without a received byte. After that, a PING is sent before the next request.
    let trustedSilence: Duration
    private(set) var lastHeard: MonotonicTime
    /// Whether the answer to a PING is awaited.
    private(set) var isAsked = false
    /// Whether the PING was answered and nothing was sent since.
    private var isConfirmed = false
    /// How long an answered PING counts if `trustedSilence` is shorter. Requests that waited for the answer need this
    /// time to be sent.
    private static let confirmationHolds: Duration = .seconds(5)
    private var deadlines = 0

    init(trustedSilence: Duration, now: MonotonicTime) {
        self.trustedSilence = trustedSilence
        lastHeard = now
    }

    enum UseAction: Equatable {
        case use
        /// Send a PING and begin its timeout.
        case ask
        case wait
    }

    mutating func wantsToSend(now: MonotonicTime) -> UseAction {
        let silence = lastHeard.duration(to: now)
        if silence < trustedSilence || (isConfirmed && silence < Self.confirmationHolds) { return .use }
        return ask() ? .ask : .wait
    }

    /// Records that a PING is to be sent.
    ///
    /// - Returns: `false` if the answer to a PING is already awaited.
    mutating func ask() -> Bool {
        guard !isAsked else { return false }
        isAsked = true
        return true
    }

    mutating func sent() {
        isConfirmed = false
    }

    enum ReceiveAction: Equatable {
        case none
        case answered
    }

    mutating func received(now: MonotonicTime) -> ReceiveAction {
        lastHeard = now
        guard isAsked else { return .none }
        isAsked = false
        isConfirmed = true
        return .answered
    }

    mutating func streamAnswered() {
        deadlines = 0
    }

    /// A stream was cancelled because its deadline passed.
    ///
    /// - Parameter isStarved: Whether the window has been closed since that stream began. On such a connection, one
    ///   passed deadline is enough, because it carries too few streams for several in a row.
    /// - Returns: Whether to send a PING and drain the connection.
    mutating func deadlinePassed(isStarved: Bool = false) -> Bool {
        deadlines = isStarved ? max(deadlines + 1, Self.maximumDeadlines) : deadlines + 1
        return deadlines == Self.maximumDeadlines
    }
}
