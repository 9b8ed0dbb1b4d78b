public import APNSVocabulary
public import MockAPNs
public import PushPlatform

/// A push that reached APNs, as a phone sees it: what was accepted or rejected, and for whom.
public struct PhonePush: Sendable {
    /// For whom it is.
    public enum Target: Sendable, Hashable {
        /// One device, by its device token in lower case.
        case device(String)
        case channel(String)
    }

    /// How long APNs keeps it.
    public enum Expiration: Sendable, Hashable {
        /// One attempt to deliver it.
        case once
        case until(Date)
        /// No expiration was given: up to 30 days, or 8 hours for a broadcast.
        case unspecified
        /// Not at all: its channel stores no message.
        case never
    }

    /// The answer of APNs.
    public struct Answer: Sendable, Hashable {
        /// Whether it was accepted.
        public var isAccepted: Bool
        /// The status and, for a rejection, its reason: `403 ExpiredProviderToken`.
        public var text: String
        /// The reason, or the status.
        public var reason: String
        /// Why, in a sentence.
        public var detail: String?
        /// The name of the check that failed.
        public var check: String?
        /// The name of the fault that ordered the answer.
        public var fault: String?

        /// Creates an answer.
        public init(
            isAccepted: Bool = true, text: String = "200", reason: String = "200", detail: String? = nil,
            check: String? = nil, fault: String? = nil
        ) {
            self.isAccepted = isAccepted
            self.text = text
            self.reason = reason
            self.detail = detail
            self.check = check
            self.fault = fault
        }
    }

    /// The number in the log of the mock, from 1.
    public var number: Int
    /// When it arrived.
    public var time: Date
    /// For whom it is.
    public var target: Target
    /// The bundle id: the topic without the suffix for the push type.
    public var topic: String
    /// The push type.
    public var type: PushType
    /// How long APNs keeps it.
    public var expiration: Expiration
    /// The `apns-collapse-id`.
    public var collapseID: String?
    /// The payload.
    public var body: [UInt8]
    /// Where it came from, in a few words.
    public var origin: String
    /// The answer of APNs.
    public var answer: Answer
    /// What APNs does with it, by what the mock knows of the device. A phone that is offline stores it, too.
    package var delivery = MockDelivery.delivered

    /// Creates a push.
    public init(
        number: Int, time: Date, target: Target, topic: String, type: PushType = .alert,
        expiration: Expiration = .unspecified, collapseID: String? = nil, body: [UInt8], origin: String = "A request",
        answer: Answer = Answer()
    ) {
        self.number = number
        self.time = time
        self.target = target
        self.topic = topic
        self.type = type
        self.expiration = expiration
        self.collapseID = collapseID
        self.body = body
        self.origin = origin
        self.answer = answer
    }
}

extension PhonePush {
    /// Reads a request in the log of a mock. The result is `nil` if the request is no push, for example if it creates a channel.
    ///
    /// - Parameter arrival: The request.
    public init?(_ arrival: MockArrival) {
        let request = arrival.request
        let target: Target
        var topic = request.topic ?? ""
        var type = request.pushType
        switch request.target {
        case .device(let token): target = .device(token.lowercased())
        case .broadcast(let app):
            target = .channel(request.channelID ?? "")
            topic = app
            type = .liveactivity
        case .channels, .allChannels, .unknown: return nil
        }
        if topic.isEmpty, let certificate = arrival.sender.certificate {
            topic = certificate.split(separator: " ").last.map(String.init) ?? certificate
        }
        let (app, suffixed) = Self.app(ofTopic: topic)
        let verdict = arrival.verdict
        let reason = verdict.reason?.rawValue
        self.init(
            number: arrival.number, time: arrival.time, target: target, topic: app,
            type: type ?? suffixed ?? .alert, expiration: Self.expiration(request.expiration),
            collapseID: request.collapseID.flatMap { $0.isEmpty ? nil : $0 }, body: request.body,
            origin: "Whole request on connection \(arrival.connection), stream \(arrival.streamID)",
            answer: Answer(
                isAccepted: verdict.isAccepted,
                text: verdict.status == 0
                    ? "No answer" : ["\(verdict.status)", reason].compactMap(\.self).joined(separator: " "),
                reason: reason ?? (verdict.status == 0 ? "No answer" : "\(verdict.status)"), detail: verdict.detail,
                check: verdict.check,
                fault: arrival.fault.map { $0.name.isEmpty ? "\($0.id.number)" : $0.name }))
        delivery = verdict.delivery ?? .delivered
        if request.bodyByteCount > request.body.count { origin += ". The log kept only a part of the payload" }
    }

    /// Creates a push that has not been sent, from the header fields that it would have.
    ///
    /// - Parameters:
    ///   - number: Its number.
    ///   - time: When it would arrive.
    ///   - target: For whom it would be.
    ///   - headerTopic: The `apns-topic`.
    ///   - type: The `apns-push-type`; `nil` or empty for that of the topic.
    ///   - collapseID: The `apns-collapse-id`; `nil` or empty for none.
    ///   - body: The payload.
    ///   - origin: Where it comes from, in a few words.
    public init(
        number: Int, time: Date, target: Target, headerTopic: String, type: String?, collapseID: String?, body: [UInt8],
        origin: String
    ) {
        let (app, suffixed) = Self.app(ofTopic: headerTopic)
        let given = type.flatMap { $0.isEmpty ? nil : PushType(rawValue: $0) }
        self.init(
            number: number, time: time, target: target, topic: app, type: given ?? suffixed ?? .alert,
            collapseID: collapseID.flatMap { $0.isEmpty ? nil : $0 }, body: body, origin: origin)
    }

    /// The bundle id of a topic, and the push type of its suffix.
    private static func app(ofTopic topic: String) -> (app: String, type: PushType?) {
        let type = PushType.type(ofTopic: topic)
        return (type?.topicSuffix.map { String(topic.dropLast($0.count)) } ?? topic, type)
    }

    var isBroadcast: Bool { if case .channel = target { true } else { false } }

    private static func expiration(_ header: String?) -> Expiration {
        guard let header, let seconds = Double(header), seconds.isFinite else { return .unspecified }
        return seconds == 0 ? .once : .until(Date(timeIntervalSince1970: seconds))
    }
}
