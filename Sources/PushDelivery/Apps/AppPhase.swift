internal import PushProvider
internal import PushTime

enum AppSignal: Equatable {
    /// Apple takes requests of the app.
    case answered
    /// Apple did not take the request, for a passing reason. It may ask for a pause.
    case failed(asked: Duration?)
    /// Apple takes no request of the app until its operator corrects something.
    case refused(AppCorrection)
    case nothing
}

enum AllowedPushes: Equatable {
    case all
    case some(Int)
    /// No push before this time; `nil` if the time is not known, or if only a change of the app helps.
    case none(until: MonotonicTime?)

    static let one = AllowedPushes.some(1)
}

/// Decides whether jobs of an app are sent. A pure value: time and randomness are arguments.
struct AppPhase: Equatable {
    enum Phase: Equatable {
        /// Jobs are sent. Next: resting, refused or down.
        case running
        /// Apple takes nothing for a while. From this time on, one job tries. Next: running, refused, down or a longer rest.
        case resting(until: MonotonicTime)
        /// The operator must correct something. From a time on, one job tries; `nil` for never. Next: running or down.
        case refused(AppCorrection, next: MonotonicTime?)
        /// The credentials cannot be read. Next: running, when they can.
        case down(String)
    }

    /// After this many failures in a row, the app rests.
    static let maximumFailures = 20
    private static let rests = ExponentialBackoff(first: .seconds(1), longest: .seconds(60))
    /// The growth of the pauses between two tries of a refused app. The client itself sends nothing for a minute.
    private static let tries = ExponentialBackoff(first: .seconds(61), longest: .seconds(900))

    private(set) var phase = Phase.running
    /// Why the operator has paused the app, or an empty text; `nil` if it isn't paused. It does not change the phase.
    var pause: String?
    private var failures = 0
    private var failedTries = 0
    private var isTrying = false

    var isPaused: Bool { pause != nil }

    /// Whether nothing was answered since the last failure.
    var isFailing: Bool { failures > 0 }

    var state: AppStatus.State {
        if isPaused { return .paused }
        return switch phase {
        case .running: .running
        case .resting: .resting
        case .refused: .refused
        case .down: .down
        }
    }

    func allowedJobs(at now: MonotonicTime) -> AllowedPushes {
        if isPaused { return .none(until: nil) }
        switch phase {
        case .running: return .all
        case .resting(let time): return allowedTries(from: time, now)
        case .refused(_, let time?): return allowedTries(from: time, now)
        case .refused(_, nil), .down: return .none(until: nil)
        }
    }

    private func allowedTries(from time: MonotonicTime, _ now: MonotonicTime) -> AllowedPushes {
        if isTrying { return .none(until: nil) }
        return now >= time ? .one : .none(until: time)
    }

    /// Whether jobs are sent now, or one that tries. Pauses do not count: they are the same for all workers.
    func takesPart(at now: MonotonicTime) -> Bool {
        switch phase {
        case .running: true
        case .resting(let time): isTrying || now >= time
        case .refused(_, let time): isTrying || (time.map { now >= $0 } ?? false)
        case .down: false
        }
    }

    /// A job is sent. Returns whether it is a try, which ``ended(_:isTry:now:chance:)`` must know.
    mutating func sent() -> Bool {
        if case .running = phase { return false }
        isTrying = true
        return true
    }

    /// The outcome of a job.
    ///
    /// - Parameters:
    ///   - signal: What the outcome shows about the app.
    ///   - isTry: Whether the job was a try.
    ///   - now: The current time.
    ///   - chance: A random number from 0 to 1, so that not everything is sent again at the same time. It is made only for a failure,
    ///     because it costs a system call.
    mutating func ended(_ signal: AppSignal, isTry: Bool, now: MonotonicTime, chance: @autoclosure () -> Double) {
        if isTry { isTrying = false }
        switch signal {
        case .answered: answered(isTry)
        case .failed(let asked): failed(asked, isTry, now, chance())
        case .refused(let correction): refused(correction, isTry, now)
        case .nothing: break
        }
    }

    private mutating func answered(_ isTry: Bool) {
        failures = 0
        switch phase {
        case .running, .down: break
        case .resting: run()
        // The answer to a job from before the refusal does not count.
        case .refused: if isTry { run() }
        }
    }

    private mutating func failed(_ asked: Duration?, _ isTry: Bool, _ now: MonotonicTime, _ chance: Double) {
        func rest() -> MonotonicTime {
            let own = Self.rests.pause(after: failedTries, chance: chance)
            return now.advanced(by: max(own, asked ?? .zero))
        }
        switch phase {
        case .running:
            failures += 1
            if failures >= Self.maximumFailures { phase = .resting(until: rest()) }
        case .resting(let until):
            if isTry { failedTries += 1 }
            phase = .resting(until: isTry ? rest() : max(until, now.advanced(by: asked ?? .zero)))
        case .refused(let correction, _):
            if isTry { phase = .refused(correction, next: nextTry(correction, now)) }
        case .down: break
        }
    }

    private mutating func refused(_ correction: AppCorrection, _ isTry: Bool, _ now: MonotonicTime) {
        switch phase {
        case .running, .resting:
            failedTries = 0
            phase = .refused(correction, next: nextTry(correction, now))
        case .refused:
            guard isTry else { return }
            failedTries += 1
            phase = .refused(correction, next: nextTry(correction, now))
        case .down: break
        }
    }

    private func nextTry(_ correction: AppCorrection, _ now: MonotonicTime) -> MonotonicTime? {
        correction.kind.isTriedAgain ? now.advanced(by: Self.tries.pause(after: failedTries)) : nil
    }

    /// The app was corrected: jobs are sent. What the operator has paused stays paused.
    mutating func run() {
        (phase, failures, failedTries, isTrying) = (.running, 0, 0, false)
    }

    mutating func goDown(_ reason: String) {
        run()
        phase = .down(reason)
    }
}

/// Why an app sends nothing until its operator corrects something. Its jobs wait.
package struct AppCorrection: Sendable, Hashable {
    /// What the operator must correct.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Apple refuses the key or the certificate.
        case credentials
        case topic
        /// Device tokens and environment, or topic, do not fit.
        case mismatch
        /// No connection can be trusted or used.
        case connection

        /// Whether one job is tried from time to time, because the operator may correct it at Apple. With a mismatch, every try
        /// would cost a device token its answer.
        var isTriedAgain: Bool { self != .mismatch }
    }

    /// What the operator must correct.
    package var kind: Kind
    package var text: String

    package init(_ kind: Kind, _ text: String) {
        (self.kind, self.text) = (kind, text)
    }
}
