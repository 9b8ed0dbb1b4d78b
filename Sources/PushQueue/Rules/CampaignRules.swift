/// What may happen to a campaign. A backend calls these rules before it changes one.
package enum CampaignRules {
    /// Whether a change is possible in a state. A change that has been made already is possible, and does nothing.
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

    /// A line that a campaign has.
    package struct KnownLine: Equatable {
        /// Whether it was refused.
        package var isRefused: Bool
        /// Empty if it was stored without a digest.
        package var digest: [UInt8]

        package init(isRefused: Bool, digest: [UInt8]) {
            (self.isRefused, self.digest) = (isRefused, digest)
        }

        /// Whether a given line is this one.
        package func isSame(as line: QueueCampaignLine) -> Bool {
            digest.isEmpty || line.digest.isEmpty || digest == line.digest
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
        exceededBy refused: Int, campaign: (lines: Int, refused: Int), app: (lines: Int, refused: Int)
    ) -> QueueRefusalLimit? {
        if campaign.refused + refused > max(QueueCampaign.mostRefused, campaign.lines) { return .ofCampaign }
        if app.refused + refused > max(QueueCampaign.mostRefusedOfApp, app.lines) { return .ofApp }
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
