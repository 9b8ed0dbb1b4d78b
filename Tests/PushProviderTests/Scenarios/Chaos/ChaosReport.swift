import MockAPNs
import TestSupport

@testable import PushProvider

/// What came of many rounds, in numbers.
struct ChaosReport: Sendable {
    private(set) var rounds = 0
    private(set) var arrivals = 0
    private(set) var connections = 0
    /// By the four outcomes, and what is no outcome.
    private(set) var outcomes: [String: Int] = [:]
    /// With cause, or status and reason.
    private(set) var details: [String: Int] = [:]
    private(set) var faults: [String: Int] = [:]
    /// How connections ended, and by whom.
    private(set) var ends: [String: Int] = [:]
    private(set) var complaints: [String] = []

    mutating func add(_ tale: ChaosTale) {
        rounds += 1
        arrivals += tale.arrivals.count
        connections += tale.records.count
        for entry in tale.entries {
            let (outcome, detail) = entry.received.words
            outcomes[outcome, default: 0] += 1
            // Nothing in a plan takes that long: where it happens often, something is stuck, or the machine is.
            let hadTime = detail.hasSuffix("deadline") && entry.send.timeout == nil
            details[detail + (hadTime ? ", after \(tale.plan.client.timeout)" : ""), default: 0] += 1
        }
        for count in tale.faultCounts { faults[count.name, default: 0] += count.applied }
        for record in tale.records {
            let end = record.end.map { "by the \($0.side.rawValue): \($0.how)" } ?? "not at all"
            ends[end, default: 0] += 1
        }
        for complaint in Reconciliation.complaints(about: tale) {
            complaints.append("seed \(tale.plan.seed), round \(tale.plan.round): \(complaint)")
        }
    }

    mutating func add(_ other: ChaosReport) {
        rounds += other.rounds
        arrivals += other.arrivals
        connections += other.connections
        outcomes.merge(other.outcomes, uniquingKeysWith: +)
        details.merge(other.details, uniquingKeysWith: +)
        faults.merge(other.faults, uniquingKeysWith: +)
        ends.merge(other.ends, uniquingKeysWith: +)
        complaints += other.complaints
    }

    /// How many were taken in, and so have an outcome.
    var taken: Int { outcomes.filter { Self.words.contains($0.key) }.values.reduce(0, +) }

    private static let words = ["accepted", "rejected", "not sent", "unknown"]

    /// Outcomes of which there were too few to mean anything.
    func outcomes(rarerThanOneIn count: Int) -> [String] {
        Self.words.filter { outcomes[$0, default: 0] * count < taken }
    }

    var table: String {
        var lines = ["\(taken) sends in \(rounds) rounds: \(arrivals) arrivals on \(connections) connections"]
        func list(_ title: String, _ counts: [String: Int]) {
            lines.append("\(title):")
            for (name, count) in counts.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
                let digits = String(count)
                lines.append("  \(String(repeating: " ", count: max(0, 7 - digits.count)))\(digits)  \(name)")
            }
        }
        list("outcomes", details)
        list("faults that acted", faults)
        list("ends of connections", ends)
        return lines.joined(separator: "\n")
    }
}

extension ChaosTale.Received {
    fileprivate var words: (outcome: String, detail: String) {
        switch self {
        case .invalid: ("invalid", "invalid")
        case .neverBegun: ("never begun", "never begun: the sequence was cancelled or stopped before")
        case .outcome(let outcome):
            switch outcome {
            case .accepted: ("accepted", "accepted")
            case .rejected: ("rejected", outcome.summary)
            case .notSent(let notSent): ("not sent", "not sent: \(notSent.cause)")
            case .unknown(let unknown): ("unknown", "unknown: \(unknown.cause)")
            case .invalid: ("invalid", "invalid")
            }
        }
    }
}
