package import PushPlatform

/// What may happen to a campaign. A backend calls these rules before it changes one.
package enum CampaignRules {
    /// A change that has been made already is possible, and does nothing.
    package static func allow(_ change: QueueCampaignChange, in state: QueueCampaignState) -> Bool {
        switch change {
        case .start: state == .draft || state == .running
        case .close: !state.isEnd && state != .cancelling
        case .pause: state == .running || state == .paused
        case .resume: state == .running || state == .paused
        case .cancel: state != .finished
        case .rate: !state.isEnd && state != .cancelling
        }
    }

    package struct KnownLine: Equatable {
        package var isRefused: Bool
        /// Empty if it was stored without a digest.
        package var digest: [UInt8]

        package init(isRefused: Bool, digest: [UInt8]) {
            (self.isRefused, self.digest) = (isRefused, digest)
        }

        package func isSame(as line: QueueCampaignLine) -> Bool {
            digest.isEmpty || line.digest.isEmpty || digest == line.digest
        }
    }

    package static func checkNumbers(of lines: [QueueCampaignLine]) throws(QueueError) {
        for line in lines where !(1...QueueCampaignLine.greatestNumber).contains(line.number) {
            throw QueueError(
                .invalid, "The number of a line must be 1 to \(QueueCampaignLine.greatestNumber): \(line.number).")
        }
    }

    /// The answer to lines of which none is stored; `nil` to store them. The known lines are those of the campaign, by their numbers.
    package static func answer(
        to lines: [QueueCampaignLine], known: [Int: KnownLine], isOpen: Bool, _ state: QueueCampaignState
    ) -> QueueLinesAnswer? {
        if !isOpen, lines.isEmpty || lines.contains(where: { known[$0.number] == nil }) { return .closed(state) }
        for line in lines {
            guard let found = known[line.number], !found.isSame(as: line) else { continue }
            if !found.isRefused || !line.replacesRefused || !isOpen { return .different(line.number) }
        }
        return isOpen ? nil : .done(lines.map { _ in .repeated })
    }

    /// The limit that is exceeded if more refused lines are added to a campaign; `nil` if they can be added. `lines` are those that
    /// were not refused, and `app` is the sum of the app's campaigns that have not ended.
    ///
    /// In a list of millions that is right, thousands of device tokens can be gone. So there may be as many refused lines as others,
    /// and the two numbers matter only for lists that are shorter or wrong.
    package static func limit(
        exceededBy new: Int, campaign: (lines: Int, refused: Int), app: (lines: Int, refused: Int),
        pending: CampaignStep? = nil
    ) -> QueueRefusalLimit? {
        let refused = new + (pending?.counts.refused ?? 0)
        let added = pending?.counts.lines ?? 0
        if campaign.refused + refused > max(QueueCampaign.maximumRefused, campaign.lines + added) { return .ofCampaign }
        if app.refused + refused > max(QueueCampaign.maximumRefusedOfApp, app.lines + added) { return .ofApp }
        return nil
    }

    /// The state of a campaign without unfinished lines that takes no more lines; `nil` if it does not end.
    package static func end(of state: QueueCampaignState) -> QueueCampaignState? {
        switch state {
        case .running, .paused: .finished
        case .cancelling: .cancelled
        case .draft, .cancelled, .finished: nil
        }
    }
}

extension QueueCampaign {
    /// The campaign as it is after what a transaction has changed.
    package func adding(_ step: CampaignStep?) -> QueueCampaign {
        guard let step else { return self }
        var campaign = self
        campaign.counts.held += step.counts.held
        campaign.counts.waiting += step.counts.waiting
        campaign.counts.inFlight += step.counts.inFlight
        return campaign
    }
}

extension QueueCampaignState {
    /// The state of a line that a worker gives back.
    package var ofReturnedLines: QueueJobState { self == .running ? .waiting : .held }
}

extension NewQueueCampaign {
    package func check() throws(QueueError) {
        try QueueArgument.require(name, as: "The name of a campaign")
        try QueueArgument.require(settings, atMost: Self.longestSettings, as: "The settings of a campaign")
        if let key { try QueueArgument.require(key, as: "The key of a campaign") }
    }

    package static func newID(now: QueueTime, random: UInt64) -> UUID {
        UUID(JobKey(row: now.milliseconds << 20, tag: 0).id.halves.0, random >> 2 | 1 << 63)
    }

    /// The answer if an earlier campaign has the same key.
    package func answer(earlier campaign: QueueCampaign) -> QueueCampaignCreation {
        let isSame =
            campaign.name == name && campaign.settings == settings && campaign.starts == starts
            && campaign.expires == expires
        return isSame ? .existing(campaign) : .conflict
    }
}

package enum JudgedLine {
    /// It is held, with these times of its own.
    case valid(NewQueueJob, EnqueueRules.Times)
    /// The texts are short enough to be stored.
    case refused(QueueLineRefusal)

    package init(_ line: QueueCampaignLine, now: QueueTime) {
        switch line.content {
        case .refused(let refusal): self = .refused(refusal.shortened)
        case .job(var job):
            (job.due, job.dedupeKey) = (.now, nil)
            switch EnqueueRules.judge(job, now: now) {
            case .failure(let refusal): self = .refused(QueueLineRefusal(refusal))
            case .success(let times): self = .valid(job, times)
            }
        }
    }

    package var refusal: QueueLineRefusal? {
        if case .refused(let refusal) = self { refusal } else { nil }
    }
}

extension QueueLineRefusal {
    /// The longest text of a stored refusal, in bytes of UTF-8. A longer one is cut.
    private static let longestText = 250

    package var shortened: QueueLineRefusal {
        func cut(_ text: String) -> String {
            guard text.utf8.count > Self.longestText else { return text }
            return String(decoding: text.utf8.prefix(Self.longestText - 3), as: UTF8.self) + "…"
        }
        return QueueLineRefusal(
            code: cut(code), detail: cut(detail), field: field.map(cut), remedy: remedy.map(cut))
    }

    /// What the queue itself refuses.
    package init(_ refusal: EnqueueResult.Refusal) {
        switch refusal {
        case .expiresTooEarly:
            self.init(
                code: "expires_too_early", detail: "The line has expired already.", field: "expires",
                remedy: "Give it a later time, or a duration such as 2h.")
        case .timeOutOfRange:
            self.init(code: "invalid_value", detail: "The time is out of range.", field: "expires")
        case .target: self.init(code: "invalid_value", detail: "The token is empty or too long.", field: "token")
        case .payload:
            self.init(code: "invalid_value", detail: "The payload is empty or too long.", field: "payload")
        case .variables: self.init(code: "invalid_value", detail: "The values are too long.", field: "vars")
        case .push:
            self.init(
                code: "invalid_value", detail: "The topic, the ref and the other details are too long.",
                field: "ref")
        case .id: self.init(code: "invalid_value", detail: "The id can't be used.")
        case .dedupeKey: self.init(code: "invalid_value", detail: "The dedupe key is too long.")
        }
    }
}
