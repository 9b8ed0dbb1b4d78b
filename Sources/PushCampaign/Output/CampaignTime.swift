/// The time that belongs to a campaign: payloads that hold times are made with it, in every run.
extension CampaignFact {
    /// When the campaign began.
    package static func begun(secondsSince1970 time: Int) -> CampaignFact {
        CampaignFact(begunName, "\(time)", "the time at which it began")
    }

    static let begunName = "begun"
}

extension BatchFolder {
    /// When the campaign began whose lines a folder has.
    ///
    /// - Parameter path: The folder, which need not be there.
    /// - Returns: Seconds since 1970; `nil` where no line was marked yet, or the campaign has no such time.
    package static func begun(_ path: String) -> Int? {
        let journal = "\(path)/journal"
        guard InputFile.isRegular(journal), let file = try? InputFile(journal) else { return nil }
        var replay = JournalReplay()
        // Damage is reported when the folder is opened.
        _ = replay.take(file.beginning(enoughForFirstMark))
        guard replay.marked > 0, let head = replay.campaign.flatMap(CampaignHead.init) else { return nil }
        return head.facts[CampaignFact.begunName].flatMap { Int($0) }
    }

    private static let enoughForFirstMark = 1 << 20
}
