import APNSVocabulary

extension Check {
    static let providerTokenPresent = Check(
        "provider token present", .authentication, [.missingProviderToken],
        "A request without a client certificate and without a provider token gets MissingProviderToken.", .confirmed
    ) { input in
        guard case .absent = input.reading, input.connection.certificate == nil else { return nil }
        return Finding(.missingProviderToken, "The request has no authorization header, or the header has no token.")
    }

    static let authorizationScheme = Check(
        "authorization scheme", .authentication, [.invalidProviderToken],
        "An authorization header that is not of type bearer gets InvalidProviderToken. The reason is a guess.", .guess
    ) { input in
        guard case .otherScheme = input.reading else { return nil }
        return Finding(
            .invalidProviderToken, "The authorization header doesn't begin with \"bearer\" and a space.")
    }

    static let providerTokenForm = Check(
        "provider token form", .authentication, [.invalidProviderToken],
        "A provider token must be a JSON Web Token with alg, kid, iss and iat. Others get InvalidProviderToken.",
        .confirmed
    ) { input in
        guard case .malformed(let why) = input.reading else { return nil }
        return Finding(.invalidProviderToken, why)
    }

    static let algorithm = Check(
        "algorithm", .authentication, [.invalidProviderToken], "A provider token must have the algorithm ES256.",
        .confirmed
    ) { input in
        guard let token = input.providerToken, token.algorithm != "ES256" else { return nil }
        let isES512 = token.algorithm == ProviderTokenHeader.es512
        guard !isES512 || !input.apns.variants.acceptsES512Name else { return nil }
        return Finding(
            .invalidProviderToken, "The token's alg is \(Finding.quote(token.algorithm)), not \"ES256\".",
            remedy: isES512 ? .setVariant("acceptsES512Name = true", "accepts_es512_name=true") : nil)
    }

    static let encoding = Check(
        "encoding", .authentication, [.invalidProviderToken],
        "With this setting, a provider token must be in base64url. One library sends standard base64.", .guess
    ) { input in
        guard !input.apns.variants.acceptsStandardBase64, input.providerToken?.isStandardBase64 == true else {
            return nil
        }
        return Finding(
            .invalidProviderToken, "The token contains + or /, which base64url doesn't use.",
            remedy: .setVariant("acceptsStandardBase64 = true", "accepts_standard_base64=true"))
    }

    static let signatureForm = Check(
        "signature form", .authentication, [.invalidProviderToken],
        "With this setting, a signature must be 64 raw bytes. APNs also accepts DER.", .guess
    ) { input in
        guard !input.apns.variants.acceptsDERSignature, input.providerToken?.signatureForm == .der else {
            return nil
        }
        return Finding(
            .invalidProviderToken, "The signature of the token isn't in raw form: r and s, 32 bytes each.",
            remedy: .setVariant("acceptsDERSignature = true", "accepts_der_signature=true"))
    }

    static let knownKey = Check(
        "known key", .authentication, [.invalidProviderToken],
        "A provider token of a key that APNs does not know gets InvalidProviderToken.", .confirmed
    ) { input in
        guard input.apns.authentication == .trustedKeys, let token = input.providerToken else { return nil }
        guard token.signature == .unknownKey || input.trustedKey == nil else { return nil }
        if input.apns.trustedKeys[token.teamID]?.teamID == token.keyID {
            return Finding(
                .invalidProviderToken, "The token's kid is the team id, and its iss is the key id: they are swapped.",
                remedy: .acceptAnyCredentials
            )
        }
        return Finding(
            .invalidProviderToken, "The mock trusts no key with the id \(Finding.quote(token.keyID)).",
            remedy: .trustKey(keyID: token.keyID, teamID: token.teamID)
        )
    }

    static let signature = Check(
        "signature", .authentication, [.invalidProviderToken],
        "A provider token with a wrong signature gets InvalidProviderToken.", .confirmed
    ) { input in
        guard input.apns.authentication == .trustedKeys, let token = input.providerToken else { return nil }
        guard token.signature != .verified else { return nil }
        guard token.signature != .otherAlgorithm else {
            return Finding(
                .invalidProviderToken,
                """
                The trusted key \(Finding.quote(token.keyID)) signed the token, but not as its alg \
                \(Finding.quote(token.algorithm)) says. Sign with ES256: SHA-256, and r and s of 32 bytes each.
                """)
        }
        return Finding(
            .invalidProviderToken,
            "The token wasn't signed with the trusted key \(Finding.quote(token.keyID)).",
            remedy: .trustKey(keyID: token.keyID, teamID: token.teamID)
        )
    }

    static let teamOfKey = Check(
        "team of the key", .authentication, [.invalidProviderToken],
        "A provider token whose team is not the team of its key gets InvalidProviderToken.", .confirmed
    ) { input in
        guard let token = input.providerToken, let key = input.trustedKey else { return nil }
        guard token.teamID != key.teamID else { return nil }
        return Finding(
            .invalidProviderToken,
            "The token's iss is \(Finding.quote(token.teamID)), but the key is of team \(Finding.quote(key.teamID)).",
            remedy: .trustKey(keyID: token.keyID, teamID: token.teamID)
        )
    }

    static let issueTimeForm = Check(
        "issue time form", .authentication, [.invalidProviderToken],
        "With this setting, iat must be a number. APNs was observed to accept a string from one client.", .guess
    ) { input in
        guard !input.apns.variants.acceptsTextIssueTime, input.providerToken?.issueTimeIsText == true else {
            return nil
        }
        return Finding(
            .invalidProviderToken, "The token's iat is a string, not a number.",
            remedy: .setVariant("acceptsTextIssueTime = true", "accepts_text_issue_time=true"))
    }

    static let issueTimeNotAhead = Check(
        "issue time not ahead", .authentication, [.invalidProviderToken],
        "iat may be up to an hour in the future. Beyond that, the answer is InvalidProviderToken.", .guess
    ) { input in
        guard let token = input.providerToken else { return nil }
        let ahead = token.issuedAt - input.now
        guard ahead > input.apns.variants.futureTolerance / .seconds(1) else { return nil }
        return Finding(
            .invalidProviderToken,
            "The token's iat is \(whole(ahead)) seconds in the future. Is it in milliseconds, or is a clock wrong?",
            remedy: .changeVariant(
                "A larger MockVariants.futureTolerance accepts it.", setting: "future_tolerance=DURATION")
        )
    }

    static let issueTimeNotOld = Check(
        "issue time not old", .authentication, [.expiredProviderToken],
        "A provider token whose iat is more than an hour ago gets ExpiredProviderToken.", .confirmed
    ) { input in
        guard let token = input.providerToken else { return nil }
        let age = input.now - token.issuedAt
        guard age > Double(APNSLimit.providerTokenAgeSeconds) else { return nil }
        return Finding(
            .expiredProviderToken, "The token's iat is \(whole(age)) seconds ago, according to the mock's clock.")
    }

    private static func whole(_ seconds: Double) -> String {
        Int64(exactly: seconds.rounded(.up)).map(String.init) ?? "too many"
    }
}
