/// Notices that the clock of a queue went back.
struct ClockWatch: Equatable {
    /// The latest time that was noted.
    var seen: QueueTime

    /// A clock that goes back by less is not corrected for.
    static let tolerance: Duration = .seconds(2)
    /// How far the clock moves before the time is noted again.
    static let interval: Duration = .seconds(1)

    /// What to do at a time.
    enum Action: Equatable {
        case nothing
        /// Note the time.
        case note
        /// Note the time, and move all times that were counted from the clock back by this.
        case moveBack(Duration)
    }

    mutating func tick(_ now: QueueTime) -> Action {
        let step = now - seen
        if step < .zero - Self.tolerance {
            seen = now
            return .moveBack(.zero - step)
        }
        guard step >= Self.interval else { return .nothing }
        seen = now
        return .note
    }
}
