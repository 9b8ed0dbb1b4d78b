public import APNSVocabulary

/// The conditions of a fault. All conditions must be met; those that are `nil` always are.
public struct FaultMatcher: Hashable, Sendable {
    /// The device token of the path, in any letter case. Only for ``FaultMoment/request``.
    public var deviceToken: DeviceToken?
    /// The `apns-topic`, or the bundle id in the path of a broadcast or a channel. Only for ``FaultMoment/request``.
    public var topic: String?
    /// The `apns-push-type`. Only for ``FaultMoment/request``.
    public var pushType: PushType?
    /// Which requests, counted over all connections since the mock was started. Only for ``FaultMoment/request``.
    public var request: FaultOrdinal?
    /// Which requests of each connection. Only for ``FaultMoment/request``.
    public var requestOnConnection: FaultOrdinal?
    /// Which connections, counted since the mock was started.
    public var connection: FaultOrdinal?
    /// Which of the requests or connections that meet all conditions above, counted since the fault was injected.
    public var match: FaultOrdinal?
    /// The probability that the fault acts if all conditions above are met, 0 to 1. Drawn from the mock's seed.
    public var probability: Double?

    /// Creates a matcher. By default, everything matches.
    ///
    /// - Parameters:
    ///   - deviceToken: The device token of the path.
    ///   - topic: The `apns-topic`.
    ///   - pushType: The `apns-push-type`.
    ///   - request: Which requests of the mock.
    ///   - requestOnConnection: Which requests of each connection.
    ///   - connection: Which connections of the mock.
    ///   - match: Which of the requests or connections that meet all conditions above.
    ///   - probability: The probability that the fault acts, 0 to 1.
    public init(
        deviceToken: DeviceToken? = nil,
        topic: String? = nil,
        pushType: PushType? = nil,
        request: FaultOrdinal? = nil,
        requestOnConnection: FaultOrdinal? = nil,
        connection: FaultOrdinal? = nil,
        match: FaultOrdinal? = nil,
        probability: Double? = nil
    ) {
        self.deviceToken = deviceToken
        self.topic = topic
        self.pushType = pushType
        self.request = request
        self.requestOnConnection = requestOnConnection
        self.connection = connection
        self.match = match
        self.probability = probability
    }

    /// Whether a condition needs a request.
    var concernsRequests: Bool {
        deviceToken != nil || topic != nil || pushType != nil || request != nil || requestOnConnection != nil
    }

    /// Whether an event meets the conditions, except ``match`` and ``probability``.
    func fits(_ happening: FaultHappening) -> Bool {
        if let connection, !connection.contains(happening.connection) { return false }
        guard concernsRequests else { return true }
        guard let asked = happening.request else { return false }
        if let request, !request.contains(asked.number) { return false }
        if let requestOnConnection, !requestOnConnection.contains(asked.numberOnConnection) { return false }
        if let topic, topic != asked.topic { return false }
        if let pushType, pushType != asked.pushType { return false }
        guard let deviceToken else { return true }
        return deviceToken.hex.lowercased() == asked.deviceToken.lowercased()
    }
}

/// An event at which a fault can act.
struct FaultHappening: Sendable {
    struct Request: Sendable {
        var number: Int
        var numberOnConnection: Int
        var deviceToken = ""
        var topic: String?
        var pushType: PushType?
    }

    var moment: FaultMoment
    var connection: Int
    var request: Request?
}

extension FaultHappening.Request {
    init(_ request: MockRequest, number: Int, numberOnConnection: Int) {
        self.init(
            number: number, numberOnConnection: numberOnConnection, topic: request.topic ?? request.target.app,
            pushType: request.pushType)
        if case .device(let token) = request.target { deviceToken = token }
    }
}
