internal import HTTPTypes
internal import Hummingbird
internal import NIOConcurrencyHelpers
import PushHTTP
import PushJSON
import PushPlatform
import PushQueue
internal import PushWire

/// The sessions of browsers. A login exchanges a key for a session. Scripts cannot read the id of the session.
///
/// Sessions are records of the queue, so all workers can read them, and a restart does not end them. If another worker ends a
/// session, this worker refuses it after at most ``cacheTime``.
final class Sessions: Sendable {
    struct Session: Sendable, Hashable {
        /// The key that opened it. The session ends when the key is revoked.
        var key: KeyProof
        /// The token that every write of the session must have.
        var csrf: String
        /// The end, by the clock of the queue.
        var until: QueueTime
    }

    static let lifetime = Duration.seconds(12 * 3600)
    /// How long a session is accepted without looking at the queue again.
    static let cacheTime = Duration.seconds(2)
    /// The maximum number of sessions. A key has at most half of them. The session that ends first makes room for another one:
    /// of the same key, or of the key that has most.
    static let maximum = 1000
    /// The kind of the records. The key of a record is the SHA-256 of the id, so that the database has no id.
    static let kind = "session"

    private struct Remembered {
        var session: Session
        var until: ContinuousClock.Instant
    }

    private struct State {
        var sessions: [String: Remembered] = [:]
        /// Grows with each end of a session, so that nothing is remembered that was read before it.
        var changes = 0
    }

    private let queue: any QueueBackend
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let state = NIOLockedValueBox(State())

    init(_ queue: any QueueBackend, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        (self.queue, self.clock) = (queue, clock)
    }

    /// Opens a session with a new id.
    ///
    /// - Returns: The id and the session; `nil` if SHA-256 is not available.
    func open(_ key: KeyProof) async throws(QueueError) -> (id: String, session: Session)? {
        var generator = SystemRandomNumberGenerator()
        let (id, csrf) = (Self.random(using: &generator), Self.random(using: &generator))
        guard let name = Self.name(of: id) else { return nil }
        let now = try await queue.now()
        try await makeRoom(for: key, at: now)
        let session = Session(key: key, csrf: csrf, until: now + Self.lifetime)
        _ = try await queue.store(session.encoded, kind: Self.kind, key: name, ifVersion: nil)
        return (id, session)
    }

    /// Removes sessions that have ended, and one more if there are too many.
    private func makeRoom(for key: KeyProof, at now: QueueTime) async throws(QueueError) {
        let records = try await queue.records(kind: Self.kind, after: nil, limit: Self.maximum)
        let found = records.map { record in
            let session = Session(record.value)
            return (record: record.key, id: session?.key.id ?? "", until: session?.until ?? .earliest)
        }
        var removed = found.filter { $0.until <= now }
        var limit = SharedLimit(Self.maximum)
        for session in found where session.until > now { _ = limit.take(1, for: .key(session.id)) }
        let isFull = found.count - removed.count >= Self.maximum
        if let refusal = limit.refusal(of: 1, for: .key(key.id)) ?? (isFull ? .whole : nil) {
            let id =
                refusal == .share
                ? key.id : found.max { limit.used(by: .key($0.id)) < limit.used(by: .key($1.id)) }?.id
            removed += [found.filter { $0.id == id }.min { $0.until < $1.until }].compactMap(\.self)
        }
        for session in removed {
            _ = try await queue.removeRecord(kind: Self.kind, key: session.record, ifVersion: nil)
        }
    }

    func session(_ id: String) async throws(QueueError) -> Session? {
        guard let name = Self.name(of: id) else { return nil }
        let now = clock()
        let (remembered, changes) = state.withLockedValue { ($0.sessions[name], $0.changes) }
        if let remembered, remembered.until > now { return remembered.session }
        let read = try await queue.record(kind: Self.kind, key: name).flatMap { Session($0.value) }
        guard let read else { return nil }
        let left = read.until - (try await queue.now())
        state.withLockedValue { state in
            guard state.changes == changes else { return }
            if state.sessions.count >= Self.maximum { state.sessions = [:] }
            state.sessions[name] = Remembered(session: read, until: now + min(left, Self.cacheTime))
        }
        return left > .zero ? read : nil
    }

    func close(_ id: String) async throws(QueueError) {
        guard let name = Self.name(of: id) else { return }
        _ = try await queue.removeRecord(kind: Self.kind, key: name, ifVersion: nil)
        state.withLockedValue { state in
            state.changes += 1
            state.sessions[name] = nil
        }
    }

    /// The key of the record of a session. The time of the search does not show how much of an id is right.
    private static func name(of id: String) -> String? {
        Fingerprint.digest(of: Array(id.utf8)).map { HexText.of($0) }
    }

    static let idBytes = 32

    private static func random(using generator: inout some RandomNumberGenerator) -> String {
        Base64URL.encode((0..<idBytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}

enum SessionCookie {
    static let csrfField = HTTPField.Name("x-csrf-token")

    private static let maximumIDs = 16

    /// Browsers refuse the one for HTTPS from all other hosts, and without HTTPS.
    private static func name(isSecure: Bool) -> String { isSecure ? "__Host-pushserve_session" : "pushserve_session" }

    /// Without HTTPS, a page of the same site can add some that are none, and that must not end a session.
    static func ids(in request: Request, isSecure: Bool) -> [String] {
        let name = name(isSecure: isSecure)
        let ids = request.headers[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap { part in
            let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, pair[0] == name, Base64URL.decode(pair[1])?.count == Sessions.idBytes else {
                return nil as String?
            }
            return String(pair[1])
        }
        return Array(Set(ids).sorted().prefix(maximumIDs))
    }

    /// The value of `set-cookie`.
    static func field(_ id: String, lasting duration: Duration, isSecure: Bool) -> String {
        let seconds = duration.components.seconds
        let name = name(isSecure: isSecure)
        return "\(name)=\(id); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
    }
}

extension Sessions.Session {
    var encoded: [UInt8] {
        PushJSONValue.object([
            "key": .string(key.id), "sha256": .string(HexText.of(key.digest)), "csrf": .string(csrf),
            "until": .integer(Int(until.milliseconds)),
        ]).encoded
    }

    /// `nil` if the record is damaged.
    init?(_ bytes: [UInt8]) {
        guard let value = PushJSONValue(json: bytes), case .string(let id)? = value["key"],
            case .string(let hex)? = value["sha256"], case .string(let csrf)? = value["csrf"],
            case .integer(let until)? = value["until"], let digest = HexText.bytes(of: hex)
        else { return nil }
        self.init(
            key: KeyProof(id: id, digest: digest), csrf: csrf, until: QueueTime(milliseconds: Int64(until)))
    }
}
