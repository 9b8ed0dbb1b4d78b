internal import PushQueue

/// Lets the lines of campaigns wait, so many at a time that neither a rate nor another push suffers.
///
/// All that is needed for it is in the queue, so several workers may do it at the same time.
extension DeliveryEngine {
    func releaseLoop() async {
        while !isStopping {
            let isBusy = await advanceCampaigns()
            if isStopping { return }
            await releaseBell.wait(for: isBusy ? options.releaseInterval : options.pollInterval)
        }
    }

    /// Does the next step of each campaign.
    ///
    /// - Returns: Whether there is more to do soon.
    func advanceCampaigns() async -> Bool {
        do throws(QueueError) {
            let now = try await queue.now()
            let campaigns = try await queue.activeCampaigns()
            for campaign in campaigns where campaign.hasStep(at: now, ahead: options.releaseAhead) {
                _ = try await queue.advanceCampaign(
                    campaign.id, app: campaign.app, ahead: options.releaseAhead, limit: options.upkeep.slice)
            }
            worked(.releasing)
            return campaigns.contains { $0.isBusy(at: now) }
        } catch {
            failed(.releasing, error)
            return false
        }
    }
}

extension Campaign {
    /// Whether lines can be released, or are to be ended.
    fileprivate func hasStep(at now: QueueTime, ahead: Int) -> Bool {
        if state == .cancelling || hasExpired(at: now) { return counts.held + counts.waiting > 0 || isOpen }
        return isDue(at: now) && counts.held > 0 && counts.waiting + counts.inFlight < ahead
    }

    /// Whether there may be a step soon.
    fileprivate func isBusy(at now: QueueTime) -> Bool {
        if state == .cancelling || hasExpired(at: now) { return counts.unfinished > 0 }
        return isDue(at: now) && counts.held > 0
    }

    private func isDue(at now: QueueTime) -> Bool { state == .running && (starts.map { $0 <= now } ?? true) }

    private func hasExpired(at now: QueueTime) -> Bool { expires.map { $0 <= now } ?? false }
}
