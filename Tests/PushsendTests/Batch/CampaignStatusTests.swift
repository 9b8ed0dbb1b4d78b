import PushCommandLine
import TestSupport
import Testing

@testable import PushCampaign
@testable import PushProvider
@testable import pushsend

/// The exit code of a campaign of which several things are true: the worst counts.
struct CampaignStatusTests {
    /// What can be true of a campaign, from the worst on, each with its exit code.
    private enum Truth: CaseIterable {
        case refusedSender, unknown, left, again, unreachable, rejected

        var code: PushCommandLine.ExitStatus {
            switch self {
            case .refusedSender: .credentials
            case .unknown: .unknown
            case .left, .again: .tryAgain
            case .unreachable: .cannotConnect
            case .rejected: .rejected
            }
        }
    }

    private static func status(_ truths: [Truth]) -> PushCommandLine.ExitStatus {
        var summary = BatchSummary()
        summary.accepted = 1
        for truth in truths {
            switch truth {
            case .refusedSender: summary.refusedSender = 1
            case .unknown: summary.unknown = 1
            case .left: summary.stop = BatchStop(.errors, "Too many.")
            case .again: break
            case .unreachable: summary.stop = BatchStop(.unreachable, "No connection.")
            case .rejected: summary.rejected = 1
            }
        }
        return CampaignStatus(summary: summary, hasAgain: truths.contains(.again), failsOnRejected: true).status
    }

    @Test func `nothing left and nothing unknown is accepted`() {
        #expect(Self.status([]) == .success)
        for truth in Truth.allCases { #expect(Self.status([truth]) == truth.code) }
    }

    @Test func `a campaign whose lines have all expired or are invalid has sent nothing`() {
        var summary = BatchSummary()
        (summary.notSent, summary.invalid) = (2, 1)
        #expect(CampaignStatus(summary: summary, hasAgain: false, failsOnRejected: false).status == .invalidInput)
        #expect(CampaignStatus(summary: summary, hasAgain: true, failsOnRejected: false).status == .tryAgain)
        summary.accepted = 1
        #expect(CampaignStatus(summary: summary, hasAgain: false, failsOnRejected: false).status == .success)
    }

    @Test func `a superseded line is no error, and a campaign of nothing else says so`() {
        var summary = BatchSummary()
        (summary.accepted, summary.superseded) = (1, 2)
        let status = CampaignStatus(summary: summary, hasAgain: false, failsOnRejected: true)
        #expect(status.status == .success)
        #expect(CampaignText.superseded(summary) == nil)
        summary.accepted = 0
        #expect(CampaignText.superseded(summary)?.hasPrefix("Every line was superseded") == true)
        #expect(CampaignText.kinds(summary).first { $0.key == "superseded" }?.count == 2)
        summary.stop = BatchStop(.asked, "Enough.")
        #expect(CampaignText.superseded(summary) == nil)
    }

    @Test func `of two the worse counts`() {
        for (index, worse) in Truth.allCases.enumerated() {
            for other in Truth.allCases.dropFirst(index + 1) {
                // A campaign is stopped once.
                if worse == .left, other == .unreachable { continue }
                #expect(Self.status([worse, other]) == worse.code, "\(worse), \(other)")
                #expect(Self.status([other, worse]) == worse.code, "\(other), \(worse)")
            }
        }
    }
}
