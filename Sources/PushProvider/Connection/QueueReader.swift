internal import Metrics
internal import NIOCore
internal import PushWire

/// Takes sends from the queue, as many as a connection has room for, and submits them. Use it only on the event loop of
/// the connection.
final class QueueReader {
    private let requests: RequestsInFlight
    private let channel: HTTP2Channel
    private let silence: SilenceCheck
    private let intake: SendIntake
    /// `nil` if the client authenticates with a certificate.
    private let tokens: ProviderTokenSource?
    private let timing: ClientTiming
    private let metrics: PushMetrics
    private let report: @Sendable (ConnectionEvent) -> Void
    weak var owner: ClientConnection?

    /// Whether to report to the pool each time that it has taken from the queue.
    @exclusivity(unchecked) var reportsPulls = false
    /// Whether it checks the queue again within a millisecond.
    @exclusivity(unchecked) private var isChecking = false
    @exclusivity(unchecked) private var taken: [PendingSend] = []

    init(
        _ setup: ConnectionSetup, _ requests: RequestsInFlight, _ channel: HTTP2Channel, _ silence: SilenceCheck,
        report: @escaping @Sendable (ConnectionEvent) -> Void
    ) {
        self.requests = requests
        self.channel = channel
        self.silence = silence
        intake = setup.intake
        tokens = setup.tokens
        timing = setup.timing
        metrics = setup.metrics
        self.report = report
    }

    /// Takes as many sends from the queue as the connection has room for, and writes them.
    func pull() {
        // HTTP/2 resets a stream with a malformed answer by itself. The stream ends when that reset is written.
        repeat { takeAndSubmit() } while tookEvents()
        requests.ends.handOver()
        if reportsPulls { report(.pulled) }
    }

    private func tookEvents() -> Bool {
        guard channel.http2.hasEvents else { return false }
        owner?.takeEvents()
        return true
    }

    private func takeAndSubmit() {
        guard channel.isWritable else { return noteFullness() }
        var room = room
        guard room.requests > 0, silence.isTrusted(hasWork: { intake.hasWork() }) else {
            channel.flush()
            return noteFullness()
        }
        do throws(PushCredentialsError) {
            let token = try tokens?.token(at: timing.reading)
            if let token, !requests.state.mayCarry(tokenIssuedAt: token.issuedAt) {
                owner?.perform(requests.state.drain())
                return channel.flush()
            }
            repeat {
                while room.requests > 0, channel.isWritable, submitSome(room, token) { room = self.room }
            } while !checksAgainSoon() && intake.hasWork() && room.requests > 0 && channel.isWritable
        } catch {
            failEverythingQueued(error)
        }
        channel.flush()
        noteFullness()
    }

    /// Takes notifications from the queue once, and submits them.
    ///
    /// - Returns: `false` if there was nothing.
    private func submitSome(_ room: (requests: Int, bodyBytes: Int), _ token: ProviderToken?) -> Bool {
        let now = timing.now()
        let superseded = intake.take(room.requests, bodyBytes: room.bodyBytes, now: now, into: &taken)
        if taken.isEmpty, superseded.isEmpty { return false }
        for send in superseded { requests.ends.finish(send, send.superseded(now: now)) }
        for send in taken {
            if send.limit > now { requests.submit(send, token, now) } else { endLate(send, now) }
        }
        taken.removeAll(keepingCapacity: true)
        // The session ends a request at once that no peer would accept.
        _ = tookEvents()
        requests.giveBack()
        channel.flush()
        return true
    }

    private var room: (requests: Int, bodyBytes: Int) {
        requests.state.room(freeStreams: channel.http2.freeStreams, bodyRoom: channel.http2.bodyRoom)
    }

    private func endLate(_ send: PendingSend, _ now: MonotonicTime) {
        let (cause, name) = send.whatPassed
        requests.ends.finish(send, send.unsent(cause, "its \(name) passed while it was in the queue.", now: now))
    }

    private func failEverythingQueued(_ error: PushCredentialsError) {
        let now = timing.now()
        for send in intake.withdrawAll() {
            requests.ends.finish(send, send.unsent(.credentials, error.description, now: now))
        }
    }

    // MARK: Checking again

    /// From this many requests in flight, the connection counts as busy: an answer arrives soon, and with each answer
    /// it checks the queue.
    private static let busy = 32
    /// The longest time until a busy connection checks the queue again.
    private static let checkPause: Duration = .milliseconds(1)

    /// Whether the connection checks the queue again soon without a wake-up.
    ///
    /// Callers need not wake a busy connection. It sends everything that they submit meanwhile together, with fewer
    /// thread switches, fewer records and fewer writes. That was a quarter of the cost of a send.
    private func checksAgainSoon() -> Bool {
        guard requests.state.inFlight >= Self.busy, requests.state.phase == .serving else { return false }
        if !isChecking { isChecking = channel.schedule(after: Self.checkPause) { self.checkAgain() } != nil }
        return isChecking
    }

    private func checkAgain() {
        isChecking = false
        guard requests.state.phase != .closed else { return }
        requests.working { pull() }
        // Other connections may have room, or the pool may open one.
        if isChecking ? intake.holdsSendable() : intake.hasWork() { report(.overflows) }
    }

    // MARK: Measuring

    /// Records whether the connection is full, and of what, after it has taken from the queue.
    private func noteFullness() {
        let limit = requests.state.limit(freeStreams: channel.http2.freeStreams, bodyRoom: channel.http2.bodyRoom)
        let isStuck = limit == nil && requests.state.phase == .serving && channel.isBlocked
        let stallsBefore = requests.pace.windowStalls
        requests.pace.filled(upTo: isStuck ? .socket : limit, inFlight: requests.state.inFlight, now: timing.now())
        if requests.pace.windowStalls > stallsBefore { metrics.windowStalls.increment() }
    }
}
