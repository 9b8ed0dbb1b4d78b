import APNSVocabulary
import PushPlatform

/// The input of the checks: one request, its connection and the state of the mock.
///
/// Values that several checks need are computed once, before the first check.
struct CheckInput {
    let request: MockRequest
    let reading: ParsedProviderToken
    let connection: ConnectionFacts
    private let snapshot: APNSSnapshot
    let now: Date

    /// The provider token; `nil` if there is none, or if it cannot be read.
    let providerToken: ProviderTokenContent?
    /// The trusted key with the key id of the provider token; `nil` if every key is accepted.
    let trustedKey: MockTrustedKey?
    /// The text after `/3/device/`.
    let deviceTokenText: String
    /// The device of the path; `nil` if it is not registered.
    let device: MockDevice?
    /// The channel of the request; `nil` if it does not exist.
    let channel: MockChannel?
    /// The body of a request that creates a channel; `nil` for other requests, and if it cannot be read.
    let newChannel: NewChannel?
    let environment: MockEnvironment

    init(
        request: MockRequest,
        reading: ParsedProviderToken,
        connection: ConnectionFacts,
        snapshot: APNSSnapshot,
        now: Date
    ) {
        self.request = request
        // A connection with a client certificate needs no provider token. One that is sent anyway is ignored.
        let reading = connection.certificate == nil ? reading : .absent
        self.reading = reading
        self.connection = connection
        self.snapshot = snapshot
        self.now = now
        providerToken = reading.content
        trustedKey =
            snapshot.apns.authentication == .trustedKeys
            ? reading.content.flatMap { snapshot.apns.trustedKeys[$0.keyID] } : nil
        deviceTokenText = if case .device(let text) = request.target { text } else { "" }
        device = snapshot.apns.devices.device(hex: deviceTokenText)
        environment = connection.environment(else: snapshot.apns.environment)
        guard let app = request.target.app else {
            (channel, newChannel) = (nil, nil)
            return
        }
        channel = request.channelID.flatMap { [environment] in
            snapshot.apns.channels.channel($0, of: app, in: environment)
        }
        newChannel = request.target.isNewChannel(request.method) ? NewChannel(request.body) : nil
    }

    var apns: APNSState { snapshot.apns }

    /// What serves ``environment``, as part of a sentence.
    var servedBy: String {
        guard connection.api == .pushes else { return "this port manages" }
        return connection.appleHost.map { "\($0) belongs to" } ?? "this mock simulates"
    }

    /// What to do about credentials of the other environment. A mock manages the channels of both, on two ports.
    var remedyForOtherEnvironment: MockRemedy {
        let other: MockEnvironment = environment == .sandbox ? .production : .sandbox
        guard connection.api == .pushes else { return .useChannelsPort(of: other) }
        return connection.appleHost == nil ? .simulateEnvironment(other) : .useHost(of: other)
    }

    var idLetters: MockAnswerIDLetters? { request.head.idLetters }

    /// The topic of the header, or the only topic of the client certificate.
    var topic: String? {
        request.topic ?? connection.certificate?.defaultTopic
    }

    /// The suffix of the topic that belongs to a push type; `nil` if the topic is only a bundle id.
    var topicSuffix: String? {
        request.topic == nil ? topic.flatMap(PushType.type(ofTopic:))?.topicSuffix : request.head.topicSuffix
    }

    /// The push type of the header, or the push type of the topic's suffix: older senders do not send the header.
    var pushType: PushType? {
        request.pushType ?? topic.flatMap(PushType.type(ofTopic:))
    }
}
