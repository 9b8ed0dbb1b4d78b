import PushPlatform
import PushTime

extension VirtualPhone {
    /// When something changes by itself: a stored push expires, a banner disappears, a Live Activity gets stale; `nil` for never.
    var nextChange: Date? {
        // Checked for each push; usually there is nothing to do.
        if stored.isEmpty, activities.isEmpty, banner == nil { return nil }
        return (stored.map(\.until) + activities.compactMap(\.nextChange) + [banner?.until].compactMap(\.self)).min()
    }

    /// Moves the time forward.
    ///
    /// - Parameter now: The time.
    /// - Returns: What it means for pushes, and whether the screen looks different.
    mutating func timePassed(to now: Date) -> (reports: [PushReport], changed: Bool) {
        guard let nextChange, nextChange <= now else { return ([], false) }
        if let banner, banner.until <= now { self.banner = nil }
        var reports: [PushReport] = []
        for entry in stored where entry.until <= now {
            let why = "It expired while \(profile.name) was offline"
            reports.append(
                PushReport(
                    of: entry.push.number, at: now, .expired, "Thrown away", note: why,
                    outcome: PhoneOutcome(.hidden, "Not shown: expired", why: why)))
        }
        stored.removeAll { $0.until <= now }
        for index in activities.indices { reports += age(index, at: now) }
        for push in removeDismissed(at: now) {
            reports.append(
                PushReport(
                    of: push, at: now, .removed, "Live Activity dismissed",
                    outcome: PhoneOutcome(.removed, "Activity gone", why: "Its dismissal date was reached")))
        }
        return (reports, true)
    }

    /// Makes a Live Activity stale, or ends it after its longest time.
    private mutating func age(_ index: Int, at now: Date) -> [PushReport] {
        var reports: [PushReport] = []
        if activities[index].endedAt == nil, !activities[index].isStale,
            let stale = activities[index].staleDate, stale <= now
        {
            activities[index].isStale = true
            reports.append(PushReport(of: activities[index].push, at: now, .expired, "Its data is stale"))
        }
        let last = activities[index].lastActive
        if activities[index].endedAt == nil, last <= now {
            activities[index].endedAt = last
            activities[index].dismissal = last.addingTimeInterval(LiveActivity.longestAfterEnd)
            reports.append(
                PushReport(
                    of: activities[index].push, at: now, .expired,
                    "Ended by the system after \(profile.activities.activeTime.unitText)"))
        }
        return reports
    }
}
