public import APNSVocabulary
import PushJSON

extension MockFault {
    /// The conditions of a fault. All conditions must be met; those that are `nil` always are.
    public struct Matcher: Hashable, Sendable {
        /// The device token of the path, in any letter case. Not for connections.
        public var deviceToken: DeviceToken?
        /// The `apns-topic`, or the bundle id in the path of a broadcast or a channel. Not for connections.
        public var topic: String?
        /// The `apns-push-type`. Not for connections.
        public var pushType: PushType?
        /// Header fields by name, in lower case. Each must have the value, or begin with it if the value ends in `*`. Not for
        /// connections.
        public var headers: [String: String]?
        /// Values in the payload by path, such as `aps.category` or `items.0.id`. Compared as text; a value that ends in `*` is a
        /// beginning. Only for ``MockFault/Moment/request``.
        public var payload: [String: String]?
        /// What the mock would answer: `accepted`, `rejected`, a status or a reason. Only for ``MockFault/Moment/request``.
        public var verdict: String?
        /// Which requests, counted over all connections since the mock was started. Only for ``MockFault/Moment/request``.
        public var request: MockFault.Ordinal?
        /// Which requests of each connection. Not for connections.
        public var requestOnConnection: MockFault.Ordinal?
        /// Which connections, counted since the mock was started.
        public var connection: MockFault.Ordinal?
        /// Which of the requests or connections that meet all conditions above, counted since the fault was injected.
        public var match: MockFault.Ordinal?
        /// The probability that the fault acts if all conditions above are met, 0 to 1. Drawn from the mock's seed.
        public var probability: Double?

        /// Creates a matcher. By default, everything matches.
        ///
        /// - Parameters:
        ///   - deviceToken: The device token of the path.
        ///   - topic: The `apns-topic`.
        ///   - pushType: The `apns-push-type`.
        ///   - headers: Header fields by name.
        ///   - payload: Values in the payload by path.
        ///   - verdict: What the mock would answer.
        ///   - request: Which requests of the mock.
        ///   - requestOnConnection: Which requests of each connection.
        ///   - connection: Which connections of the mock.
        ///   - match: Which of the requests or connections that meet all conditions above.
        ///   - probability: The probability that the fault acts, 0 to 1.
        public init(
            deviceToken: DeviceToken? = nil,
            topic: String? = nil,
            pushType: PushType? = nil,
            headers: [String: String]? = nil,
            payload: [String: String]? = nil,
            verdict: String? = nil,
            request: MockFault.Ordinal? = nil,
            requestOnConnection: MockFault.Ordinal? = nil,
            connection: MockFault.Ordinal? = nil,
            match: MockFault.Ordinal? = nil,
            probability: Double? = nil
        ) {
            self.deviceToken = deviceToken
            self.topic = topic
            self.pushType = pushType
            self.headers = headers
            self.payload = payload
            self.verdict = verdict
            self.request = request
            self.requestOnConnection = requestOnConnection
            self.connection = connection
            self.match = match
            self.probability = probability
        }

        /// Whether a condition needs a request.
        var concernsRequests: Bool {
            deviceToken != nil || topic != nil || pushType != nil || headers != nil || concernsBody || request != nil
                || requestOnConnection != nil
        }

        /// Whether a condition needs the whole request.
        var concernsBody: Bool { payload != nil || verdict != nil }

        /// Whether an event meets the conditions, except ``match`` and ``probability``.
        func fits(_ event: FaultEvent) -> Bool {
            if let connection, !connection.contains(event.connection) { return false }
            guard concernsRequests else { return true }
            guard let asked = event.request else { return false }
            if let request, !request.contains(asked.number) { return false }
            if let requestOnConnection, !requestOnConnection.contains(asked.numberOnConnection) { return false }
            if let topic, topic != asked.topic { return false }
            if let pushType, pushType != asked.pushType { return false }
            if let deviceToken, deviceToken.hex.lowercased() != asked.deviceToken.lowercased() { return false }
            if let headers, !headers.allSatisfy({ asked.has($0.key.lowercased(), $0.value) }) { return false }
            if let payload, !asked.hasPayload(payload) { return false }
            guard let verdict else { return true }
            return asked.verdict.map { Self.fits($0, verdict) } ?? false
        }

        private static func fits(_ verdict: MockVerdict, _ name: String) -> Bool {
            switch name {
            case "accepted": verdict.isAccepted
            case "rejected": !verdict.isAccepted
            default: String(verdict.status) == name || verdict.reason?.rawValue == name
            }
        }

        /// Compares a text with a value, or with a beginning that ends in a star.
        static func fits(_ text: String, _ pattern: String) -> Bool {
            pattern.hasSuffix("*") ? text.hasPrefix(pattern.dropLast()) : text == pattern
        }
    }
}

struct FaultEvent: Sendable {
    struct Request: Sendable {
        var number: Int
        var numberOnConnection: Int
        var deviceToken = ""
        var topic: String?
        var pushType: PushType?
        var fields: [MockRequest.Field] = []
        var body: [UInt8] = []
        /// What the mock would answer; `nil` if no fault needs it.
        var verdict: MockVerdict?

        func has(_ name: String, _ value: String) -> Bool {
            fields.contains { $0.name == name && MockFault.Matcher.fits($0.value, value) }
        }

        func hasPayload(_ values: [String: String]) -> Bool {
            guard let json = try? LocatedJSON(json: body) else { return false }
            return values.allSatisfy { path, value in
                let parts = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
                return json[path: parts]?.plainText.map { MockFault.Matcher.fits($0, value) } ?? false
            }
        }
    }

    var moment: MockFault.Moment
    var connection: Int
    var request: Request?
}

extension FaultEvent.Request {
    init(_ request: MockRequest, number: Int, numberOnConnection: Int) {
        self.init(
            number: number, numberOnConnection: numberOnConnection, topic: request.topic ?? request.target.app,
            pushType: request.pushType, fields: request.fields, body: request.body)
        if case .device(let token) = request.target { deviceToken = token }
    }
}

extension MockFault {
    /// A selection of requests or connections, which are counted from 1.
    public struct Ordinal: Hashable, Sendable, ExpressibleByIntegerLiteral {
        /// The first number.
        public var from: Int
        /// The last number; `nil` for no end.
        public var through: Int?
        /// The distance between two numbers; 1 for all from the first to the last.
        public var step: Int

        /// Creates a selection.
        ///
        /// - Parameters:
        ///   - from: The first number, at least 1.
        ///   - through: The last number; `nil` for no end.
        ///   - step: The distance between two numbers, at least 1.
        public init(from: Int, through: Int? = nil, step: Int = 1) {
            self.from = from
            self.through = through
            self.step = step
        }

        /// Creates a selection of one number.
        public init(integerLiteral value: Int) {
            self = .exactly(value)
        }

        /// Returns a selection of one number.
        public static func exactly(_ number: Int) -> MockFault.Ordinal {
            MockFault.Ordinal(from: number, through: number)
        }

        /// Returns a selection of all numbers in a range.
        public static func within(_ range: ClosedRange<Int>) -> MockFault.Ordinal {
            MockFault.Ordinal(from: range.lowerBound, through: range.upperBound)
        }

        /// Returns a selection of every n-th number: `.every(10)` is 10, 20, 30 and so on.
        public static func every(_ step: Int) -> MockFault.Ordinal { MockFault.Ordinal(from: step, step: step) }

        func contains(_ number: Int) -> Bool {
            guard number >= from, number <= through ?? .max else { return false }
            return step <= 1 || (number - from) % step == 0
        }
    }
}
