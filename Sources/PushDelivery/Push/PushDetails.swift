package import APNSVocabulary
internal import PushJSON
package import PushPlatform
internal import PushQueue

/// What a push needs beside its target and its payload. The queue keeps it as bytes: ``NewQueueJob/push``.
package struct PushDetails: Sendable, Hashable {
    /// The topic that the push names; `nil` for that of the app.
    package var topic: String?
    /// The topic of the app when the push was accepted, which a later change of the app does not change; `nil` if the push names one, or if
    /// there was none. Jobs of older versions do not have it, and go to the topic that the app has when they are sent.
    package var defaultTopic: String?
    /// The push type; `nil` to infer it from the payload.
    package var pushType: PushType?
    /// The priority for APNs; `nil` for the default of the push type.
    package var priority: PushPriority?
    package var collapseID: String?
    /// When the app registered the device token; `nil` if that is not known.
    package var registeredAt: Date?
    /// Whether Apple tries once, and does not store the push. Otherwise it may store it until the expiry of the job, or as long as it
    /// likes if the job does not expire.
    package var once = false
    /// The place of the push among those that it replaces: the id of the first job of a dead letter that is sent again, or that of its delivery
    /// time if an inbox has given it its id; `nil` for that of the job.
    package var after: UUID?

    /// A value of the caller, to identify the push: any JSON; `nil` if it was not given.
    package var reference: [UInt8]?

    /// The trace of the push; `nil` if none was given.
    package var trace: TraceParent?

    /// The number of the API key that sent the push; `nil` if that is not known.
    package var sender: Int?
    /// The person to whom the device token must belong when the push is sent; `nil` for a push to a token.
    package var user: String?
    /// The name of the inbox from which the push came, with the id that it gave the push if the queue has another one: `4f1c09ab UUID`;
    /// `nil` for a push from elsewhere.
    package var inbox: String?

    package init() {}

    private enum Key {
        static let topic = "topic"
        static let defaultTopic = "app_topic"
        static let pushType = "type"
        static let priority = "priority"
        static let collapseID = "collapse_id"
        static let registeredAt = "registered_at"
        /// `false` for ``once``: so it is written in the databases of 0.9.0.
        static let store = "store"
        static let reference = "ref"
        static let sender = "by"
        static let inbox = "in"
        static let after = RedrivenPush.member
        static let trace = "trace"
    }

    /// The bytes for the queue: a JSON object that has only what differs from the defaults. Of a push to a person, it is an array of the
    /// person and this object: versions that do not check the person cannot read it, and do not send it.
    package var encoded: [UInt8] {
        guard let user else { return object }
        let details = object.isEmpty ? Array("{}".utf8) : object
        return [UInt8(ascii: "[")] + PushJSONValue.string(user).encoded + [UInt8(ascii: ",")] + details
            + [UInt8(ascii: "]")]
    }

    /// Whether the bytes of the queue are those of a push to a person.
    static func hasUser(_ encoded: [UInt8]) -> Bool { encoded.first == UInt8(ascii: "[") }

    /// The person of a push, from the bytes of the queue; `nil` for a push to a token.
    package static func user(of encoded: [UInt8]) -> String? {
        hasUser(encoded) ? PushDetails(encoded: encoded)?.user : nil
    }

    private var object: [UInt8] {
        var members: [(String, PushJSONValue)] = []
        if let topic { members.append((Key.topic, .string(topic))) }
        if let pushType { members.append((Key.pushType, .string(pushType.rawValue))) }
        if let priority { members.append((Key.priority, .integer(priority.rawValue))) }
        if let collapseID { members.append((Key.collapseID, .string(collapseID))) }
        if let registeredAt {
            members.append((Key.registeredAt, .integer(Int((registeredAt.timeIntervalSince1970 * 1000).rounded()))))
        }
        if once { members.append((Key.store, .bool(false))) }
        if let inbox { members.append((Key.inbox, .string(inbox))) }
        if let trace { members.append((Key.trace, .string(trace.text))) }
        if let after { members.append((Key.after, .string(after.uuidString.lowercased()))) }
        if let reference, let value = PushJSONValue(json: reference) { members.append((Key.reference, value)) }
        if members.isEmpty, defaultTopic?.utf8.allSatisfy(Self.isPlain) ?? true {
            var short = defaultTopic.map { "{\"\(Key.defaultTopic)\":\"\($0)\"" } ?? ""
            if let sender { short += "\(short.isEmpty ? "{" : ",")\"\(Key.sender)\":\(sender)" }
            return short.isEmpty ? [] : Array("\(short)}".utf8)
        }
        if let defaultTopic { members.append((Key.defaultTopic, .string(defaultTopic))) }
        if let sender { members.append((Key.sender, .integer(sender))) }
        return PushJSONValue.object(Dictionary(members) { first, _ in first }).encoded
    }

    /// Whether JSON needs no escape for a byte in a string.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// Reads the bytes of the queue; `nil` if they are not those of ``encoded``.
    package init?(encoded: [UInt8]) {
        guard !encoded.isEmpty else { return }
        guard let tree = try? JSONReader.tree(encoded) else { return nil }
        var object = JSONTree.root
        if Self.hasUser(encoded) {
            let parts = Array(tree.children(of: object))
            guard parts.count == 2, let person = tree.text(of: parts[0]) else { return nil }
            (user, object) = (person, parts[1])
        }
        guard tree.nodes[object].kind == .object else { return nil }
        // Of two members with one name, the first counts: ``RedrivenPush`` adds a place behind one that is there.
        for value in tree.children(of: object).reversed() {
            switch tree.key(of: value) {
            case Key.topic: topic = tree.text(of: value)
            case Key.defaultTopic: defaultTopic = tree.text(of: value)
            case Key.pushType: pushType = tree.text(of: value).map { PushType(rawValue: $0) }
            case Key.priority: priority = tree.integer(of: value).flatMap { PushPriority(rawValue: $0) }
            case Key.collapseID: collapseID = tree.text(of: value)
            case Key.registeredAt:
                registeredAt = tree.integer(of: value).map { Date(timeIntervalSince1970: Double($0) / 1000) }
            case Key.store: once = true
            case Key.reference: reference = Array(tree.bytes[tree.range(of: value)])
            case Key.sender: sender = tree.integer(of: value)
            case Key.inbox: inbox = tree.text(of: value)
            case Key.after: after = tree.text(of: value).flatMap { UUID(uuidString: $0) }
            case Key.trace: trace = tree.text(of: value).flatMap { TraceParent($0) }
            default: break
            }
        }
    }
}

/// The trace of a push, as W3C Trace Context defines its header `traceparent`.
package struct TraceParent: Sendable, Hashable {
    package let text: String

    /// Reads the value of a header; `nil` if it is not valid. Such a header is ignored.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        // A later version may have more after these 55 bytes, after another hyphen.
        guard bytes.count == 55 || bytes.count > 55 && bytes.count <= 256 && bytes[55] == UInt8(ascii: "-") else {
            return nil
        }
        let isValid = bytes[..<55].enumerated().allSatisfy { index, byte in
            switch index {
            case 2, 35, 52: byte == UInt8(ascii: "-")
            default:
                byte.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            }
        }
        func isZero(_ range: Range<Int>) -> Bool { bytes[range].allSatisfy { $0 == UInt8(ascii: "0") } }
        guard isValid, !text.hasPrefix("ff"), !isZero(3..<35), !isZero(36..<52) else { return nil }
        // Version 00 has nothing more.
        guard bytes.count == 55 || !text.hasPrefix("00") else { return nil }
        self.text = String(decoding: bytes[..<55], as: UTF8.self)
    }

    /// The id of the trace: 32 digits.
    package var traceID: String { String(text.dropFirst(3).prefix(32)) }
}

extension PushDetails {
    /// The trace in the bytes of details, without reading the rest; `nil` if there is none.
    package static func traceparent(in push: [UInt8]) -> TraceParent? {
        // Nearly no push has one, and this runs for each job of a list.
        guard push.count > 60 else { return nil }
        return PushDetails(encoded: push)?.trace
    }
}
