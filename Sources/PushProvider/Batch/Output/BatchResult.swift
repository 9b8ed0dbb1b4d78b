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
    /// What became of it.
    public let outcome: Outcome

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

    init(_ result: PushResult, _ row: BatchRow) {
        self.row = row
        switch row.verdict {
        case .invalid(let words): outcome = .invalid(words)
        case .duplicate: outcome = .duplicate
        case .interrupted: outcome = .interrupted
        case nil:
            switch result.outcome {
            // It may have gone out in a run before, whatever kept it from going out once more.
            case .success(.notSent(let notSent)) where row.wasMarked && !Self.released.contains(notSent.cause):
                outcome = .interrupted
            case .success(let push): outcome = .push(push)
            case .failure(let error):
                let words = error.findings.filter { $0.severity == .error }.map(\.description)
                outcome = .invalid(words.joined(separator: " "))
            }
        }
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
        // What kept it concerns all lines and not this one: it goes out with the next run.
        case .push(.notSent(let notSent)): Self.released.contains(notSent.cause) ? .released : .notSent
        }
    }

    /// It has provably not been taken, and may be when it is sent again as it is.
    var goesAgain: Bool {
        switch outcome {
        case .push(.notSent): true
        case .push(.rejected(let rejection)): !rejection.isFinal
        case .push, .invalid, .duplicate, .interrupted: false
        }
    }

    private static let released: Set<NotSent.Cause> = [.cancelled, .shutdown, .mismatch, .credentials, .noConnection]

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
