import APNSVocabulary
import MockAPNs

/// Requests about broadcasts and channels with one fault each.
extension RejectionCases {
    static let channels = [
        RejectionCase("a request id that is no UUID", "apns-request-id", .badMessageID, 400, .apple) {
            $0.makeList()
            $0.headers["apns-request-id"] = "17"
        },
        RejectionCase("a bundle id with a suffix", "bundle id without suffix", .topicDisallowed, 400, .apple) {
            $0.makeList(app: "com.example.app.push-type.liveactivity")
        },
        RejectionCase("a bundle id that is a path", "bundle id form", .topicDisallowed, 400, .guess) {
            $0.makeList(app: "..%2f%0a")
        },
        RejectionCase("a bundle id that is too long", "bundle id form", .topicDisallowed, 400, .guess) {
            $0.makeList(app: String(repeating: "a", count: 513))
        },
        RejectionCase("the app of another key", "bundle id of the credentials", .topicMismatch, 403, .apple) {
            $0.makeList()
            $0.apns.trust(
                MockTrustedKey(keyID: Trial.key.keyID, teamID: Trial.key.teamID, topics: ["com.example.other"]))
        },
        RejectionCase("an app without broadcast", "broadcast capability", .featureNotEnabled, 400, .apple) {
            $0.makeList()
            $0.apns.variants.appsWithoutBroadcast = [Trial.app]
        },
        RejectionCase("a channel without an id", "channel id present", .missingChannelID, 400, .apple) {
            $0.makeChannel("GET")
            $0.headers["apns-channel-id"] = nil
        },
        RejectionCase("a channel id that is not base64", "channel id form", .badChannelID, 400, .apple) {
            $0.makeChannel("DELETE")
            $0.headers["apns-channel-id"] = "not base64!"
        },
        RejectionCase("a channel id that is too long", "channel id form", .badChannelID, 400, .apple) {
            $0.makeChannel("GET")
            $0.headers["apns-channel-id"] = String(repeating: "AAAA", count: 51)
        },
        RejectionCase("a channel of nobody", "channel registered", .channelNotRegistered, 400, .apple) {
            $0.makeBroadcast()
            $0.headers["apns-channel-id"] = "AAAA"
        },
        RejectionCase(
            "a channel of the other environment", "channel registered", .channelNotRegistered, 400, .apple
        ) {
            $0.makeChannel("GET", in: .production)
        },
        RejectionCase(
            "a broadcast without a push type", "broadcast push type present", .missingPushType, 400, .apple
        ) {
            $0.makeBroadcast()
            $0.headers["apns-push-type"] = nil
        },
        RejectionCase("a broadcast of an alert", "broadcast push type", .invalidPushType, 400, .apple) {
            $0.makeBroadcast()
            $0.headers["apns-push-type"] = "alert"
        },
        RejectionCase(
            "an expiration for a channel that stores nothing", "broadcast expiration", .badExpirationDate, 400, .apple
        ) {
            $0.makeBroadcast(storesNewest: false)
            $0.headers["apns-expiration"] = "1800000600"
        },
        RejectionCase("a large broadcast", "broadcast size", .payloadTooLarge, 413, .apple) {
            $0.makeBroadcast()
            $0.bodyByteCount = 5121
        },
        RejectionCase("a new channel that is no JSON", "new channel JSON", .badRequestPayload, 400, .apple) {
            $0.makeNewChannel("policy=1")
        },
        RejectionCase(
            "a new channel with an unknown attribute", "new channel attributes", .badRequestParameters, 400, .apple
        ) {
            $0.makeNewChannel(#"{"message-storage-policy":1,"push-type":"LiveActivity","name":"x"}"#)
        },
        RejectionCase("a new channel without a push type", "new channel push type", .missingPushType, 400, .hint) {
            $0.makeNewChannel(#"{"message-storage-policy":1}"#)
        },
        RejectionCase("a new channel for alerts", "new channel push type", .invalidPushType, 400, .hint) {
            $0.makeNewChannel(#"{"message-storage-policy":1,"push-type":"alert"}"#)
        },
        RejectionCase(
            "a new channel without a policy", "new channel storage policy", .missingChannelQueueSize, 400, .hint
        ) {
            $0.makeNewChannel(#"{"push-type":"LiveActivity"}"#)
        },
        RejectionCase(
            "a new channel with policy 2", "new channel storage policy", .missingChannelQueueSize, 400, .hint
        ) {
            $0.makeNewChannel(#"{"message-storage-policy":2,"push-type":"LiveActivity"}"#)
        },
        RejectionCase("one channel too many", "channel limit", .cannotCreateChannelConfig, 400, .apple) {
            $0.makeNewChannel()
            $0.fill(Trial.app, APNSLimit.channels)
        },
        RejectionCase("one channel more than fits", "room for channels", .cannotCreateChannelConfig, 400, .guess) {
            $0.makeNewChannel()
            for number in 0..<10 { $0.fill("com.example.full\(number)", APNSLimit.channels) }
        },
    ]
}

extension Trial {
    static let app = "com.example.app"
    static let channel = "dHN0LXNyY2gtY2hubA=="

    /// A list of channels.
    mutating func makeList(app: String = Trial.app) {
        make("GET", "/1/apps/\(app)/all-channels")
    }

    /// A request about a channel that exists.
    mutating func makeChannel(_ method: String, in environment: MockEnvironment = .sandbox) {
        make(method, "/1/apps/\(Trial.app)/channels")
        addChannel(storesNewest: true, in: environment)
    }

    /// A request that creates a channel.
    mutating func makeNewChannel(_ json: String = #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#) {
        make("POST", "/1/apps/\(Trial.app)/channels")
        body = Array(json.utf8)
    }

    /// A broadcast to a channel that exists.
    mutating func makeBroadcast(storesNewest: Bool = true) {
        method = "POST"
        path = "/4/broadcasts/apps/\(Trial.app)"
        headers = [
            "apns-push-type": "liveactivity", "apns-priority": "10", "apns-expiration": "0",
            "apns-request-id": Trial.id,
        ]
        body = Array(#"{"aps":{"timestamp":1,"event":"update","content-state":{}}}"#.utf8)
        addChannel(storesNewest: storesNewest, in: .sandbox)
    }

    /// Adds channels to an app.
    mutating func fill(_ app: String, _ count: Int) {
        for number in 0..<count {
            apns.apply(.created(MockChannel(id: "\(number)", storesNewest: false), app: app, .sandbox), at: Trial.now)
        }
    }

    private mutating func make(_ method: String, _ path: String) {
        self.method = method
        self.path = path
        headers = ["apns-request-id": Trial.id]
        body = []
        connection = ConnectionFacts(number: 1, api: .channels(.sandbox))
    }

    private mutating func addChannel(storesNewest: Bool, in environment: MockEnvironment) {
        headers["apns-channel-id"] = Trial.channel
        apns.apply(
            .created(MockChannel(id: Trial.channel, storesNewest: storesNewest), app: Trial.app, environment),
            at: Trial.now)
    }
}
