import PushCampaign
import PushHTTP
import PushJSON
import PushQueue

struct UploadedCount {
    private(set) var lines = 0
    private(set) var held = 0
    /// The number of lines that were on disk before.
    private(set) var repeated = 0
    private(set) var refused = 0
    /// How many of the refused lines have a token that is gone, or a user without a device. That is no mistake in the lines.
    private(set) var gone = 0
    var hasUsers = false
    /// How many of the refused lines are only counted: the campaign has as many refused lines as it keeps.
    private var unkept = 0
    private var refusals: [PushJSONValue] = []
    private var lastLine = 0
    /// The last line that the campaign has.
    private var lastKept = 0
    private var doubles: DoubledTokens

    /// The maximum number of refused lines in an answer. The report has all.
    private static let maximumRefusals = 100

    init(_ memory: SharedMemory.Reservation) {
        doubles = DoubledTokens(memory)
    }

    /// Adds lines that the campaign has now, or has refused. Returns the number of new pushes.
    mutating func add(_ results: [QueueLineResult], of group: [QueueCampaignLine]) -> Int {
        var pushes = 0
        lines += group.count
        for (line, result) in zip(group, results) {
            (lastLine, lastKept) = (max(lastLine, line.number), max(lastKept, line.number))
            for token in line.tokens { doubles.note(token, line: line.number) }
            switch result {
            case .held:
                held += 1
                pushes += 1 + line.others.count
            case .repeated: repeated += 1
            case .refused(let refusal): note(refusal, of: line)
            }
        }
        return pushes
    }

    mutating func addUnkept(_ group: [QueueCampaignLine]) {
        (lines, unkept) = (lines + group.count, unkept + group.count)
        for line in group {
            lastLine = max(lastLine, line.number)
            if case .refused(let refusal) = line.content { note(refusal, of: line) }
        }
    }

    private mutating func note(_ refusal: QueueLineRefusal, of line: QueueCampaignLine) {
        refused += 1
        if line.isGone { gone += 1 }
        if refusals.count < Self.maximumRefusals { refusals.append(CampaignValue.refused(refusal, line: line.number)) }
    }

    func members(of campaign: QueueCampaign?, unfilled: [UnfilledPlaceholder]) -> [String: PushJSONValue] {
        [
            "accepted": .integer(held), "repeated": .integer(repeated), "refused": .integer(refused),
            "refusals": .array(refusals), "next_line": .integer(nextLine(of: campaign)),
            // Each of these placeholders sends its default to everybody.
            "unfilled": .array(unfilled.prefix(Self.maximumRefusals).map { .string($0.description) }),
            "doubled": .integer(doubles.count), "doubled_lines": .array(doubles.lines.map { .integer($0) }),
        ]
    }

    func nextLine(of campaign: QueueCampaign?) -> Int { max(campaign?.lastLine ?? 0, lastLine) + 1 }

    /// Whether a campaign has the lines of this upload and no other ones. Each line of the upload is in the campaign, or its token
    /// is gone and it is only counted. How many pushes a line to a user has, the campaign alone knows.
    func isWhole(of campaign: QueueCampaign) -> Bool {
        let kept = campaign.counts.lines + campaign.counts.refused
        return campaign.lastLine == lastKept && kept >= lines - unkept && (hasUsers || kept <= lines)
    }
}
