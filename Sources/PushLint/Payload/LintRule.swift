public import PushProvider

/// A rule that the lint holds payloads and headers against.
public struct LintRule: Sendable, Identifiable {
    /// How a rule is held against what it is about.
    enum Check: Sendable {
        /// The reader of JSON tells of it.
        case text
        /// A look at the values of the payload.
        case payload(@Sendable (LintSubject) -> [Breach])
        /// A look at the headers. Those that can refuse a notification run for each one that is sent.
        case request(@Sendable (CheckedRequest) -> Breach?)
        /// A look at the headers of a connection with a certificate.
        case certificate
        /// A look at what is left of a template, where a payload is sent as it is.
        case sentAsIs
        /// A look at the device token, where it is sent to Apple.
        case device
    }

    /// The word by which findings name it, for example `background-visible`.
    public let id: String
    /// Other words for it, such as the number that it has in a list of rules.
    public let aliases: [String]
    /// How bad a breach is.
    public let severity: Finding.Severity
    /// What it demands, in one line.
    public let title: String
    /// Why, in a few sentences.
    public let explanation: String
    /// What to do about a breach.
    public let remedy: String
    /// Where the rule comes from.
    public let source: String

    let check: Check

    /// Whether a client refuses a notification that breaks it.
    var isRefused: Bool { Refusal.byID[id] != nil }

    init(
        _ id: String, _ severity: Finding.Severity, aliases: [String] = [], title: String,
        explanation: String, remedy: String, source: String, check: Check
    ) {
        self.id = id
        self.aliases = aliases
        self.severity = severity
        self.title = title
        self.explanation = explanation
        self.remedy = remedy
        self.source = source
        self.check = check
    }
}
