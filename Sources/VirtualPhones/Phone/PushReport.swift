import PushPlatform

/// What happened to one push, to be added to its record.
struct PushReport: Sendable {
    let push: Int
    /// The time of the next step. A service extension moves it forward.
    var now: Date
    var stages: [PhoneStage] = []
    var outcome: PhoneOutcome?
    var card: PhoneNotificationCard?

    init(of push: Int, at now: Date) {
        self.push = push
        self.now = now
    }

    /// A report of one step that changes the outcome.
    init(
        of push: Int, at now: Date, _ kind: PhoneStage.Kind, _ text: String, note: String? = nil,
        outcome: PhoneOutcome? = nil
    ) {
        self.init(of: push, at: now)
        add(kind, text, note: note)
        self.outcome = outcome
    }

    mutating func add(_ kind: PhoneStage.Kind, _ text: String, note: String? = nil, meter: PhoneStage.Meter? = nil) {
        stages.append(PhoneStage(kind, at: now, text, note: note, meter: meter))
    }

    /// Ends a report: the user does not see the push.
    mutating func hide(_ text: String, why: String) {
        add(.hidden, text, note: why)
        outcome = PhoneOutcome(.hidden, text, why: why)
    }

    /// Ends a report: the push woke something.
    mutating func wake(_ text: String, why: String? = nil, note: String? = nil) {
        add(.woke, text, note: note ?? why)
        outcome = PhoneOutcome(.woke, text, why: why)
    }
}
