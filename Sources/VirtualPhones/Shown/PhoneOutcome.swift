public import PushPlatform

/// The outcome of a push on a phone, as a word and a sentence.
public struct PhoneOutcome: Sendable, Hashable {
    /// The kinds of outcomes.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case shown
        /// It is only in the notification center, without banner and sound.
        case quiet
        case replaced
        /// APNs keeps it, because the phone is offline.
        case stored
        /// It was accepted, and the user does not see it.
        case hidden
        case rejected
        /// It is not for the user: it woke the app.
        case woke
        /// The user acted on it.
        case acted
        /// The user or the app removed it.
        case removed
        /// It was shown, and the mock has forgotten it since, because it keeps only the newest ones of a phone. A real phone
        /// would still show it.
        case forgotten
        /// Pushes arrived faster than the phones process them.
        case missed
    }

    /// The kind.
    public var kind: Kind
    /// The outcome in a few words.
    public var text: String
    /// The reason, or other useful facts.
    public var why: String?
    /// The push that this one replaced.
    public var replaces: Int?
    /// The push that replaced this one.
    public var replacedBy: Int?

    /// Creates an outcome.
    public init(_ kind: Kind, _ text: String, why: String? = nil, replaces: Int? = nil, replacedBy: Int? = nil) {
        self.kind = kind
        self.text = text
        self.why = why
        self.replaces = replaces
        self.replacedBy = replacedBy
    }
}

/// A step in the life of a push.
public struct PhoneStage: Sendable, Hashable {
    /// The kinds of steps.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// It arrived at APNs.
        case received
        /// APNs accepted it.
        case judged
        /// APNs rejected it.
        case refused
        /// APNs keeps it for a phone that is offline.
        case stored
        case delivered
        case ran
        /// The user sees it, or it changed what the user sees.
        case shown
        case replaced
        /// The user acted on it.
        case acted
        /// It was removed from the screen.
        case removed
        /// The mock forgot it, because it keeps only the newest ones of a phone.
        case forgotten
        /// It was thrown away before it reached an app.
        case discarded
        case expired
        /// It woke the app.
        case woke
        /// It reached the phone, and the user does not see it.
        case hidden
    }

    /// A time that was used, and its limit, in seconds.
    public struct Meter: Sendable, Hashable {
        /// What was used.
        public var used: Double
        /// The limit.
        public var limit: Double

        /// Creates a meter.
        public init(used: Double, limit: Double) {
            self.used = used
            self.limit = limit
        }
    }

    /// The kind.
    public var kind: Kind
    /// When, on the clock of the phones. The seconds of a service extension are virtual.
    public var at: Date
    /// What happened, in a few words.
    public var text: String
    /// Other useful facts.
    public var note: String?
    /// The time that was used.
    public var meter: Meter?

    /// Creates a step.
    public init(_ kind: Kind, at: Date, _ text: String, note: String? = nil, meter: Meter? = nil) {
        self.kind = kind
        self.at = at
        self.text = text
        self.note = note
        self.meter = meter
    }
}
