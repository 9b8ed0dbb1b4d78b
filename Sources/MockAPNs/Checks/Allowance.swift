import APNSVocabulary

/// A case in which the mock accepts a request although it is unknown whether APNs would accept it.
struct Allowance: Sendable {
    let fact: Fact
    let applies: @Sendable (CheckInput) -> Bool

    init(_ fact: Fact, when applies: @escaping @Sendable (CheckInput) -> Bool) {
        self.fact = fact
        self.applies = applies
    }

    /// Returns the facts of all allowances that apply to an accepted request.
    static func needed(by input: CheckInput) -> [Fact] {
        var which = 0
        for index in table.indices where table[index].applies(input) { which |= 1 << index }
        if which < combinations.count { return combinations[which] }
        return table.indices.filter { which & 1 << $0 != 0 }.map { table[$0].fact }
    }

    /// The number of allowances at the beginning of the table that are common.
    private static let commonCount = 6
    /// All combinations of the common facts, indexed by a bit set of their indices in the table. Most requests need
    /// only these, and share the arrays.
    private static let combinations: [[Fact]] = (0..<1 << commonCount).map { which in
        table.indices.filter { which & 1 << $0 != 0 }.map { table[$0].fact }
    }

    /// The fact about streams that the client opens before it has acknowledged the limit.
    static let earlyStreamFact = Fact(
        """
        The stream exceeds the announced limit, which the client had not acknowledged yet. It is unknown what APNs \
        does then.
        """, .guess)

    static let table: [Allowance] = [
        Allowance(.everybodysToken) {
            $0.world.authentication == .any
        },
        Allowance(.unknownDevice) {
            $0.device == nil
        },
        Allowance(
            Fact(
                "The client does not negotiate HTTP/2 by ALPN. Several such senders have worked with APNs for years.",
                .confirmed)
        ) {
            !$0.connection.agreedOnHTTP2
        },
        Allowance(earlyStreamFact) { $0.request.isBeyondStreamLimit },
        Allowance(Fact("iat is a string. One client sends this, and APNs accepts it.", .hint)) {
            $0.providerToken?.issueTimeIsText == true
        },
        Allowance(
            Fact("The provider token is in standard base64, not in base64url. One library sends this.", .hint)
        ) {
            $0.providerToken?.isStandardBase64 == true
        },
        Allowance(
            Fact("The alg of the provider token is ES512, but its signature is ES256. One library sends this.", .hint)
        ) {
            $0.providerToken?.algorithm == "ES512"
        },
        Allowance(
            Fact("A header that APNs does not define is repeated. It is unknown whether APNs rejects this.", .guess)
        ) {
            $0.request.otherRepeatedHeader != nil
        },
        Allowance(Fact("The apns-id has upper-case letters. It is unknown whether APNs accepts them.", .guess)) {
            $0.idLetters == .upper
        },
        Allowance(
            Fact("The expiration is in the past. APNs probably tries once and does not store the notification.", .guess)
        ) {
            $0.hasPastExpiration
        },
        Allowance(Fact("A background push without a priority has priority 10, which Apple calls an error.", .guess)) {
            $0.request.pushType == .background && $0.request.priority == nil
        },
        Allowance(Fact("A fileprovider push has a priority other than 5, which one library calls an error.", .hint)) {
            $0.request.pushType == .fileprovider && $0.request.priority != "5"
        },
        Allowance(
            Fact("The topic ends in the suffix of another push type. It may be part of the app's bundle id.", .guess)
        ) {
            guard let suffix = $0.topicSuffix, $0.request.pushType?.topicSuffix == "" else { return false }
            return Check.ambiguousSuffixes.contains(suffix)
        },
        Allowance(Fact("The body does not begin like a JSON object. It is unknown what APNs does then.", .guess)) {
            !JSONForm.beginsAsObject($0.request.body)
        },
    ]
}

extension Fact {
    /// ``World/Authentication/any`` accepts every provider token.
    package static let everybodysToken = Fact(
        "The mock accepts every provider token. APNs verifies it.", .confirmed)
    /// ``World/UnknownTokens/accept`` accepts every device token.
    package static let unknownDevice = Fact(
        "The mock accepts unknown device tokens. APNs answers BadDeviceToken.", .observed)
}
