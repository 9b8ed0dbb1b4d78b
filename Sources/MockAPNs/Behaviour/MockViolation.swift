/// A rule of APNs that a client has broken, whether APNs enforces it or not.
public struct MockViolation: Hashable, Sendable {
    /// The stable id of the rule: that of its fact. `docs/mock-fidelity.md` lists all rules.
    public var id: String { fact.id }
    /// The rule, in a sentence.
    public var rule: String { fact.statement }
    package let fact: MockFact
    /// What this client did; `nil` if the rule says it.
    public let detail: String?

    init(_ fact: MockFact, detail: String? = nil) {
        self.fact = fact
        self.detail = detail
    }

    /// Whether the mock rejected the request for it. It accepts requests that break the other rules.
    package var isRejection: Bool { Self.rejections.contains(fact) }

    private static let rejections = Set(Check.all.map(\.fact)).subtracting(Allowance.rules)
}

/// A rule about the behaviour of a client, beyond single requests. APNs does not enforce some of these.
package struct BehaviourRule: Hashable, Sendable {
    package var id: String { fact.id }
    /// The rule, and how certain it is.
    package let fact: MockFact

    private init(_ fact: MockFact) {
        self.fact = fact
    }

    /// A new provider token for every push, or nearly so.
    package static let tokenPerPush = BehaviourRule(
        MockFact(
            id: "provider-token-per-push",
            """
            A client must use a provider token for 20 to 60 minutes. A client that makes a new one more often gets \
            TooManyProviderTokenUpdates sooner or later.
            """, .apple))

    /// A connection for every push.
    package static let connectionPerPush = BehaviourRule(
        MockFact(
            id: "connection-per-push",
            """
            A client should keep connections open for many notifications. APNs may treat connections that are opened and closed \
            again and again as an attack.
            """, .apple))

    /// A push to a device token that was answered with Unregistered or BadDeviceToken before.
    package static let rejectedTokenAgain = BehaviourRule(
        MockFact(
            id: "push-after-rejected-token",
            """
            A device token that APNs has answered with Unregistered or BadDeviceToken must not be used again until the \
            device has registered it again.
            """, .apple))

    /// New streams after the mock's GOAWAY.
    package static let ignoredGoAway = BehaviourRule(
        MockFact(
            id: "ignored-goaway",
            "A client opens no new stream after it has received GOAWAY (RFC 9113, section 6.8).", .confirmed))

    /// A frame that HTTP/2 does not allow, after which a connection cannot go on.
    package static let illegalFrame = BehaviourRule(
        MockFact(
            id: "illegal-frame",
            """
            A client sends only frames that HTTP/2 allows. After another one, such as a second request on a finished stream, the \
            connection ends with a GOAWAY (RFC 9113, section 5.4.1).
            """, .confirmed))

    /// Streams beyond the limit, before the client has acknowledged SETTINGS.
    package static let streamsBeforeSettings = BehaviourRule(.streamsBeforeSettings)

    package static let all = [
        tokenPerPush, connectionPerPush, rejectedTokenAgain, ignoredGoAway, illegalFrame, streamsBeforeSettings,
    ]

    func violation(_ detail: String) -> MockViolation {
        MockViolation(fact, detail: detail)
    }
}

extension MockVerdict {
    /// The rules that the request broke by itself: the check that it failed, or rules that APNs does not enforce.
    var violations: [MockViolation] {
        if !isAccepted {
            guard let check, check != MockFault.Answer.check, !Check.aboutState.contains(check), status != 0 else {
                return []
            }
            return [MockViolation(fact, detail: detail)]
        }
        guard !allowances.isEmpty else { return [] }
        return allowances.filter(Allowance.rules.contains).map { MockViolation($0) }
    }
}
