import APNSVocabulary

extension Check {
    static let payloadPresent = Check(
        "payload present", .payload,
        Fact("A request without a body gets PayloadEmpty.", .confirmed)
    ) { hearing in
        hearing.request.bodyByteCount == 0 ? Finding(.payloadEmpty, "The request has no body.") : nil
    }

    static let payloadSize = Check(
        "payload size", .payload,
        Fact("A body of more than 4096 bytes, of a call more than 5120, gets 413 PayloadTooLarge.", .confirmed)
    ) { hearing in
        let count = hearing.request.bodyByteCount
        // The greater limit is asked for only where the smaller one is passed: no search for the type on the way.
        guard count > APNSLimit.payloadBytes else { return nil }
        let limit = APNSLimit.payloadBytes(for: hearing.pushType)
        guard count > limit else { return nil }
        return Finding(.payloadTooLarge, "The body has \(count) bytes, the limit is \(limit).")
    }

    static let payloadJSON = Check(
        "payload JSON", .payload,
        Fact("By this mock's settings a body that is not a JSON object is an error; Apple does not say.", .guess)
    ) { hearing in
        guard let reason = hearing.world.variants.notJSONReason, !JSONForm.isObject(hearing.request.body) else {
            return nil
        }
        return Finding(
            reason, "The body is not a JSON object.",
            remedy: .changeVariant("MockVariants.notJSONReason = nil takes it."))
    }
}
