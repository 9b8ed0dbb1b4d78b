public import PushProvider

/// A rule of the lint for payloads and headers.
public struct LintRule: Sendable, Identifiable {
    enum Check: Sendable {
        case payload(@Sendable (LintSubject) -> [RuleFinding])
        /// A check of the headers. The checks that can refuse a notification run for each one that is sent.
        case request(@Sendable (CheckedRequest) -> RuleFinding?)
        /// What finds the mistakes is not run with these checks: the JSON reader, for example, or the check for a certificate.
        case elsewhere

        /// A check of the values of the payload that finds at most one mistake.
        static func single(_ check: @escaping @Sendable (LintSubject) -> RuleFinding?) -> Check {
            .payload { subject in check(subject).map { [$0] } ?? [] }
        }

        func findings(in subject: LintSubject) -> [RuleFinding] {
            if case .payload(let check) = self { check(subject) } else { [] }
        }

        func finding(in request: CheckedRequest) -> RuleFinding? {
            if case .request(let check) = self { check(request) } else { nil }
        }
    }

    /// The id of the rule in findings, for example `background-visible`.
    public let id: String
    /// Other names of the rule, such as its number in the list of rules.
    public let aliases: [String]
    /// The severity of a finding.
    public let severity: PushFinding.Severity
    /// The requirement, in one line.
    public let title: String
    /// The reason, in a few sentences.
    public let explanation: String
    /// How to correct a mistake.
    public let remedy: String
    /// The source of the rule.
    public let source: String

    let check: Check

    init(
        _ id: String, _ severity: PushFinding.Severity, aliases: [String] = [], title: String,
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

/// The documents that the rules come from.
enum RuleSource {
    static let json = "RFC 8259, The JavaScript Object Notation (JSON) Data Interchange Format"
    static let sending = "Apple, Sending notification requests to APNs"
    static let payload = "Apple, Generating a remote notification"
    static let background = "Apple, Pushing background updates to your App"
    static let responses = "Apple, Handling notification responses from APNs"
    static let liveActivities = "Apple, Starting and updating Live Activities with ActivityKit push notifications"
    static let widgets = "Apple, Updating widgets with WidgetKit push notifications"
    static let accessories = "Apple, Responding to forwarded notifications"
    static let wallet = "Apple, Adding a Web Service to Update Passes"
    static let metrics = "Apple, Viewing the status of push notifications using Metrics and APNs"
    static let broadcast = "Apple, Sending broadcast push notification requests"
    static let reference = "Apple, Payload Key Reference (archived)"
    static let sounds = "Apple, UNNotificationSound"
    static let extensions = "Apple, Modifying content in newly delivered notifications"
    static let seen = "Observed in practice"
}
