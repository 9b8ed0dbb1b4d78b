internal import PushCampaign
import PushProvider

/// The exit code of a campaign: the worst of all results.
///
/// 0 means that nothing is left to send and no outcome is unknown.
struct CampaignStatus {
    var summary: BatchSummary
    /// Whether there are lines in `again.jsonl` that the server did not accept.
    var hasAgain: Bool
    var failsOnRejected: Bool

    var status: ExitStatus {
        if summary.unwritten > 0 { return .cannotWrite }
        if let own = Self.ofStop(summary.stop) { return own }
        return [credentials, unknown, left, fault].max() ?? .accepted
    }

    /// Returns the exit code for a stop that is more important than the outcomes of the lines.
    private static func ofStop(_ stop: BatchStop?) -> ExitStatus? {
        switch stop?.code {
        case .asked: .interrupted
        case .output: .cannotWrite
        case .input, .lint: .invalidInput
        default: nil
        }
    }

    private var credentials: ExitStatus {
        summary.stop?.code == .credentials || summary.refusedSender > 0 ? .credentials : .accepted
    }

    private var unknown: ExitStatus {
        summary.totals["unknown", default: 0] > 0 ? .unknown : .accepted
    }

    private var left: ExitStatus {
        if hasAgain { return .notSent }
        if summary.stop?.code == .unreachable { return .cannotConnect }
        return summary.stop != nil || summary.released > 0 ? .notSent : .accepted
    }

    /// The exit code for errors in the lines.
    private var fault: ExitStatus {
        if Self.isAllInvalid(summary) || !hasAgain && Self.isAllLate(summary) { return .invalidInput }
        // A superseded line is none: its device shows a later line.
        let faults = ["rejected", "invalid", "duplicates", "not_sent"]
        return failsOnRejected && faults.contains { summary.totals[$0, default: 0] > 0 } ? .rejected : .accepted
    }

    /// Whether every line of all runs was invalid or had expired before it could be sent.
    private static func isAllLate(_ summary: BatchSummary) -> Bool {
        let totals = summary.totals
        let (invalid, late) = (totals["invalid", default: 0], totals["not_sent", default: 0])
        return summary.released == 0 && late > 0 && invalid + late == summary.before + summary.concluded
    }

    /// Whether no line of all runs could be sent, so that there is no campaign.
    static func isAllInvalid(_ summary: BatchSummary) -> Bool {
        summary.released == 0 && summary.totals["invalid"] == summary.before + summary.concluded
    }
}

extension CampaignReport {
    /// Returns the exit code, also if the folder was moved or has no summary.
    func status(_ end: CampaignEnd, hasSummary: Bool) -> ExitStatus {
        guard end.isFolderInPlace else { return .cannotWrite }
        let status = status(end.figures.summary)
        return !hasSummary && [.accepted, .rejected].contains(status) ? .cannotWrite : status
    }

    func status(_ summary: BatchSummary) -> ExitStatus {
        let again = FileMark(path: "\(plan.folder)/again.jsonl")?.isEmpty == false
        return CampaignStatus(
            summary: summary, hasAgain: again || summary.again > 0, failsOnRejected: plan.options.failOnRejected
        ).status
    }
}
