import APNSVocabulary

extension Check {
    static let teamOfConnection = Check(
        "team of the connection", .authentication,
        Fact("A provider token of a second team on a connection gets InvalidProviderToken.", .observed)
    ) { hearing in
        guard let token = hearing.providerToken, let team = hearing.connection.teamID else { return nil }
        guard token.teamID != team else { return nil }
        return Finding(
            hearing.world.variants.secondTeamReason,
            """
            The token is of team \(Finding.quote(token.teamID)), but the connection started with \(Finding.quote(team)).
            """
        )
    }

    static let keyOfConnection = Check(
        "key of the connection", .authentication,
        Fact(
            """
            A connection that started with a topic-specific key accepts only this key and its related key. A \
            topic-specific key cannot be used on the connection of another key. Otherwise: UnrelatedKeyIdInToken.
            """,
            .apple
        )
    ) { hearing in
        guard let key = hearing.trustedKey, let firstID = hearing.connection.firstKeyID, firstID != key.keyID else {
            return nil
        }
        guard let first = hearing.world.trustedKeys[firstID], !first.mayShareConnection(with: key) else { return nil }
        return Finding(
            .unrelatedKeyIDInToken,
            """
            The token is of key \(Finding.quote(key.keyID)), but the connection started with \(Finding.quote(firstID)).
            """
        )
    }

    static let environmentOfKey = Check(
        "environment of the key", .authentication,
        Fact(
            """
            A key of the other environment gets BadEnvironmentKeyInToken. Apple's page spells it \
            BadEnvironmentKeyIdInToken.
            """,
            .observed
        )
    ) { hearing in
        let environment = hearing.world.environment
        guard let key = hearing.trustedKey, !key.isFor(environment) else { return nil }
        return Finding(
            hearing.world.variants.environmentReason,
            "The key \(Finding.quote(key.keyID)) is not valid for \(environment), which this mock simulates.",
            remedy: .simulateEnvironment(environment == .sandbox ? .production : .sandbox)
        )
    }

    static let tokenUpdates = Check(
        "token updates", .authentication,
        Fact(
            """
            A connection may get a new provider token every 20 minutes. A new one before that gets \
            TooManyProviderTokenUpdates. It is a guess that the time counts from one iat to the next: the logs of one \
            sender suggest that it starts with the first use.
            """,
            .hint
        )
    ) { hearing in
        guard let token = hearing.providerToken, let current = hearing.connection.currentToken else { return nil }
        guard token.issuedAt != current.issuedAt else { return nil }
        let seconds =
            switch hearing.world.variants.tokenUpdateRule {
            case .sinceFirstUse: hearing.now - current.firstSeen
            case .betweenIssueTimes: token.issuedAt - current.issuedAt
            }
        guard seconds < Double(APNSLimit.providerTokenUpdateSeconds) else { return nil }
        return Finding(
            .tooManyProviderTokenUpdates,
            "The connection got a token with another iat before 20 minutes had passed.",
            remedy: hearing.world.variants.tokenUpdateRule == .sinceFirstUse
                ? .changeVariant("MockVariants.tokenUpdateRule = .betweenIssueTimes counts from one iat to the next.")
                : nil
        )
    }
}
