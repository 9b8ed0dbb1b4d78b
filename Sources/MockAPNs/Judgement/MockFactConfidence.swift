/// How certain it is that the real service does the same as the mock.
///
/// Apple documents much of APNs, but not all. The rest is known from logs and from other senders, or it is unknown.
/// With these values you can tell a guess from documented behaviour.
package enum MockFactConfidence: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// Two or more independent sources agree.
    case confirmed = "2+"
    /// Documented in Apple's current documentation.
    case apple = "A"
    /// Documented in an archived guide of Apple.
    case archived = "AA"
    /// Observed on the real service.
    case observed = "O"
    /// A hint from one library or one report.
    case hint = "1"
    /// A guess without a source.
    case guess = "?"

    /// The text for logs.
    package var description: String {
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
