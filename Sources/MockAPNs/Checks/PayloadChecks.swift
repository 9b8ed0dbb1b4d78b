import APNSVocabulary

extension Check {
    static let payloadPresent = Check(
        "payload present", .payload, [.payloadEmpty], "A request without a body gets PayloadEmpty.", .confirmed
    ) { input in
        input.request.bodyByteCount == 0 ? Finding(.payloadEmpty, "The request has no body.") : nil
    }

    static let payloadSize = Check(
        "payload size", .payload, [.payloadTooLarge],
        "A body of more than 4096 bytes gets 413 PayloadTooLarge. For calls the limit is 5120 bytes.", .confirmed
    ) { input in
        let count = input.request.bodyByteCount
        // The limit of the push type is looked up only if the body exceeds the smaller limit: the lookup is slow.
        guard count > APNSLimit.payloadBytes else { return nil }
        let limit = APNSLimit.payloadBytes(for: input.pushType)
        guard count > limit else { return nil }
        return Finding(.payloadTooLarge, "The body is \(count) bytes, the limit is \(limit).")
    }

    static let payloadJSON = Check(
        "payload JSON", .payload, [.payloadEmpty], setting: "notJSONReason",
        "With this setting, a body that is not a JSON object is an error. Apple does not document it.", .guess
    ) { input in
        guard let reason = input.apns.variants.notJSONReason, !JSONForm.isObject(input.request.body) else {
            return nil
        }
        return Finding(
            reason, "The body isn't a JSON object.",
            remedy: .setVariant("notJSONReason = nil", "not_json_reason=null"))
    }
}
