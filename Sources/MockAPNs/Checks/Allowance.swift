import APNSVocabulary

/// A case in which the mock accepts a request although it is unknown whether APNs would accept it. A class, as ``Check`` is.
final class Allowance: Sendable {
    let fact: MockFact
    /// Whether such a request breaks a rule of Apple or HTTP/2.
    let breaksRule: Bool
    let applies: @Sendable (CheckInput) -> Bool

    init(_ fact: MockFact, breaksRule: Bool = true, when applies: @escaping @Sendable (CheckInput) -> Bool) {
        (self.fact, self.breaksRule, self.applies) = (fact, breaksRule, applies)
    }

    convenience init(
        _ id: String, _ statement: String, _ confidence: MockFactConfidence, breaksRule: Bool = true,
        when applies: @escaping @Sendable (CheckInput) -> Bool
    ) {
        self.init(MockFact(id: id, statement, confidence), breaksRule: breaksRule, when: applies)
    }

    /// Returns the facts of all allowances that apply to an accepted request.
    static func needed(by input: CheckInput) -> [MockFact] {
        var which = 0
        for index in table.indices where table[index].applies(input) { which |= 1 << index }
        if which < combinations.count { return combinations[which] }
        return table.indices.filter { which & 1 << $0 != 0 }.map { table[$0].fact }
    }

    /// Returns the facts of all allowances that apply to an accepted request about a broadcast or a channel.
    static func needed(byChannels input: CheckInput) -> [MockFact] {
        let isBroadcast = if case .broadcast = input.request.target { true } else { false }
        let own = isBroadcast ? ofBroadcasts : []
        return (ofEveryRequest + ofBundleIDs + own).filter { $0.applies(input) }.map(\.fact)
    }

    static var all: [Allowance] {
        table + ofBundleIDs + ofBroadcasts.filter { own in !ofPushes.contains { $0.fact == own.fact } }
    }

    static let rules: Set<MockFact> = Set(all.filter(\.breaksRule).map(\.fact))

    /// The number of allowances at the beginning of the table that are common.
    private static let commonCount = 6
    /// All combinations of the common facts, indexed by a bit set of their indices in the table. Most requests need
    /// only these, and share the arrays.
    private static let combinations: [[MockFact]] = (0..<1 << commonCount).map { which in
        table.indices.filter { which & 1 << $0 != 0 }.map { table[$0].fact }
    }

    static let table: [Allowance] =
        [ofEveryRequest[0], Allowance(.unknownDevice, breaksRule: false) { $0.device == nil }] + ofEveryRequest[1...]
        + ofPushes

    /// The allowances of a bundle id in the path.
    private static let ofBundleIDs: [Allowance] = [
        Allowance(
            "bundle-id-like-suffix",
            """
            The bundle id in the path ends in the suffix of a push type, such as .voip. It may be part of the app's \
            bundle id.
            """, .guess, breaksRule: false
        ) {
            $0.request.target.app.map { app in Check.ambiguousSuffixes.contains { app.hasSuffix($0) } } == true
        }
    ]

    private static let ofBroadcasts: [Allowance] = [
        Allowance(
            "broadcast-without-priority",
            """
            A broadcast has no apns-priority. Apple's table requires it. It is unknown what APNs does without it.
            """, .guess
        ) {
            $0.request.priority == nil
        },
        Allowance(
            "broadcast-without-expiration",
            """
            A broadcast has no apns-expiration. Apple's table requires it, and one of Apple's examples leaves it out.
            """, .guess
        ) {
            $0.request.expiration == nil
        },
        Allowance(
            "broadcast-with-topic",
            "A broadcast has an apns-topic. Apple's table has none: the bundle id is in the path.", .guess
        ) {
            $0.request.topic != nil
        },
        Allowance(
            "broadcast-event",
            """
            The event of a broadcast is not update or end. A broadcast cannot start a Live Activity, but it is unknown \
            whether APNs reads the payload.
            """, .guess
        ) {
            !BroadcastEvent(body: $0.request.body).isUsual
        },
        Allowance(.pastExpiration) { $0.hasPastExpiration },
        Allowance(.farExpiration) { $0.hasFarExpiration },
        Allowance(.notAnObject) { !JSONForm.beginsAsObject($0.request.body) },
    ]

    /// The allowances of pushes and of requests about channels.
    private static let ofEveryRequest: [Allowance] = [
        Allowance(.everybodysToken, breaksRule: false) {
            $0.apns.authentication == .any
        },
        Allowance(
            "http2-without-alpn",
            "The client does not negotiate HTTP/2 by ALPN. Several such senders have worked with APNs for years.",
            .confirmed
        ) {
            !$0.connection.agreedOnHTTP2
        },
        Allowance(.streamsBeforeSettings) { $0.request.isBeyondStreamLimit },
        Allowance(
            "iat-text", "iat is a string. Two clients send this, and APNs accepts it.", .hint
        ) {
            $0.providerToken?.issueTimeIsText == true
        },
        Allowance(
            "standard-base64", "The provider token is in standard base64, not in base64url. One library sends this.",
            .hint
        ) {
            $0.providerToken?.isStandardBase64 == true
        },
        Allowance(
            "es512-name",
            """
            The alg of the provider token is ES512, and its P-256 key signed a SHA-512 hash, with r and s of 66 bytes \
            each. One library sends this.
            """, .hint
        ) {
            $0.providerToken?.algorithm == ProviderTokenHeader.es512
        },
        Allowance(
            "iat-fraction", "iat has a fraction of a second. It is unknown whether APNs accepts this.", .guess
        ) {
            $0.providerToken?.issueTimeIsFraction == true
        },
        Allowance(
            "exp-past",
            "The provider token has an exp in the past. Apple asks for no exp, and it is unknown whether APNs reads it.",
            .guess
        ) { input in
            input.providerToken?.expiresAt.map { $0 < input.now } == true
        },
        Allowance(
            "repeated-other-header",
            "A header that APNs does not define is repeated. It is unknown whether APNs rejects this.", .guess
        ) {
            $0.request.otherRepeatedHeader != nil
        },
    ]

    private static let ofPushes: [Allowance] = [
        Allowance(
            "upper-case-apns-id", "The apns-id has upper-case letters. It is unknown whether APNs accepts them.",
            .guess
        ) {
            $0.idLetters == .upper
        },
        Allowance(.pastExpiration) { $0.hasPastExpiration },
        Allowance(.farExpiration) { $0.hasFarExpiration },
        Allowance(
            "background-priority-10",
            "A background push without a priority has priority 10, which Apple calls an error.", .guess
        ) {
            $0.request.pushType == .background && $0.request.priority == nil
        },
        Allowance(
            "fileprovider-priority",
            "A fileprovider push has a priority other than 5, which one library calls an error.", .hint
        ) {
            $0.request.pushType == .fileprovider && $0.request.priority != "5"
        },
        Allowance(
            "topic-like-suffix",
            "The topic ends in the suffix of another push type. It may be part of the app's bundle id.", .guess,
            breaksRule: false
        ) {
            guard let suffix = $0.topicSuffix, $0.request.pushType?.topicSuffix == "" else { return false }
            return Check.ambiguousSuffixes.contains(suffix)
        },
        Allowance(.notAnObject) { !JSONForm.beginsAsObject($0.request.body) },
    ]
}

extension MockFact {
    fileprivate static let pastExpiration = MockFact(
        id: "past-expiration",
        "The expiration is in the past. APNs probably tries once and does not store the notification.", .guess)
    fileprivate static let farExpiration = MockFact(
        id: "far-expiration",
        """
        The expiration is thousands of years ahead: it is probably in milliseconds, not in seconds. It is unknown whether APNs \
        accepts this.
        """, .guess)
    fileprivate static let notAnObject = MockFact(
        id: "payload-not-an-object",
        "The body does not begin like a JSON object. It is unknown what APNs does then.", .guess)

    /// ``MockAuthentication/any`` accepts every provider token.
    package static let everybodysToken = MockFact(
        id: "unverified-provider-token",
        "The mock accepts every provider token. APNs verifies it.", .confirmed)
    /// ``MockUnknownTokenPolicy/accept`` accepts every device token.
    package static let unknownDevice = MockFact(
        id: "unknown-device-token",
        "The mock accepts unknown device tokens. APNs answers BadDeviceToken.", .observed)
}
