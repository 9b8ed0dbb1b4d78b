import PushJSON
import PushPlatform
import PushQueue
import PushWire

/// The API keys as records of the queue, of the kind `api_key`: the public part is the record's key, and the value has SHA-256 of the
/// whole key.
struct RecordKeys: KeyStore {
    private let queue: any QueueBackend

    init(_ queue: any QueueBackend) {
        self.queue = queue
    }

    private static let kind = "api_key"

    func create(
        apps: [String], scopes: [String], name: String
    ) async throws(QueueError) -> (text: String, facts: KeyFacts) {
        let created = try await queue.now()
        while true {
            var generator = SystemRandomNumberGenerator()
            let id = Self.newID(using: &generator)
            let text = "psk_\(id)_\(Self.newSecret(using: &generator))"
            guard let digest = Fingerprint.digest(of: Array(text.utf8)) else {
                throw QueueError(.defect, "SHA-256 is not available.")
            }
            let facts = KeyFacts(id: id, name: name, apps: apps, scopes: scopes, created: created)
            let value = Self.encoded(facts, digest)
            // An id that exists already is not taken again.
            if try await queue.store(value, kind: Self.kind, key: id, ifVersion: 0) != nil { return (text, facts) }
        }
    }

    func list() async throws(QueueError) -> [KeyFacts] {
        var keys: [KeyFacts] = []
        var last: String?
        while true {
            let page = try await queue.records(kind: Self.kind, after: last, limit: 1000)
            keys += page.compactMap(Self.facts)
            guard let end = page.last else { return keys }
            last = end.key
        }
    }

    func revoke(_ id: String) async throws(QueueError) -> Bool {
        try await queue.removeRecord(kind: Self.kind, key: id, ifVersion: nil)
    }

    // MARK: Text

    private static let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")

    private static func newID(using generator: inout some RandomNumberGenerator) -> String {
        String((0..<8).map { _ in letters.randomElement(using: &generator) ?? "a" })
    }

    /// 32 random bytes in base64url, which are 43 characters.
    private static func newSecret(using generator: inout some RandomNumberGenerator) -> String {
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return Data(bytes).base64EncodedString().filter { $0 != "=" }.replacing("+", with: "-").replacing(
            "/", with: "_")
    }

    // MARK: Records

    private static func encoded(_ facts: KeyFacts, _ digest: [UInt8]) -> [UInt8] {
        let hex = digest.map { (byte: UInt8) in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        return JSONValue.object([
            "name": .string(facts.name), "apps": .array(facts.apps.map { .string($0) }),
            "scopes": .array(facts.scopes.map { .string($0) }),
            "created": .integer(Int(facts.created.milliseconds)), "sha256": .string(hex),
        ]).encoded
    }

    private static func facts(_ record: ServiceRecord) -> KeyFacts? {
        guard let value = JSONValue(json: record.value), case .string(let name)? = value["name"],
            case .array(let apps)? = value["apps"], case .array(let scopes)? = value["scopes"],
            case .integer(let created)? = value["created"]
        else { return nil }
        return KeyFacts(
            id: record.key, name: name, apps: apps.compactMap(text), scopes: scopes.compactMap(text),
            created: QueueTime(milliseconds: Int64(created)))
    }

    private static func text(_ value: JSONValue) -> String? {
        guard case .string(let text) = value else { return nil }
        return text
    }
}
