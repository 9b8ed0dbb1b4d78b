public import PushJSON
internal import PushPlatform
public import PushProvider

/// The outcome of one line of a campaign.
public struct BatchResult: Sendable {
    /// The outcomes. Every line ends in exactly one of them.
    public enum Outcome: Sendable {
        case push(PushOutcome)
        /// The line cannot be sent, for the reason in this sentence. It counts as not sent.
        case invalid(String)
        /// An earlier line has the same device token. It counts as not sent.
        case duplicate
        /// An earlier run that ended may have sent the line. It counts as unknown.
        case interrupted
    }

    let row: BatchRow
    private let id: UUID?
    /// The outcome.
    public let outcome: Outcome
    /// The notification, if it may be sent again. A class, because most results have none.
    private let kept: Kept?
    /// Whether this is one of the rejections that caused the run to stop.
    private var isLeftForNextRun = false

    /// The index among all lines, from 0. Empty lines do not count.
    public var index: Int { row.index }
    /// The number of the line in its file, from 1. In a sequence, the number of the element, from 1.
    public var line: Int { row.line }
    /// The index of its file, from 0.
    public var file: Int { row.file }
    /// The `ref` of the line.
    public var ref: PushJSONValue? { row.ref.flatMap { PushJSONValue(json: Array(row.text[$0])) } }
    /// The device token as written in the line; `nil` if the line has none.
    public var deviceToken: String? { row.deviceToken.map { String(decoding: $0, as: UTF8.self) } }

    /// The `apns-id` that the line had in the run that was ended; `nil` unless the outcome is ``Outcome/interrupted``.
    public var interruptedID: String? {
        guard case .interrupted = outcome else { return nil }
        return id.map { RequestID($0).description }
    }

    private final class Kept: Sendable {
        let notification: PushNotification

        init(_ notification: PushNotification) {
            self.notification = notification
        }
    }

    /// The notification, if it may be sent again.
    var notification: PushNotification? { kept?.notification }

    /// - Parameters:
    ///   - row: The line.
    ///   - notification: The notification of the line.
    ///   - pushed: Its outcome.
    init(_ row: BatchRow, _ notification: borrowing PushNotification, _ pushed: consuming PushOutcome) {
        self.row = row
        id = notification.id
        outcome = Self.outcome(of: row, pushed)
        if case .ends = Self.fate(of: outcome) { kept = nil } else { kept = Kept(copy notification) }
    }

    private static func outcome(of row: BatchRow, _ pushed: consuming PushOutcome) -> Outcome {
        switch row.skipReason {
        case .invalid(let message): return .invalid(message)
        case .duplicate: return .duplicate
        case .interrupted: return .interrupted
        case .superseded:
            let trace = PushOutcome.Trace(queued: .zero, attempts: row.history.attempts, connection: nil)
            return .push(
                .notSent(
                    PushOutcome.NotSent(cause: .superseded, description: PushOutcome.NotSent.superseding, trace: trace))
            )
        case nil: break
        }
        if case .invalid(let findings) = pushed {
            let message = findings.filter { $0.severity == .error }.map(\.description)
            return .invalid(message.joined(separator: " "))
        }
        return .push(row.history.attempts == 0 ? pushed : pushed.adding(attempts: row.history.attempts))
    }

    /// Creates the result of a line that is not sent again although it was not accepted.
    private init(_ row: BatchRow, id: UUID?, _ outcome: Outcome) {
        self.row = row
        self.id = id
        self.outcome = outcome
        kept = nil
    }

    var end: JournalEnd {
        switch outcome {
        case .invalid, .push(.invalid): .invalid
        case .duplicate: .duplicate
        case .interrupted: .unknown
        case .push(.accepted): .accepted
        case .push(.rejected): .rejected
        case .push(.unknown): .unknown
        case .push(.notSent(let notSent)): notSent.cause == .superseded ? .superseded : .notSent
        }
    }

    /// What the journal stores about it while the line has no outcome. Only with a collapse id does it matter that a
    /// line was started.
    var endOfReleased: JournalEnd { row.key != nil && wasStarted ? .returned : .released }

    /// Whether the client has handed the line to a connection in its last try.
    var wasStarted: Bool {
        guard case .push(let push) = outcome else { return false }
        // The attempts of earlier tries are in the history of the line.
        return push.trace.attempts > row.history.attempts
    }

    /// Whether the line was not accepted for a temporary reason, and can be sent again unchanged.
    var goesAgain: Bool {
        if case .returns = fate { true } else { false }
    }

    enum Fate: Equatable {
        case ends
        /// The line was not accepted for a temporary reason. It is sent again, after a pause if the server asks for
        /// one.
        case returns(after: Duration?)
        /// The line is valid: the cause is the sender or the whole run. The next run sends it.
        case released
    }

    var fate: Fate { isLeftForNextRun ? .released : Self.fate(of: outcome) }

    /// Whether the line has no outcome yet, because the setup was refused and not the line. The next run sends it.
    public var isReleased: Bool { fate == .released }

    /// The same result for a line that the next run sends because this run was stopped.
    var released: BatchResult {
        var released = self
        released.isLeftForNextRun = true
        return released
    }

    private static func fate(of outcome: Outcome) -> Fate {
        switch outcome {
        case .invalid, .duplicate, .interrupted, .push(.accepted), .push(.unknown), .push(.invalid): return .ends
        case .push(.rejected(let rejection)):
            if rejection.concernsSender { return .released }
            return rejection.isFinal ? .ends : .returns(after: rejection.againAfter)
        case .push(.notSent(let notSent)):
            switch notSent.cause {
            case .expired, .superseded: return .ends
            case .cancelled, .shutdown: return .released
            default: return notSent.needsCorrection ? .released : .returns(after: nil)
            }
        }
    }

    /// Whether APNs refuses the sender because of its credentials or the topic. The line is valid once that is
    /// corrected.
    var isSenderRefused: Bool {
        switch outcome {
        case .push(.rejected(let rejection)): rejection.concernsSender
        case .push(.notSent(let notSent)): notSent.cause == .credentials || notSent.cause == .topicRefused
        case .push, .invalid, .duplicate, .interrupted: false
        }
    }

    /// The result of a line that is not sent again in this run, although it was not accepted for a temporary reason.
    ///
    /// A line that may have been sent by an earlier run stays unknown, whatever prevented sending it again.
    var givenUp: BatchResult {
        guard row.wasMarked else { return self }
        switch outcome {
        case .push(.notSent): return BatchResult(row, id: id, .interrupted)
        case .push(.rejected(let rejection)) where !rejection.isFinal: return BatchResult(row, id: id, .interrupted)
        case .push, .invalid, .duplicate, .interrupted: return self
        }
    }

    /// The reason as a name for programs; `nil` for an accepted line.
    public var reason: String? {
        switch outcome {
        case .invalid, .push(.invalid): "invalid"
        case .duplicate: "duplicate"
        case .interrupted: "interrupted"
        case .push(.accepted): nil
        case .push(.rejected(let rejection)): rejection.reason?.rawValue ?? "\(rejection.status)"
        case .push(.notSent(let notSent)): notSent.cause.description
        case .push(.unknown(let unknown)): unknown.cause.description
        }
    }
}

extension BatchResult: CustomStringConvertible {
    /// The line, the shortened device token, and the outcome.
    public var description: String {
        let to = deviceToken.map { ", to \(PeerText.printable(DeviceToken.shortened($0)))" } ?? ""
        return "line \(line)\(to): \(outcome)"
    }
}

extension BatchResult.Outcome: CustomStringConvertible {
    /// The outcome in one or two sentences.
    public var description: String {
        switch self {
        case .push(let outcome): outcome.description
        case .invalid(let message): "It can't be sent: \(message)"
        case .duplicate: "It wasn't sent: an earlier line has the same device token."
        case .interrupted:
            "The outcome is unknown: an earlier run that ended may have sent the notification."
        }
    }
}
