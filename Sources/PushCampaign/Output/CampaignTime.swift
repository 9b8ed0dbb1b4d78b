/// The start time of a campaign. All runs use it for payloads that contain times.
extension PushCampaignFact {
    /// Creates the fact for the start time.
    package static func begun(secondsSince1970 time: Int) -> PushCampaignFact {
        PushCampaignFact(begunName, "\(time)", "the start time")
    }

    static let begunName = "begun"
}

extension BatchFolder {
    /// Returns the start time of the campaign in a folder.
    ///
    /// - Parameter path: The folder. It need not exist.
    /// - Returns: Seconds since 1970; `nil` if no line was marked yet, or the campaign has no start time.
    package static func begun(_ path: String) -> Int? {
        let journal = "\(path)/journal"
        guard InputFile.isRegular(journal), let file = try? InputFile(journal) else { return nil }
        var replay = JournalReplay()
        // Damage is reported when the folder is opened.
        _ = replay.add(file.beginning(enoughForFirstMark))
        guard replay.marked > 0, let head = replay.campaign.flatMap(CampaignHead.init) else { return nil }
        return head.facts[PushCampaignFact.begunName].flatMap { Int($0) }
    }

    /// The number of bytes to read from the start of a journal. The first mark is within them.
    private static let enoughForFirstMark = 1 << 20
}
