import APNSVocabulary
import PushPlatform

extension MockFault.Matcher: Codable, FaultObject {
    static let what = "\"when\""
    static var blank: Self { Self() }
    static var members: [FaultMember<Self>] {
        [
            .init("device_token", \.deviceToken, read: token, write: \.hex), .init("topic", \.topic),
            .init("push_type", \.pushType, read: PushType.init(rawValue:), write: \.rawValue),
            .init("headers", \.headers),
            .init("payload", \.payload, read: { $0.mapValues(\.text) }, write: { $0.mapValues(FaultText.init) }),
            .init("verdict", \.verdict, read: \FaultText.text, write: FaultText.init),
            .init("request", \.request), .init("request_on_connection", \.requestOnConnection),
            .init("connection", \.connection), .init("match", \.match), .init("probability", \.probability),
        ]
    }

    private static func token(_ hex: String) throws -> DeviceToken {
        return try rethrowing(try DeviceToken(pasted: hex)) { (error: DeviceTokenError) in
            MockFaultError(.outOfRange, error.description)
        }
    }

}

/// A string. A number or a truth value is read as its text: `7` as `"7"`.
private struct FaultText: Codable {
    let text: String

    init(_ text: String) { self.text = text }

    init(from decoder: any Decoder) throws {
        if let text = try? String(from: decoder) {
            self.text = text
        } else if let flag = try? Bool(from: decoder) {
            text = flag ? "true" : "false"
        } else if let number = try? Int(from: decoder) {
            text = String(number)
        } else {
            text = "\(try Double(from: decoder))"
        }
    }

    func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }
}

extension MockFault.Ordinal: Codable {
    /// Decodes a number, or an object with `from`, `through` and `every`.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: ``MockFaultError`` if a key is unknown, `DecodingError` if a type is wrong.
    public init(from decoder: any Decoder) throws {
        if let number = try? Int(from: decoder) {
            self = .exactly(number)
            return
        }
        let members = try decoder.members(["from", "through", "every"], of: "a range", or: "a whole number")
        let every = try members.decodeIfPresent(Int.self, forKey: "every") ?? 1
        self.init(
            from: try members.decodeIfPresent(Int.self, forKey: "from") ?? every,
            through: try members.decodeIfPresent(Int.self, forKey: "through"),
            step: every
        )
    }

    /// Encodes a number if possible, otherwise an object.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        if through == from, step == 1 { return try from.encode(to: encoder) }
        var members = encoder.container(keyedBy: AnyKey.self)
        if from != step { try members.encode(from, forKey: "from") }
        try members.encodeIfPresent(through, forKey: "through")
        if step != 1 || from == 1 && through == nil { try members.encode(step, forKey: "every") }
    }
}
