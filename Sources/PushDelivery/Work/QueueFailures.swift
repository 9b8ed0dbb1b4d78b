/// Which steps of the queue fail at the moment, so that each failure is logged once and not with every try. A pure value.
struct QueueFailures: Equatable {
    enum Step: String, CaseIterable {
        case claiming, starting, storing, extending, upkeep, releasing, heartbeat
    }

    private var failing: Set<Step> = []

    /// Whether a step fails.
    func isFailing(_ step: Step) -> Bool { failing.contains(step) }

    /// A step has failed. Returns whether it worked before.
    mutating func failed(_ step: Step) -> Bool { failing.insert(step).inserted }

    /// A step works. Returns whether it failed before.
    mutating func worked(_ step: Step) -> Bool { failing.remove(step) != nil }
}
