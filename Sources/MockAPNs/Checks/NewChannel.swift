import PushPlatform

struct NewChannel {
    private(set) var storesNewest: Bool?
    private(set) var pushType: String?
    /// The first attribute, by name, that APNs does not know.
    private(set) var unknownAttribute: String?

    /// Reads a body.
    ///
    /// - Returns: `nil` if the body is not a JSON object.
    init?(_ body: [UInt8]) {
        guard JSONForm.isObject(body),
            let members = try? JSONDecoder().decode([String: Attribute].self, from: Data(body))
        else { return nil }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            switch (name, value) {
            case ("message-storage-policy", .number(let policy)):
                storesNewest = policy == 0 ? false : policy == 1 ? true : nil
            case ("push-type", .text(let type)): pushType = type
            case ("message-storage-policy", _), ("push-type", _): break
            default: unknownAttribute = unknownAttribute ?? name
            }
        }
    }

    private enum Attribute: Decodable {
        case number(Double)
        case text(String)
        case other

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let number = try? value.decode(Double.self) {
                self = .number(number)
            } else if let text = try? value.decode(String.self) {
                self = .text(text)
            } else {
                self = .other
            }
        }
    }
}

/// The event in the payload of a broadcast.
struct BroadcastEvent {
    /// Whether it is `update` or `end`.
    let isUsual: Bool

    init(body: [UInt8]) {
        let event = try? JSONDecoder().decode(Payload.self, from: Data(body)).aps.event
        isUsual = event == "update" || event == "end"
    }

    private struct Payload: Decodable {
        struct Aps: Decodable { let event: String? }
        let aps: Aps
    }
}

/// The ids of channels: base64 with padding (RFC 4648 section 4).
enum ChannelIDForm {
    static func isWellFormed(_ id: String) -> Bool {
        Data(base64Encoded: id)?.isEmpty == false
    }

    /// Returns the id of a new channel from random bits: 24 characters, as in Apple's documentation.
    static func id(from bits: UInt128) -> String {
        withUnsafeBytes(of: bits.bigEndian) { Data($0).base64EncodedString() }
    }
}
