internal import PushCampaign
import PushProvider

/// The exit code of a campaign: the worst that is true of it.
///
/// 0 says that nothing is left to send and nothing is unknown.
struct CampaignStatus {
    var summary: BatchSummary
    /// Lines that the server did not take wait in `again.jsonl`.
    var hasAgain: Bool
    var failsOnRejected: Bool

    var status: ExitStatus {
        if summary.unwritten > 0 { return .cannotWrite }
        if let own = Self.ofStop(summary.stop) { return own }
        return [credentials, unknown, left, fault].max() ?? .accepted
    }

    /// The end of a run that says more than what became of its lines.
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

    /// What is the lines' own fault.
    private var fault: ExitStatus {
        if Self.isAllInvalid(summary) { return .invalidInput }
        let faults = ["rejected", "invalid", "duplicates", "not_sent"]
        return failsOnRejected && faults.contains { summary.totals[$0, default: 0] > 0 } ? .rejected : .accepted
    }

    /// None of the lines, of all runs, could be sent: that is no campaign.
    static func isAllInvalid(_ summary: BatchSummary) -> Bool {
        summary.released == 0 && summary.totals["invalid"] == summary.before + summary.concluded
    }
}

extension CampaignReport {
    /// How the command ends, when the folder may be gone or may have no summary.
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
