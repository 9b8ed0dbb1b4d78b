/// Whether the other side of a connection is still there. A pure value: happenings in, decisions out.
///
/// A connection that has died in silence looks like one that is idle. So after a long silence it is asked by a PING before it
/// is trusted with a request. Whatever comes counts as the answer.
struct Liveness: Equatable {
    /// So many deadlines in a row, with no answer between them, are the connection's fault.
    static let mostDeadlines = 3

    /// After so long without a byte it is asked before it is used.
    let trustedSilence: Duration
    private(set) var lastHeard: MonotonicTime
    /// A PING is on its way.
    private(set) var isAsked = false
    /// The PING was answered, and nothing was sent since.
    private var isConfirmed = false
    /// How long that holds, where bytes are trusted for less: the answer to a PING must be of use for what waited for it.
    private static let confirmationHolds: Duration = .seconds(5)
    private var deadlines = 0

    init(trustedSilence: Duration, now: MonotonicTime) {
        self.trustedSilence = trustedSilence
        lastHeard = now
    }

    enum UseAction: Equatable {
        /// It can be used.
        case use
        /// A PING goes out, and its deadline begins.
        case ask
        /// The answer to a PING is awaited.
        case wait
    }

    /// There is something to send.
    mutating func wantsToSend(now: MonotonicTime) -> UseAction {
        let silence = lastHeard.duration(to: now)
        if silence < trustedSilence || (isConfirmed && silence < Self.confirmationHolds) { return .use }
        return ask() ? .ask : .wait
    }

    /// A PING is to go out.
    ///
    /// - Returns: `false` when one is on its way.
    mutating func ask() -> Bool {
        guard !isAsked else { return false }
        isAsked = true
        return true
    }

    mutating func sent() {
        isConfirmed = false
    }

    enum HeardAction: Equatable {
        case none
        /// The PING has its answer: its deadline is over.
        case answered
    }

    /// Bytes have come.
    mutating func heard(now: MonotonicTime) -> HeardAction {
        lastHeard = now
        guard isAsked else { return .none }
        isAsked = false
        isConfirmed = true
        return .answered
    }

    mutating func streamAnswered() {
        deadlines = 0
    }

    /// A stream was given up because its deadline had come.
    ///
    /// - Parameter isStarved: The window has let nothing further out since that stream began: a connection that carries so
    ///   few cannot have several in a row.
    /// - Returns: Whether the connection is to be asked and left: it was the last of several in a row.
    mutating func deadlinePassed(isStarved: Bool = false) -> Bool {
        deadlines = isStarved ? max(deadlines + 1, Self.mostDeadlines) : deadlines + 1
        return deadlines == Self.mostDeadlines
    }
}
