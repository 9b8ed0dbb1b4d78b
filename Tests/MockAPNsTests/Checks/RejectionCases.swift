import APNSVocabulary
import MockAPNs

/// One fault for each line; every check has at least one.
enum RejectionCases {
    static let all = certificate + form + providerToken + connection + headers + payload + device + channels

    static let certificate = [
        RejectionCase("a certificate of somebody else", "client certificate", .badCertificate, 403, .observed) {
            $0.connection = Trial.certified(trust: .untrusted)
        },
        RejectionCase("a certificate that has expired", "client certificate", .badCertificate, 403, .observed) {
            $0.connection = Trial.certified(trust: .expired)
        },
        RejectionCase("a certificate of tomorrow", "client certificate", .badCertificate, 403, .observed) {
            $0.connection = Trial.certified(trust: .notYetValid)
        },
        RejectionCase("a certificate that signs apps", "client certificate", .badCertificate, 403, .observed) {
            $0.connection = Trial.certified(trust: .notForPushes)
        },
        RejectionCase(
            "a certificate of production", "environment of the certificate", .badCertificateEnvironment, 403, .observed
        ) {
            $0.connection = Trial.certified(environments: [.production])
        },
        RejectionCase("several topics and none named", "topic present", .missingTopic, 400) {
            $0.connection = Trial.certified(topics: ["com.example.app", "com.example.app.voip"])
            $0.headers["apns-topic"] = nil
        },
        RejectionCase("a certificate that names none", "topic present", .missingTopic, 400) {
            $0.connection = Trial.certified(topics: [])
            $0.headers["apns-topic"] = nil
        },
        RejectionCase("a topic of another app", "topic of the certificate", .topicDisallowed, 400, .guess) {
            $0.connection = Trial.certified(topics: ["com.example.other"])
        },
        RejectionCase("calls by a certificate for alerts", "topic of the certificate", .topicDisallowed, 400, .guess) {
            $0.connection = Trial.certified()
            $0.headers["apns-topic"] = "com.example.app.voip"
            $0.headers["apns-push-type"] = "voip"
        },
        RejectionCase(
            "a Live Activity by a certificate that lists it", "push type of the certificate", .topicDisallowed, 400,
            .observed
        ) {
            $0.connection = Trial.certified(topics: ["com.example.app", "com.example.app.push-type.liveactivity"])
            $0.headers["apns-topic"] = "com.example.app.push-type.liveactivity"
            $0.headers["apns-push-type"] = "liveactivity"
        },
        RejectionCase(
            "a location push by a certificate, by its topic alone", "push type of the certificate", .topicDisallowed,
            400,
            .observed
        ) {
            $0.connection = Trial.certified(topics: [])
            $0.headers["apns-topic"] = "com.example.app.location-query"
            $0.headers["apns-push-type"] = nil
        },
        RejectionCase("mdm by the certificate of an app", "mdm of the certificate", .topicDisallowed, 400, .guess) {
            $0.connection = Trial.certified()
            $0.headers["apns-push-type"] = "mdm"
        },
        RejectionCase("the same in another mock's word", "topic of the certificate", .badTopic, 400, .guess) {
            $0.connection = Trial.certified(topics: ["com.example.other"])
            $0.apns.variants.topicOutsideCertificateReason = .badTopic
        },
    ]

    static let form = [
        RejectionCase("GET", "method", .methodNotAllowed, 405) { $0.method = "GET" },
        RejectionCase("post in small letters", "method", .methodNotAllowed, 405) { $0.method = "post" },
        RejectionCase("another path", "path", .badPath, 404) { $0.path = "/3/devices/\(Trial.hex)" },
        RejectionCase("an older version", "path", .badPath, 404) { $0.path = "/2/device/\(Trial.hex)" },
        RejectionCase("a word behind the token", "path", .badPath, 404) { $0.path = "/3/device/\(Trial.hex)/more" },
        RejectionCase("a known header twice", "repeated headers", .duplicateHeaders, 400) {
            $0.moreFields = [.init("apns-topic", "com.example.app")]
        },
        RejectionCase("the push type twice", "repeated headers", .duplicateHeaders, 400) {
            $0.moreFields = [.init("apns-push-type", "alert")]
        },
        RejectionCase("two provider tokens", "repeated headers", .duplicateHeaders, 400) {
            $0.moreFields = [.init("authorization", "bearer a"), .init("authorization", "bearer a")]
        },
        RejectionCase("an unknown APNs header twice", "repeated headers", .duplicateHeaders, 400) {
            $0.moreFields = [.init("apns-new", "1"), .init("x-other", "1"), .init("apns-new", "2")]
        },
    ]

    static let providerToken = [
        RejectionCase("no provider token", "provider token present", .missingProviderToken, 403) {
            $0.reading = .absent
        },
        RejectionCase("no JWT", "provider token form", .invalidProviderToken, 403) {
            $0.reading = .malformed("The token is cut off.")
        },
        RejectionCase("Basic", "authorization scheme", .invalidProviderToken, 403, .guess) {
            $0.reading = .otherScheme
        },
        RejectionCase("standard base64 by setting", "encoding", .invalidProviderToken, 403, .guess) {
            $0.token = Trial.token(isStandardBase64: true)
            $0.apns.variants.acceptsStandardBase64 = false
        },
        RejectionCase("ES512 by setting", "algorithm", .invalidProviderToken, 403) {
            $0.token = Trial.token(algorithm: "ES512")
            $0.apns.variants.acceptsES512Name = false
        },
        RejectionCase("another algorithm", "algorithm", .invalidProviderToken, 403) {
            $0.token = Trial.token(algorithm: "RS256")
        },
        RejectionCase("DER where raw is demanded", "signature form", .invalidProviderToken, 403, .guess) {
            $0.token = Trial.token(signatureForm: .der)
            $0.apns.variants.acceptsDERSignature = false
        },
        RejectionCase("a key id that nobody knows", "known key", .invalidProviderToken, 403) {
            $0.token = Trial.token(keyID: "ZZZZZZZZZZ", signature: .unknownKey)
        },
        RejectionCase("a key that only the reader knows", "known key", .invalidProviderToken, 403) {
            $0.token = Trial.token(keyID: "ZZZZZZZZZZ")
        },
        RejectionCase("a key that only the mock knows", "known key", .invalidProviderToken, 403) {
            $0.token = Trial.token(signature: .unknownKey)
        },
        RejectionCase("signed by another key", "signature", .invalidProviderToken, 403) {
            $0.token = Trial.token(signature: .wrong)
        },
        RejectionCase("signed with another algorithm than its own", "signature", .invalidProviderToken, 403) {
            $0.token = Trial.token(algorithm: "ES512", signature: .otherAlgorithm)
        },
        RejectionCase("a signature that nobody looked at", "signature", .invalidProviderToken, 403) {
            $0.token = Trial.token(signature: .notChecked)
        },
        RejectionCase("another team than the key's", "team of the key", .invalidProviderToken, 403) {
            $0.token = Trial.token(teamID: "TEAM000002")
        },
        RejectionCase("iat as text where a number is demanded", "issue time form", .invalidProviderToken, 403, .guess) {
            $0.token = Trial.token(issueTimeIsText: true)
            $0.apns.variants.acceptsTextIssueTime = false
        },
        RejectionCase("iat far ahead", "issue time not ahead", .invalidProviderToken, 403, .guess) {
            $0.token = Trial.token(age: -3601)
        },
        RejectionCase("iat long ago", "issue time not old", .expiredProviderToken, 403) {
            $0.token = Trial.token(age: 3601)
        },
    ]

    static let connection = [
        RejectionCase("a second team", "team of the connection", .invalidProviderToken, 403, .observed) {
            $0.apns.trust(MockTrustedKey(keyID: "KEY0000002", teamID: "TEAM000002"))
            $0.token = Trial.token(keyID: "KEY0000002", teamID: "TEAM000002")
            $0.connection = Trial.connection()
        },
        RejectionCase("a topic key after the team's", "key of the connection", .unrelatedKeyIDInToken, 403, .apple) {
            $0.apns.trust(MockTrustedKey(keyID: "KEY0000002", teamID: Trial.key.teamID, topics: ["com.example.app"]))
            $0.token = Trial.token(keyID: "KEY0000002")
            $0.connection = Trial.connection()
        },
        RejectionCase("a key of production", "environment of the key", .badEnvironmentKeyInToken, 403, .observed) {
            $0.apns.trust(
                MockTrustedKey(keyID: Trial.key.keyID, teamID: Trial.key.teamID, environments: [.production]))
        },
        RejectionCase("the documented word", "environment of the key", .badEnvironmentKeyIDInToken, 403, .observed) {
            $0.apns.environment = .production
            $0.apns.variants.environmentReason = .badEnvironmentKeyIDInToken
            $0.apns.trust(MockTrustedKey(keyID: Trial.key.keyID, teamID: Trial.key.teamID, environments: [.sandbox]))
        },
        RejectionCase("a new token too soon", "token updates", .tooManyProviderTokenUpdates, 429, .hint) {
            $0.connection = Trial.connection(with: Trial.token(age: 1800), at: Trial.now.later(by: -1199))
            $0.apns.variants.countsTokenUpdatesByUse = true
        },
        RejectionCase("two iats too close", "token updates", .tooManyProviderTokenUpdates, 429, .hint) {
            $0.connection = Trial.connection(with: Trial.token(age: 1259), at: Trial.now.later(by: -9000))
        },
    ]

    static let headers = [
        RejectionCase("an apns-id of words", "apns-id", .badMessageID, 400) { $0.headers["apns-id"] = "my-own-id" },
        RejectionCase("an empty apns-id", "apns-id", .badMessageID, 400) { $0.headers["apns-id"] = "" },
        RejectionCase("an apns-id without hyphens", "apns-id", .badMessageID, 400) {
            $0.headers["apns-id"] = "123e4567ae89ba12d3aa456a4266554400a0"
        },
        RejectionCase("an apns-id with a foreign letter", "apns-id", .badMessageID, 400) {
            $0.headers["apns-id"] = "123e4567-e89b-12d3-a456-4266554400g0"
        },
        RejectionCase("an upper-case apns-id where lower is demanded", "apns-id", .badMessageID, 400) {
            $0.headers["apns-id"] = Trial.id.uppercased()
            $0.apns.variants.acceptsUpperCaseMessageID = false
        },
        RejectionCase("no topic", "topic present", .missingTopic, 400) { $0.headers["apns-topic"] = nil },
        RejectionCase("an empty topic", "topic present", .missingTopic, 400) { $0.headers["apns-topic"] = "" },
        RejectionCase("a topic with a space", "topic form", .badTopic, 400, .guess) {
            $0.headers["apns-topic"] = "com.example app"
        },
        RejectionCase("a topic in brackets", "topic form", .badTopic, 400, .guess) {
            $0.headers["apns-topic"] = "<com.example.app>"
        },
        RejectionCase("a suffix alone", "topic form", .badTopic, 400, .guess) { $0.headers["apns-topic"] = ".voip" },
        RejectionCase("a topic with a hole", "topic form", .badTopic, 400, .guess) {
            $0.headers["apns-topic"] = "com..app"
        },
        RejectionCase("a topic with a dot at its end", "topic form", .badTopic, 400, .guess) {
            $0.headers["apns-topic"] = "com.example."
        },
        RejectionCase("a topic outside the key", "topic of the key", .topicDisallowed, 400, .guess) {
            $0.apns.trust(
                MockTrustedKey(keyID: Trial.key.keyID, teamID: Trial.key.teamID, topics: ["com.example.other"]))
        },
        RejectionCase("an unknown push type", "push type known", .invalidPushType, 400) {
            $0.headers["apns-push-type"] = "hologram"
        },
        RejectionCase("a push type in capitals", "push type known", .invalidPushType, 400) {
            $0.headers["apns-push-type"] = "Alert"
        },
        RejectionCase("an empty push type", "push type known", .invalidPushType, 400) {
            $0.headers["apns-push-type"] = ""
        },
        RejectionCase("a Live Activity to the bundle id", "topic of the push type", .topicDisallowed, 400, .guess) {
            $0.headers["apns-push-type"] = "liveactivity"
        },
        RejectionCase("an alert to a Live Activity", "topic of the push type", .topicDisallowed, 400, .guess) {
            $0.headers["apns-topic"] = "com.example.app.push-type.liveactivity"
        },
        RejectionCase("a call to widgets", "topic of the push type", .topicDisallowed, 400, .guess) {
            $0.headers["apns-topic"] = "com.example.app.push-type.widgets"
            $0.headers["apns-push-type"] = "voip"
        },
        RejectionCase("priority 7", "priority known", .badPriority, 400) { $0.headers["apns-priority"] = "7" },
        RejectionCase("priority 05", "priority known", .badPriority, 400) { $0.headers["apns-priority"] = "05" },
        RejectionCase("background at 10", "priority of background", .badPriority, 400, .guess) {
            $0.headers["apns-push-type"] = "background"
        },
        RejectionCase("an expiration in words", "expiration form", .badExpirationDate, 400) {
            $0.headers["apns-expiration"] = "tomorrow"
        },
        RejectionCase("a negative expiration", "expiration form", .badExpirationDate, 400) {
            $0.headers["apns-expiration"] = "-1"
        },
        RejectionCase("an expiration with a sign", "expiration form", .badExpirationDate, 400) {
            $0.headers["apns-expiration"] = "+1800000000"
        },
        RejectionCase("an expiration with a fraction", "expiration form", .badExpirationDate, 400) {
            $0.headers["apns-expiration"] = "1800000000.5"
        },
        RejectionCase("an empty expiration", "expiration form", .badExpirationDate, 400) {
            $0.headers["apns-expiration"] = ""
        },
        RejectionCase("a past expiration, forbidden", "expiration not past", .badExpirationDate, 400, .guess) {
            $0.headers["apns-expiration"] = "1799999999"
            $0.apns.variants.pastExpirationReason = .badExpirationDate
        },
        RejectionCase("a collapse id of 65 bytes", "collapse id length", .badCollapseID, 400) {
            $0.headers["apns-collapse-id"] = String(repeating: "a", count: 65)
        },
    ]

    static let payload = [
        RejectionCase("no body", "payload present", .payloadEmpty, 400) { $0.body = [] },
        RejectionCase("4097 bytes", "payload size", .payloadTooLarge, 413) { $0.bodyByteCount = 4097 },
        RejectionCase("broken JSON, forbidden", "payload JSON", .payloadEmpty, 400, .guess) {
            $0.body = Array(#"{"aps":{"alert":"Hi"},}"#.utf8)
            $0.apns.variants.notJSONReason = .payloadEmpty
        },
        RejectionCase("a JSON array, forbidden", "payload JSON", .payloadEmpty, 400, .guess) {
            $0.body = Array("[1]".utf8)
            $0.apns.variants.notJSONReason = .payloadEmpty
        },
    ]

    static let device = [
        RejectionCase("/3/device/", "device token present", .missingDeviceToken, 400) { $0.path = "/3/device/" },
        RejectionCase("/3/device", "device token present", .missingDeviceToken, 400) { $0.path = "/3/device" },
        RejectionCase("a token that is not hex", "device token form", .badDeviceToken, 400) {
            $0.path = "/3/device/" + String(repeating: "xy", count: 32)
        },
        RejectionCase("half a byte", "device token form", .badDeviceToken, 400) { $0.path = "/3/device/abc" },
        RejectionCase("202 digits", "device token form", .badDeviceToken, 400) {
            $0.path = "/3/device/" + String(repeating: "a", count: 202)
        },
        RejectionCase("a query behind the token", "device token form", .badDeviceToken, 400) { $0.path += "?a=b" },
        magic(.unregistered, .unregistered, 410),
        magic(.badDeviceToken, .badDeviceToken, 400),
        magic(.tooManyRequests, .tooManyRequests, 429),
        magic(.serviceUnavailable, .serviceUnavailable, 503),
        RejectionCase("an unknown token, forbidden", "device token known", .badDeviceToken, 400, .observed) {
            $0.apns.unknownTokens = .reject
        },
        RejectionCase("a token of production", "device environment", .badDeviceToken, 400) {
            $0.apns.devices.register(try? Trial.device(environment: .production))
        },
        RejectionCase("an app that is gone", "device registered", .unregistered, 410) {
            $0.apns.devices.register(try? Trial.device(state: .unregistered(since: Trial.now)))
        },
        RejectionCase("a token that has run out", "device registered", .expiredToken, 410) {
            $0.apns.devices.register(try? Trial.device(state: .expired(since: Trial.now)))
        },
        RejectionCase("another app's token", "device app", .deviceTokenNotForTopic, 400) {
            $0.apns.devices.register(try? Trial.device(["com.example.other"]))
        },
        RejectionCase("a call to the app's alert token", "device kind", .deviceTokenNotForTopic, 400, .guess) {
            $0.apns.devices.register(try? Trial.device(["com.example.app"]))
            $0.headers["apns-topic"] = "com.example.app.voip"
            $0.headers["apns-push-type"] = "voip"
        },
        RejectionCase("too many in a row", "device rate", .tooManyRequests, 429, .guess) {
            $0.apns.variants.deviceRateLimit = MockDeviceRateLimit(count: 1, per: .seconds(10))
            $0.apns.apply(.pushed(token: Trial.hex), at: Trial.now.later(by: -9.9))
        },
    ]

    private static func magic(_ token: MockMagicToken, _ reason: RejectionReason, _ status: Int) -> RejectionCase {
        RejectionCase("the magic token \(token.rawValue)…", "magic token", reason, status, .guess) {
            $0.apns.acceptsMagicTokens = true
            $0.path = "/3/device/\(token.exampleToken)"
        }
    }
}
