/// How sure it is that the real service does what the mock does.
///
/// Apple documents much of APNs, but not all; the rest is known from logs, from other senders, or not at all. The mock
/// says which is which, so that nobody takes a guess for Apple's word.
public enum Confidence: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// Two or more independent sources agree.
    case confirmed = "2+"
    /// Apple's current documentation says so.
    case apple = "A"
    /// An archived guide of Apple says so.
    case archived = "AA"
    /// Somebody saw the real service do it.
    case observed = "O"
    /// One library or one report says so: a hint.
    case hint = "1"
    /// Nobody has written it down: a guess.
    case guess = "?"

    /// The words that a log shows.
    public var description: String {
        switch self {
        case .confirmed: "confirmed by several sources"
        case .apple: "documented by Apple"
        case .archived: "documented in an archived guide of Apple"
        case .observed: "observed on the real service"
        case .hint: "a hint from one source"
        case .guess: "a guess"
        }
    }
}
