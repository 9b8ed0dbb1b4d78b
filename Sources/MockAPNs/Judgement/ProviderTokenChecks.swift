import APNSVocabulary

extension Check {
    static let providerTokenPresent = Check(
        "provider token present", .authentication,
        Fact("Without client certificate and provider token a request gets MissingProviderToken.", .confirmed)
    ) { hearing in
        guard case .absent = hearing.reading, hearing.connection.certificate == nil else { return nil }
        return Finding(.missingProviderToken, "The request has no authorization header, or no token in it.")
    }

    static let authorizationScheme = Check(
        "authorization scheme", .authentication,
        Fact(
            "An authorization header of another kind than bearer gets InvalidProviderToken; the word is guessed.",
            .guess)
    ) { hearing in
        guard case .otherScheme = hearing.reading else { return nil }
        return Finding(
            .invalidProviderToken, "The authorization header does not begin with \"bearer\" and a space.")
    }

    static let providerTokenForm = Check(
        "provider token form", .authentication,
        Fact("What is not a JSON Web Token with alg, kid, iss and iat gets InvalidProviderToken.", .confirmed)
    ) { hearing in
        guard case .malformed(let why) = hearing.reading else { return nil }
        return Finding(.invalidProviderToken, why)
    }

    static let algorithm = Check(
        "algorithm", .authentication,
        Fact("ES256 is the only algorithm of provider tokens.", .confirmed)
    ) { hearing in
        guard let token = hearing.providerToken, token.algorithm != "ES256" else { return nil }
        let isES512 = token.algorithm == "ES512"
        guard !isES512 || !hearing.world.variants.acceptsES512Name else { return nil }
        return Finding(
            .invalidProviderToken, "The token's alg is \(Finding.quote(token.algorithm)), not \"ES256\".",
            remedy: isES512 ? .changeVariant("MockVariants.acceptsES512Name = true takes it.") : nil)
    }

    static let encoding = Check(
        "encoding", .authentication,
        Fact("By this mock's settings a provider token is in base64url; one library writes standard base64.", .guess)
    ) { hearing in
        guard !hearing.world.variants.acceptsStandardBase64, hearing.providerToken?.isStandardBase64 == true else {
            return nil
        }
        return Finding(
            .invalidProviderToken, "The token has + or /, which are not in the alphabet of base64url.",
            remedy: .changeVariant("MockVariants.acceptsStandardBase64 = true takes it.")
        )
    }

    static let signatureForm = Check(
        "signature form", .authentication,
        Fact("By this mock's settings a signature is 64 raw bytes; APNs takes DER as well.", .guess)
    ) { hearing in
        guard !hearing.world.variants.acceptsDERSignature, hearing.providerToken?.signatureForm == .der else {
            return nil
        }
        return Finding(
            .invalidProviderToken, "The signature of the token is not r and s in 64 bytes.",
            remedy: .changeVariant("MockVariants.acceptsDERSignature = true takes it.")
        )
    }

    static let knownKey = Check(
        "known key", .authentication,
        Fact("A token of a key that APNs does not know gets InvalidProviderToken.", .confirmed)
    ) { hearing in
        guard hearing.world.authentication == .trustedKeys, let token = hearing.providerToken else { return nil }
        guard token.signature == .unknownKey || hearing.trustedKey == nil else { return nil }
        if hearing.world.trustedKeys[token.teamID]?.teamID == token.keyID {
            return Finding(
                .invalidProviderToken, "The token's kid is the team id, and its iss the key id: the two are swapped.",
                remedy: .acceptAnyCredentials
            )
        }
        return Finding(
            .invalidProviderToken, "The mock trusts no key with the id \(Finding.quote(token.keyID)).",
            remedy: .trustKey(keyID: token.keyID, teamID: token.teamID)
        )
    }

    static let signature = Check(
        "signature", .authentication,
        Fact("A token whose signature does not hold gets InvalidProviderToken.", .confirmed)
    ) { hearing in
        guard hearing.world.authentication == .trustedKeys, let token = hearing.providerToken else { return nil }
        guard token.signature != .verified else { return nil }
        return Finding(
            .invalidProviderToken,
            "The token was not signed by the key that the mock knows as \(Finding.quote(token.keyID)).",
            remedy: .trustKey(keyID: token.keyID, teamID: token.teamID)
        )
    }

    static let teamOfKey = Check(
        "team of the key", .authentication,
        Fact("A token that names another team than its key's gets InvalidProviderToken.", .confirmed)
    ) { hearing in
        guard let token = hearing.providerToken, let key = hearing.trustedKey else { return nil }
        guard token.teamID != key.teamID else { return nil }
        return Finding(
            .invalidProviderToken,
            "The token's iss is \(Finding.quote(token.teamID)), but the key is of team \(Finding.quote(key.teamID)).",
            remedy: .trustKey(keyID: token.keyID, teamID: token.teamID)
        )
    }

    static let issueTimeForm = Check(
        "issue time form", .authentication,
        Fact("By this mock's settings iat is a number; APNs was seen to take text from one client.", .guess)
    ) { hearing in
        guard !hearing.world.variants.acceptsTextIssueTime, hearing.providerToken?.issueTimeIsText == true else {
            return nil
        }
        return Finding(
            .invalidProviderToken, "The token's iat is text, not a number.",
            remedy: .changeVariant("MockVariants.acceptsTextIssueTime = true takes it.")
        )
    }

    static let issueTimeNotAhead = Check(
        "issue time not ahead", .authentication,
        Fact("iat may be up to an hour ahead of the clock; beyond that the answer is InvalidProviderToken.", .guess)
    ) { hearing in
        guard let token = hearing.providerToken else { return nil }
        let ahead = token.issuedAt - hearing.now
        guard ahead > hearing.world.variants.futureToleranceSeconds else { return nil }
        return Finding(
            .invalidProviderToken,
            "The token's iat is \(whole(ahead)) seconds in the future: is it in milliseconds, or is a clock wrong?",
            remedy: .changeVariant("A greater MockVariants.futureToleranceSeconds takes it.")
        )
    }

    static let issueTimeNotOld = Check(
        "issue time not old", .authentication,
        Fact("A token whose iat is more than an hour ago gets ExpiredProviderToken.", .confirmed)
    ) { hearing in
        guard let token = hearing.providerToken else { return nil }
        let age = hearing.now - token.issuedAt
        guard age > Double(APNSLimit.providerTokenAgeSeconds) else { return nil }
        return Finding(.expiredProviderToken, "The token's iat is \(whole(age)) seconds ago, by the mock's clock.")
    }

    private static func whole(_ seconds: Double) -> String {
        Int64(exactly: seconds.rounded(.up)).map(String.init) ?? "too many"
    }
}
