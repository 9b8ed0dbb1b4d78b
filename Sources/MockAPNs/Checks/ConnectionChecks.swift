import APNSVocabulary

extension Check {
    static let teamOfConnection = Check(
        "team of the connection", .authentication, [.invalidProviderToken], setting: "secondTeamReason",
        "A provider token of a second team on a connection gets InvalidProviderToken.", .observed
    ) { input in
        guard let token = input.providerToken, let team = input.connection.teamID else { return nil }
        guard token.teamID != team else { return nil }
        return Finding(
            input.apns.variants.secondTeamReason,
            """
            The token is of team \(Finding.quote(token.teamID)), but the connection started with \(Finding.quote(team)).
            """
        )
    }

    static let keyOfConnection = Check(
        "key of the connection", .authentication, [.unrelatedKeyIDInToken],
        """
        A connection that started with a topic-specific key accepts only this key and its related key. A \
        topic-specific key cannot be used on the connection of another key. Otherwise: UnrelatedKeyIdInToken.
        """, .apple
    ) { input in
        guard let key = input.trustedKey, let firstID = input.connection.firstKeyID, firstID != key.keyID else {
            return nil
        }
        guard let first = input.apns.trustedKeys[firstID], !first.mayShareConnection(with: key) else { return nil }
        return Finding(
            .unrelatedKeyIDInToken,
            """
            The token is of key \(Finding.quote(key.keyID)), but the connection started with \(Finding.quote(firstID)).
            """
        )
    }

    static let environmentOfKey = Check(
        "environment of the key", .authentication, [.badEnvironmentKeyInToken, .badEnvironmentKeyIDInToken],
        setting: "environmentReason",
        """
        A key for the other environment gets BadEnvironmentKeyInToken. Apple's page spells it \
        BadEnvironmentKeyIdInToken.
        """, .observed
    ) { input in
        let environment = input.environment
        guard let key = input.trustedKey, !key.isFor(environment) else { return nil }
        return Finding(
            input.apns.variants.environmentReason,
            "The key \(Finding.quote(key.keyID)) isn't valid for \(environment), which \(input.servedBy).",
            remedy: input.remedyForOtherEnvironment
        )
    }

    static let tokenUpdates = Check(
        "token updates", .authentication, [.tooManyProviderTokenUpdates],
        """
        A connection may get a new provider token every 20 minutes. A new one before that gets \
        TooManyProviderTokenUpdates. It is a guess that the time counts from one iat to the next: the logs of one \
        sender suggest that it starts with the first use.
        """, .hint
    ) { input in
        guard let token = input.providerToken, let current = input.connection.currentToken else { return nil }
        guard token.issuedAt != current.issuedAt else { return nil }
        let countsByUse = input.apns.variants.countsTokenUpdatesByUse
        let seconds = countsByUse ? input.now - current.firstSeen : token.issuedAt - current.issuedAt
        guard seconds < Double(APNSLimit.providerTokenUpdateSeconds) else { return nil }
        return Finding(
            .tooManyProviderTokenUpdates,
            "The connection got a token with another iat before 20 minutes had passed.",
            remedy: countsByUse
                ? .changeVariant(
                    "MockVariants.countsTokenUpdatesByUse = false counts from one iat to the next.",
                    setting: "counts_token_updates_by_use=false")
                : nil
        )
    }
}
