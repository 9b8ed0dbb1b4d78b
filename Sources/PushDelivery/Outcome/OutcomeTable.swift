internal import APNSVocabulary
package import PushPlatform
internal import PushProvider
package import PushQueue
internal import PushTime

/// The one table from an outcome of the client to the next step of the job, and a signal about its app.
struct OutcomeTable {
    struct Job: Equatable {
        var policy: QueueDeliveryPolicy
        var topic: TopicSource
        /// The time of the queue, for a token that is gone without a time.
        var now: QueueTime
    }

    /// How long to wait before another attempt of a push whose own topic was refused.
    private static let topicPause: Duration = .seconds(60)

    static func judge(_ outcome: PushOutcome, _ job: Job) -> (next: NextStep, signal: AppSignal) {
        switch outcome {
        case .accepted(let acceptance): (.finish(accepted(acceptance)), .answered)
        case .rejected(let rejection): judge(rejection, job)
        case .notSent(let notSent): judge(notSent, job)
        case .unknown(let unknown): judge(unknown, job)
        case .invalid:
            (.finish(QueueJobOutcome(.notSent, reason: QueueJobOutcome.invalid, detail: outcome.description)), .nothing)
        }
    }

    private static func accepted(_ acceptance: PushOutcome.Acceptance) -> QueueJobOutcome {
        var outcome = QueueJobOutcome(.accepted)
        outcome.status = 200
        outcome.uniqueID = acceptance.uniqueID.flatMap { UUID(text: $0) }
        return outcome
    }

    // MARK: Rejected

    private static func judge(_ rejection: PushOutcome.Rejection, _ job: Job) -> (NextStep, AppSignal) {
        let reason = rejection.reason.map { PeerText.printable($0.rawValue) } ?? "status \(rejection.status)"
        if rejection.concernsSender {
            let isTopic = rejection.reason.map(topicReasons.contains) ?? false
            if isTopic {
                switch job.topic {
                case .app: break
                // The other jobs of the app have another topic, so it goes on.
                case .earlierApp: return (.finish(.ofEarlierTopic(rejection.description)), .answered)
                // The caller has named it, and must correct it.
                case .push: return (.finish(rejected(rejection, job)), .answered)
                }
            }
            return (
                .wait(reason: reason), .refused(AppCorrection(isTopic ? .topic : .credentials, rejection.description))
            )
        }
        guard !rejection.isFinal else { return (.finish(rejected(rejection, job)), .answered) }
        // Too many requests to one device do not affect other devices.
        let isOfDevice = rejection.reason == .tooManyRequests
        return (
            .again(asked: rejection.againAfter, reason: reason),
            isOfDevice ? .answered : .failed(asked: rejection.againAfter)
        )
    }

    private static let topicReasons: Set<RejectionReason> = [
        .topicDisallowed, .badTopic, .missingTopic, .topicMismatch,
    ]

    private static func rejected(_ rejection: PushOutcome.Rejection, _ job: Job) -> QueueJobOutcome {
        var outcome = QueueJobOutcome(.rejected)
        outcome.reason = rejection.reason.map { PeerText.printable($0.rawValue) } ?? "\(rejection.status)"
        outcome.detail = rejection.explanation.map { "\($0.meaning) \($0.advice)" }
        outcome.status = rejection.status
        outcome.uniqueID = rejection.uniqueID.flatMap { UUID(text: $0) }
        if let status = rejection.tokenStatus, status != .registeredSince {
            outcome.goneSince = rejection.timestamp.map(QueueTime.init) ?? job.now
        }
        return outcome
    }

    // MARK: Not sent

    private static func judge(_ notSent: PushOutcome.NotSent, _ job: Job) -> (NextStep, AppSignal) {
        let reason = notSent.cause.description
        switch notSent.cause {
        case .expired:
            return (
                .finish(QueueJobOutcome(.notSent, reason: QueueJobOutcome.expired, detail: notSent.description)),
                .nothing
            )
        // The client itself keeps the order of its pushes.
        case .superseded:
            return (.finish(QueueJobOutcome(.notSent, reason: reason, detail: notSent.description)), .nothing)
        case .cancelled, .shutdown: return (.wait(reason: reason), .nothing)
        case .credentials: return (.wait(reason: reason), .refused(AppCorrection(.credentials, notSent.description)))
        case .topicRefused:
            guard job.topic == .app else { return (.again(asked: topicPause, reason: reason), .nothing) }
            return (.wait(reason: reason), .refused(AppCorrection(.topic, notSent.description)))
        case .mismatch: return (.wait(reason: reason), .refused(AppCorrection(.mismatch, notSent.description)))
        case .deadline, .noConnection, .connectionLost, .refused: break
        default: break
        }
        if notSent.needsCorrection {
            return (.wait(reason: reason), .refused(AppCorrection(.connection, notSent.description)))
        }
        return (.again(asked: nil, reason: reason), .failed(asked: nil))
    }

    // MARK: Unknown

    private static func judge(_ unknown: PushOutcome.Unknown, _ job: Job) -> (NextStep, AppSignal) {
        let reason = unknown.cause.description
        let signal: AppSignal = unknown.cause == .cancelled ? .nothing : .failed(asked: nil)
        switch job.policy {
        case .atMostOnce:
            return (.finish(QueueJobOutcome(.unknown, reason: reason, detail: unknown.description)), signal)
        case .atLeastOnce: return (.again(asked: nil, reason: reason, mayHaveArrived: true), signal)
        }
    }
}

extension QueueJobOutcome {
    /// The outcome of a push that cannot go to the topic that its app had when the push was accepted: a dead letter, which can be sent when
    /// the operator has corrected the app.
    static func ofEarlierTopic(_ why: String) -> QueueJobOutcome {
        QueueJobOutcome(
            .notSent, reason: buried,
            detail:
                "The topic of the app has changed since the push was accepted, and the earlier one is refused: \(why)")
    }
}

enum NextStep: Equatable {
    case finish(QueueJobOutcome)
    /// The job is tried again, after a pause that grows, or after at least the one that was asked for.
    case again(asked: Duration?, reason: String, mayHaveArrived: Bool = false)
    /// The job waits again at once: the app sends nothing until its operator corrects something, or the try never began.
    case wait(reason: String)
}

/// The end of a try, for metrics and the like. What it reports is in the queue, durably.
package struct DeliveryEvent: Sendable, Hashable {
    package enum Result: Sendable, Hashable {
        case finished(QueueJobOutcome)
        case waiting(String)
    }

    package var app: String
    package var job: UUID
    package var result: Result
    /// How often it was tried, with this time.
    package var attempts: Int
    /// How long it was due before it was started; `nil` if it was not started.
    package var waiting: Duration?
    /// How long the client had it; `nil` if it was not started.
    package var sending: Duration?
}

/// Receives the ends of tries and the changes of apps. The engine makes the calls, and they must not block.
package protocol DeliveryObserver: Sendable {
    func ended(_ event: DeliveryEvent)
    func changed(_ status: AppStatus)
}

extension DeliveryObserver {
    package func changed(_ status: AppStatus) {}
}

/// How long a job waits in the queue for its next try.
struct RetryPause: Equatable, Sendable {
    var backoff = ExponentialBackoff(first: .seconds(1), longest: .seconds(900))

    /// Returns the pause after a try.
    ///
    /// - Parameters:
    ///   - attempts: The number of tries so far.
    ///   - asked: The pause that Apple asks for; `nil` if it asks for no pause.
    ///   - chance: A random number from 0 to 1, so that not all jobs are sent again at the same time.
    /// - Returns: The pause, between half of the maximum and the maximum, and never shorter than Apple asks for.
    func pause(attempts: Int, asked: Duration?, chance: Double) -> Duration {
        let own = backoff.pause(after: max(attempts - 1, 0), chance: chance)
        // Jobs with the same request of Apple are not all sent at the same time.
        return asked.map { max($0 + backoff.first * chance, own) } ?? own
    }
}

extension UUID {
    /// Reads 32 digits in hex with hyphens after the 8th, 12th, 16th and 20th; `nil` for any other text.
    ///
    /// Apple gives each push an id, and Foundation takes longer to read one than the queue to store the outcome.
    init?(text: String) {
        var (high, low): (UInt64, UInt64) = (0, 0)
        guard text.utf8.count == 36 else { return nil }
        for (index, byte) in text.utf8.enumerated() {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = byte.hexDigitValue.map(UInt64.init) else { return nil }
            if index < 18 { high = high << 4 | digit } else { low = low << 4 | digit }
        }
        var bytes = (high.bigEndian, low.bigEndian)
        self = withUnsafeBytes(of: &bytes) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
