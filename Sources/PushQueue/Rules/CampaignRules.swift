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

    /// The state of a campaign without unfinished lines that takes no more lines; `nil` if it does not end.
    package static func end(of state: QueueCampaignState) -> QueueCampaignState? {
        switch state {
        case .running, .paused: .finished
        case .cancelling: .cancelled
        case .draft, .cancelled, .finished: nil
        }
    }
}
