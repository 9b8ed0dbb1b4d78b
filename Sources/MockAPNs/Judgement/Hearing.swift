import APNSVocabulary

/// All that a check may look at: one request before the judge.
///
/// What several checks ask for is looked up once, before the first of them.
struct Hearing {
    let request: MockRequest
    let reading: ProviderTokenReading
    let connection: ConnectionFacts
    let world: World
    let now: Moment

    /// The provider token, where there is a readable one.
    let providerToken: ProviderTokenContent?
    /// The trusted key that the provider token names; `nil` where any key is accepted.
    let trustedKey: TrustedKey?
    /// The digits behind `/3/device/`.
    let deviceTokenText: String
    /// The device of the path, where it is registered.
    let device: Device?

    init(
        request: MockRequest,
        reading: ProviderTokenReading,
        connection: ConnectionFacts,
        world: World,
        now: Moment
    ) {
        self.request = request
        // A connection that has shown a certificate needs no provider token, and one that comes all the same is not read.
        let reading = connection.certificate == nil ? reading : .absent
        self.reading = reading
        self.connection = connection
        self.world = world
        self.now = now
        providerToken = reading.content
        trustedKey =
            world.authentication == .trustedKeys ? reading.content.flatMap { world.trustedKeys[$0.keyID] } : nil
        deviceTokenText = if case .device(let text) = request.target { text } else { "" }
        device = world.devices.device(hex: deviceTokenText)
    }

    var idLetters: AnswerIDs.LetterCase? { request.head.idLetters }

    /// The topic of the header, or the only one of the connection's certificate.
    var topic: String? {
        request.topic ?? connection.certificate?.defaultTopic
    }

    /// The suffix of a push type that the topic ends in; `nil` where it is a bare bundle id.
    var topicSuffix: String? {
        request.topic == nil ? topic.flatMap(PushType.type(ofTopic:))?.topicSuffix : request.head.topicSuffix
    }

    /// The push type of the header, or the one that the topic's suffix speaks of: requests from before the header
    /// existed have none.
    var pushType: PushType? {
        request.pushType ?? topic.flatMap(PushType.type(ofTopic:))
    }
}
