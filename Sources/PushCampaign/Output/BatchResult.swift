public import PushJSON
public import PushProvider

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// What became of one line of a campaign.
public struct BatchResult: Sendable {
    /// Every line ends in exactly one of these.
    public enum Outcome: Sendable {
        /// It was handed to APNs or to the queue, and this came of it.
        case push(PushOutcome)
        /// It cannot be sent: what is wrong with it, in a sentence. It counts as not sent.
        case invalid(String)
        /// A line before it has the same device token. It counts as not sent.
        case duplicate
        /// An earlier run was ended while it might have gone out. It counts as unknown.
        case interrupted
    }

    let row: BatchRow
    private let id: UUID?
    /// What became of it.
    public let outcome: Outcome
    /// What was sent, where it may be sent again.
    let notification: PushNotification?
    /// It was a rejection that led to the stop of the run.
    private var isLeftForNextRun = false

    /// Its place among all lines, from 0; empty lines do not count.
    public var place: Int { row.place }
    /// The number of the line in its file, from 1; in a sequence its place, from 1.
    public var line: Int { row.line }
    /// Which of the files it is from, from 0.
    public var file: Int { row.file }
    /// Whatever the line has as `ref`.
    public var ref: JSONValue? { row.ref.flatMap { JSONValue(json: Array(row.text[$0])) } }
    /// The device token, as the line has it; `nil` where it has none.
    public var deviceToken: String? { row.token.map { String(decoding: row.text[$0], as: UTF8.self) } }

    /// The `apns-id` that the line had in the run that was ended; `nil` unless the outcome is ``Outcome/interrupted``.
    public var interruptedID: String? {
        guard case .interrupted = outcome else { return nil }
        return id.map { RequestID($0).description }
    }

    init(_ result: PushResult, _ row: BatchRow) {
        self.row = row
        id = result.notification.id
        switch row.verdict {
        case .invalid(let words): outcome = .invalid(words)
        case .duplicate: outcome = .duplicate
        case .interrupted: outcome = .interrupted
        case nil:
            switch result.outcome {
            case .success(let push): outcome = .push(push.adding(attempts: row.history.attempts))
            case .failure(let error):
                let words = error.findings.filter { $0.severity == .error }.map(\.description)
                outcome = .invalid(words.joined(separator: " "))
            }
        }
        if case .ends = Self.fate(of: outcome) { notification = nil } else { notification = result.notification }
    }

    /// The same line, when it is not sent again although it was not taken.
    private init(_ row: BatchRow, id: UUID?, _ outcome: Outcome) {
        self.row = row
        self.id = id
        self.outcome = outcome
        notification = nil
    }

    /// What the journal keeps of it.
    var end: JournalEnd {
        switch outcome {
        case .invalid: .invalid
        case .duplicate: .duplicate
        case .interrupted: .unknown
        case .push(.accepted): .accepted
        case .push(.rejected): .rejected
        case .push(.unknown): .unknown
        case .push(.notSent): .notSent
        }
    }

    /// It was not taken for a cause that may pass, and is ready to be sent again as it is.
    var goesAgain: Bool {
        if case .returns = fate { true } else { false }
    }

    /// What follows from a result for its line.
    enum Fate: Equatable {
        /// The outcome is that of the line.
        case ends
        /// The line was not taken for a cause that may pass: it is sent again, after a pause where the server asks for one.
        case returns(after: Duration?)
        /// Nothing is wrong with the line: what kept it concerns the sender, or the whole run. The next run sends it.
        case released
    }

    var fate: Fate { isLeftForNextRun ? .released : Self.fate(of: outcome) }

    /// The line has no outcome yet, although this came of it: the setup was refused, and not the line. The next run sends it.
    public var isReleased: Bool { fate == .released }

    /// The same, of a line that the next run sends because the run was stopped.
    var released: BatchResult {
        var released = self
        released.isLeftForNextRun = true
        return released
    }

    private static func fate(of outcome: Outcome) -> Fate {
        switch outcome {
        case .invalid, .duplicate, .interrupted, .push(.accepted), .push(.unknown): return .ends
        case .push(.rejected(let rejection)):
            if rejection.concernsSender { return .released }
            return rejection.isFinal ? .ends : .returns(after: rejection.againAfter)
        case .push(.notSent(let notSent)):
            switch notSent.cause {
            case .expired: return .ends
            case .cancelled, .shutdown: return .released
            default: return notSent.needsCorrection ? .released : .returns(after: nil)
            }
        }
    }

    /// Whether APNs refuses the sender, by its credentials or for the topic: the line is good once that is corrected.
    var isSenderRefused: Bool {
        switch outcome {
        case .push(.rejected(let rejection)): rejection.concernsSender
        case .push(.notSent(let notSent)): notSent.cause == .credentials || notSent.cause == .topicRefused
        case .push, .invalid, .duplicate, .interrupted: false
        }
    }

    /// What a line ends as that is not sent again in this run, although it was not taken for a cause that may pass.
    ///
    /// One that may have gone out in a run before stays unknown, whatever kept it from going out once more.
    var givenUp: BatchResult {
        guard row.wasMarked, case .push(let push) = outcome else { return self }
        switch push {
        case .notSent: return BatchResult(row, id: id, .interrupted)
        case .rejected(let rejection) where !rejection.isFinal: return BatchResult(row, id: id, .interrupted)
        case .accepted, .rejected, .unknown: return self
        }
    }

    /// The word for why, for machines; `nil` for what was accepted.
    public var reason: String? {
        switch outcome {
        case .invalid: "invalid"
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
    /// Its line, the shortened device token, and what became of it.
    public var description: String {
        let to = deviceToken.map { ", to \(PeerText.printable(DeviceToken.shortened($0)))" } ?? ""
        return "line \(line)\(to): \(outcome)"
    }
}

extension BatchResult.Outcome: CustomStringConvertible {
    /// What became of the line, in a sentence or two.
    public var description: String {
        switch self {
        case .push(let outcome): outcome.description
        case .invalid(let words): "It cannot be sent: \(words)"
        case .duplicate: "It was not sent: a line before it has the same device token."
        case .interrupted:
            "It is not known what became of the notification: a run was ended while it might have gone out."
        }
    }
}
