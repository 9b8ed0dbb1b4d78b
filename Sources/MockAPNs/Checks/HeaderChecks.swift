import APNSVocabulary
import PushPlatform

extension Check {
    static let messageID = Check(
        "apns-id", .headers, [.badMessageID], "An apns-id that is not a UUID in the form 8-4-4-4-12 gets BadMessageId.",
        .confirmed
    ) { input in
        guard let id = input.request.id else { return nil }
        guard let letters = input.idLetters else {
            return Finding(.badMessageID, "The apns-id is \(Finding.quote(id)), which isn't a UUID.")
        }
        guard letters == .upper, !input.apns.variants.acceptsUpperCaseMessageID else { return nil }
        return Finding(
            .badMessageID, "The apns-id has upper-case letters.",
            remedy: .setVariant("acceptsUpperCaseMessageID = true", "accepts_upper_case_apns_id=true"))
    }

    static let priorityKnown = Check(
        "priority known", .headers, [.badPriority], "A priority other than 10, 5 and 1 gets BadPriority.", .confirmed
    ) { input in
        guard let priority = input.request.priority, !["10", "5", "1"].contains(priority) else { return nil }
        return Finding(.badPriority, "The apns-priority is \(Finding.quote(priority)), not 10, 5 or 1.")
    }

    static let priorityOfBackground = Check(
        "priority of background", .headers, [.badPriority], setting: "urgentBackgroundReason",
        "Apple says that priority 10 is an error for a background push. The reason BadPriority is a guess.", .guess
    ) { input in
        guard let reason = input.apns.variants.urgentBackgroundReason else { return nil }
        guard input.request.pushType == .background, input.request.priority == "10" else { return nil }
        return Finding(
            reason, "The apns-priority of a background push is 10; it must be 5.",
            remedy: .setVariant("urgentBackgroundReason = nil", "urgent_background_reason=null"))
    }

    static let expirationForm = Check(
        "expiration form", .headers, [.badExpirationDate],
        "An expiration that is not a whole number of UNIX seconds gets BadExpirationDate.", .confirmed
    ) { input in
        guard let expiration = input.request.expiration, input.expirationSeconds == nil else { return nil }
        return Finding(
            .badExpirationDate,
            "The apns-expiration is \(Finding.quote(expiration)), not 0 or a number of seconds since 1970."
        )
    }

    static let expirationNotPast = Check(
        "expiration not past", .headers, [.badExpirationDate], setting: "pastExpirationReason",
        "With this setting, an expiration in the past is an error. Apple does not document it.", .guess
    ) { input in
        guard let reason = input.apns.variants.pastExpirationReason, input.hasPastExpiration else { return nil }
        return Finding(
            reason, "The apns-expiration is in the past, according to the mock's clock.",
            remedy: .setVariant("pastExpirationReason = nil", "past_expiration_reason=null"))
    }

    static let collapseIDLength = Check(
        "collapse id length", .headers, [.badCollapseID], "A collapse id of more than 64 bytes gets BadCollapseId.",
        .confirmed
    ) { input in
        let count = input.request.collapseID?.utf8.count ?? 0
        guard count > APNSLimit.collapseIDBytes else { return nil }
        return Finding(
            .badCollapseID,
            "The apns-collapse-id is \(count) bytes in UTF-8, the limit is \(APNSLimit.collapseIDBytes)."
        )
    }
}

extension CheckInput {
    /// The expiration in seconds since 1970; `nil` if there is none, or if it is malformed. `Int64.init` alone would also accept a sign.
    fileprivate var expirationSeconds: Int64? {
        request.expiration.flatMap { $0.utf8.allSatisfy(\.isASCIIDigit) ? Int64($0) : nil }
    }

    /// Whether APNs tries only once: the expiration is 0 or in the past.
    var isTriedOnce: Bool { hasPastExpiration || expirationSeconds == 0 }

    /// Whether the expiration is in the past. 0 never is: it means a single attempt.
    var hasPastExpiration: Bool {
        guard let seconds = expirationSeconds else { return false }
        return seconds != 0 && Double(seconds) < now.timeIntervalSince1970
    }

    /// Whether the expiration is after the year 5138: in milliseconds, that is after March 1973.
    var hasFarExpiration: Bool { expirationSeconds ?? 0 > 100_000_000_000 }
}
