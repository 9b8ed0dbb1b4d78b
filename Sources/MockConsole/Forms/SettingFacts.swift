import APNSVocabulary
package import MockAPNs

/// What is known about APNs where a setting changes the mock, and how certain it is.
package enum SettingFacts {
    /// The facts by the name of the setting in JSON. A test compares the names with ``SettingsForm/names``.
    package static let all: [String: MockFact] = Dictionary(
        uniqueKeysWithValues: known.map { name, known in
            let id = "setting-\(name.replacing("_", with: "-"))"
            return (name, MockFact(id: id, known.statement, known.confidence))
        })

    private static let known: [String: (statement: String, confidence: MockFactConfidence)] = [
        "unknown_tokens": ("A device token that was never issued gets BadDeviceToken.", .observed),
        "magic_tokens": ("APNs has no device tokens with fixed answers.", .confirmed),
        "seed": ("The random choices of faults are the mock's own.", .confirmed),
        "refuses_early_streams": (
            "It is unknown what APNs does with streams above the limit before the client has acknowledged it.", .guess
        ),
        "streams_before_authentication": (
            "A connection without a certificate may have one stream until its first provider token is accepted.",
            .confirmed
        ),
        "streams_after_authentication": (
            "APNs announced 500 streams in 2016, 1500 in 2019 and 1000 since 2021. Apple names no number.", .confirmed
        ),
        "falls_to_one_stream": (
            "A rejection can lower the limit to one stream, and the next acceptance restores it. It was not always observed.",
            .confirmed
        ),
        "errors_before_goaway": (
            """
            APNs disconnects after too many errors, sooner for BadDeviceToken; 410 does not count. The number and the form of \
            the disconnect are guesses.
            """, .apple
        ),
        "idle_time": ("There is a reason IdleTimeout. Apple names no time.", .guess),
        "silence_after": (
            "Routers and firewalls drop idle connections without telling either side. APNs itself does not.", .confirmed
        ),
        "announced_window": ("APNs announces a window of 65,535 bytes for each stream.", .observed),
        "announced_header_list_size": ("APNs announces a maximum header list of 8000 bytes.", .observed),
        "announced_frame_size": ("APNs announces a maximum frame of 16,384 bytes.", .observed),
        "environment_reason": (
            "A key for the other environment gets BadEnvironmentKeyInToken. Apple's page spells it BadEnvironmentKeyIdInToken.",
            .observed
        ),
        "second_team_reason": (
            "A provider token of a second team on a connection is an error. Apple does not name the reason.", .observed
        ),
        "future_tolerance": (
            "It is unknown how far iat may be in the future, and what a later one gets.", .guess
        ),
        "accepts_text_issue_time": ("Two clients send iat as a string, and APNs accepts it.", .hint),
        "accepts_der_signature": (
            "Several clients send the signature in DER form, and APNs accepts it.", .observed
        ),
        "accepts_standard_base64": ("One library sends provider tokens in standard base64.", .hint),
        "accepts_es512_name": ("One library sends ES512 as alg, with a SHA-512 signature of 132 bytes.", .hint),
        "counts_token_updates_by_use": (
            "It is unknown whether the 20 minutes between two provider tokens start with iat or with the first use.",
            .hint
        ),
        "refuses_certificates_by_goaway": (
            "APNs was observed to refuse a certificate with a GOAWAY. Apple's page has a 403 for each request.",
            .observed
        ),
        "topic_outside_certificate_reason": (
            "A topic that the certificate does not name gets TopicDisallowed. Another mock answers BadTopic.", .guess
        ),
        "mdm_without_mdm_certificate_reason": (
            "An mdm push needs the MDM certificate. It is unknown what APNs answers to the certificate of an app.",
            .guess
        ),
        "accepts_upper_case_apns_id": (
            "It is unknown whether an apns-id may have upper-case letters. Apple calls lower case canonical.", .guess
        ),
        "generates_lower_case_apns_id": (
            "APNs was seen to answer with upper-case letters in an apns-id that it generates.", .observed
        ),
        "uncovered_topic_reason": (
            "It is unknown what APNs answers for a topic that a topic-specific key does not cover.", .guess
        ),
        "push_types": (
            "Apple adds push types, and this mock knows those of November 2026. An unknown one gets InvalidPushType.",
            .confirmed
        ),
        "topic_against_push_type_reason": (
            "Most push types need a topic with their suffix. What another topic gets is unknown.", .guess
        ),
        "urgent_background_reason": (
            "Apple calls priority 10 an error for a background push, and does not name the reason.", .guess
        ),
        "past_expiration_reason": ("It is unknown whether an expiration in the past is an error.", .guess),
        "apps_without_broadcast": ("An app whose broadcast capability is off gets FeatureNotEnabled.", .apple),
        "channel_limit": ("An app has at most 10,000 channels in an environment.", .apple),
        "not_json_reason": ("It is unknown what APNs answers to a body that is not a JSON object.", .guess),
        "answers": (
            "Each check is based on a fact, some of them guesses. pushsend verify asks a server, and finds those that differ.",
            .guess
        ),
        "export_status": ("An export of delivery counts is PROCESSING, SUCCESS, FAILED or EXPIRED.", .apple),
        "export_time": ("Apple does not say how long it makes an export.", .guess),
        "device_rate_limit": (
            "Too many consecutive requests for one device token get TooManyRequests. The limit is unknown.", .guess
        ),
    ]
}
