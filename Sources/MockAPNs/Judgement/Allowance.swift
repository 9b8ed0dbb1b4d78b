import APNSVocabulary

/// A case in which the mock accepts a request though it is not sure that APNs would.
struct Allowance: Sendable {
    let fact: Fact
    let applies: @Sendable (Hearing) -> Bool

    init(_ fact: Fact, when applies: @escaping @Sendable (Hearing) -> Bool) {
        self.fact = fact
        self.applies = applies
    }

    /// The facts behind all allowances that an accepted request has needed.
    static func needed(by hearing: Hearing) -> [Fact] {
        var which = 0
        for index in table.indices where table[index].applies(hearing) { which |= 1 << index }
        if which < combinations.count { return combinations[which] }
        return table.indices.filter { which & 1 << $0 != 0 }.map { table[$0].fact }
    }

    /// How many allowances at the beginning of the table are common.
    private static let commonCount = 6
    /// Every choice of the common facts, by the bits of their indices in the table: most requests need the same few, and share
    /// them.
    private static let combinations: [[Fact]] = (0..<1 << commonCount).map { which in
        table.indices.filter { which & 1 << $0 != 0 }.map { table[$0].fact }
    }

    /// What is known of streams that come before the client has acknowledged the limit.
    static let earlyStreamFact = Fact(
        """
        The stream was opened beyond the limit of SETTINGS that the client had not acknowledged; what APNs does then is not \
        known.
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
                "The client does not agree on HTTP/2 by ALPN; several such senders have worked with APNs for years.",
                .confirmed)
        ) {
            !$0.connection.agreedOnHTTP2
        },
        Allowance(earlyStreamFact) { $0.request.isBeyondStreamLimit },
        Allowance(Fact("iat is text; one client writes it so, and APNs takes it.", .hint)) {
            $0.providerToken?.issueTimeIsText == true
        },
        Allowance(
            Fact("The provider token is in standard base64, not in base64url; one library writes it so.", .hint)
        ) {
            $0.providerToken?.isStandardBase64 == true
        },
        Allowance(
            Fact("The alg of the provider token is ES512, its signature is ES256; one library writes it so.", .hint)
        ) {
            $0.providerToken?.algorithm == "ES512"
        },
        Allowance(Fact("A header that is not one of APNs' came twice; whether APNs counts it is not known.", .guess)) {
            $0.request.otherRepeatedHeader != nil
        },
        Allowance(Fact("The apns-id has upper-case letters; whether APNs takes them is not known.", .guess)) {
            $0.idLetters == .upper
        },
        Allowance(Fact("The expiration has passed; APNs probably tries once and does not store.", .guess)) {
            $0.hasPastExpiration
        },
        Allowance(Fact("A background push without priority counts as 10, which Apple calls an error.", .guess)) {
            $0.request.pushType == .background && $0.request.priority == nil
        },
        Allowance(Fact("A fileprovider push with another priority than 5, which one library calls an error.", .hint)) {
            $0.request.pushType == .fileprovider && $0.request.priority != "5"
        },
        Allowance(Fact("The topic ends as if for another push type; it may be the app's own name.", .guess)) {
            guard let suffix = $0.topicSuffix, $0.request.pushType?.topicSuffix == "" else { return false }
            return Check.ambiguousSuffixes.contains(suffix)
        },
        Allowance(Fact("The body does not begin as a JSON object; what APNs does then is not known.", .guess)) {
            !JSONForm.beginsAsObject($0.request.body)
        },
    ]
}

extension Fact {
    /// ``World/Authentication/any`` accepts every provider token.
    package static let everybodysToken = Fact(
        "The mock takes everybody's provider token; APNs verifies them.", .confirmed)
    /// ``World/UnknownTokens/accept`` accepts every device token.
    package static let unknownDevice = Fact(
        "The mock takes unknown device tokens; APNs answers BadDeviceToken.", .observed)
}
