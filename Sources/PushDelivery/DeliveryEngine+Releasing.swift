internal import Logging
internal import PushPlatform
internal import PushProvider
internal import PushQueue

/// Releases the lines of campaigns in small groups, within the rate of each campaign and without delaying other pushes.
///
/// All that is needed for it is in the queue, so several workers may do it at the same time.
extension DeliveryEngine {
    func releaseLoop() async {
        while !isStopping {
            let wait = await advanceCampaigns()
            if isStopping { return }
            await releaseWakeUp.wait(for: min(max(wait, options.releaseInterval), options.pollInterval))
        }
    }

    /// Does the next step of each campaign.
    ///
    /// - Returns: How long it takes until there may be a next step.
    func advanceCampaigns() async -> Duration {
        let now: QueueTime
        let campaigns: [QueueCampaign]
        do throws(QueueError) {
            now = try await queue.now()
            campaigns = try await queue.activeCampaigns()
        } catch {
            failed(.releasing, error)
            return options.pollInterval
        }
        var (failed, waits): ([UUID: QueueError], [Duration]) = ([:], [])
        var hasAdvanced = false
        for campaign in campaigns {
            do throws(QueueError) {
                if campaign.hasStep(at: now, ahead: options.releaseAhead) {
                    _ = try await queue.advanceCampaign(
                        campaign.id, app: campaign.app, ahead: options.releaseAhead, limit: options.upkeep.slice)
                    hasAdvanced = true
                }
                if let wait = campaign.wait(at: now) { waits.append(wait) }
            } catch {
                // A campaign that fails does not hold up the others.
                failed[campaign.id] = error
                if !error.mayBeOfOneStep {
                    self.failed(.releasing, error)
                    return options.pollInterval
                }
            }
        }
        await noteFailing(failed, campaigns, hasAdvanced: hasAdvanced)
        return waits.min() ?? options.pollInterval
    }

    /// How many campaigns may fail while the queue works otherwise. With more of them, and none that gets on, the queue is the cause.
    private static let maximumFailing = 20

    /// Logs campaigns that fail, once for each reason. They are the cause if the queue works otherwise, and the worker stays ready.
    private func noteFailing(
        _ failed: [UUID: QueueError], _ campaigns: [QueueCampaign], hasAdvanced: Bool
    ) async {
        for campaign in campaigns {
            guard let error = failed[campaign.id], failingCampaigns[campaign.id] != error else { continue }
            logger.error(
                "a campaign can't proceed; the service retries",
                metadata: [
                    "app": "\(campaign.app)", "campaign": "\(campaign.id.uuidString.lowercased())",
                    "reason": "\(error)",
                ])
        }
        failingCampaigns = failed
        guard let first = failed.first?.value else { return worked(.releasing) }
        do throws(QueueError) {
            if !hasAdvanced {
                guard failed.count <= Self.maximumFailing else { throw first }
                try await queue.checkWriting()
            }
            worked(.releasing)
        } catch {
            self.failed(.releasing, error)
        }
    }
}

extension QueueCampaign {
    /// Whether lines can be released, or are to be ended.
    fileprivate func hasStep(at now: QueueTime, ahead: Int) -> Bool {
        // If several workers end the last lines at the same time, each sees lines that are not ended, and the campaign stays open.
        if !isOpen, counts.unfinished == 0 { return true }
        if state == .cancelling || hasExpired(at: now) { return counts.held + counts.waiting > 0 || isOpen }
        return isDue(at: now) && counts.held > 0 && counts.waiting + counts.inFlight < ahead
    }

    /// How long it takes until there may be a step; `nil` if nothing is to be done before the campaign changes.
    fileprivate func wait(at now: QueueTime) -> Duration? {
        if state == .cancelling || hasExpired(at: now) { return counts.unfinished > 0 ? .zero : nil }
        if isDue(at: now), counts.held > 0 { return .zero }
        return [state == .running ? starts : nil, expires].compactMap { $0 }.filter { $0 > now }.min().map { $0 - now }
    }

    private func isDue(at now: QueueTime) -> Bool { state == .running && (starts.map { $0 <= now } ?? true) }

    private func hasExpired(at now: QueueTime) -> Bool { expires.map { $0 <= now } ?? false }
}
