internal import NIOConcurrencyHelpers
import PushHTTP
package import PushQueue
internal import PushWire

/// The keys of the API. The queue stores only the SHA-256 of each key. A key is shown once, when it is created.
///
/// A key that this object revokes is refused at once. A key that another process revokes is refused after at most ``cacheTime``.
package final class APIKeys: Sendable {
    /// How long a key is accepted without looking at the queue again.
    static let cacheTime = Duration.seconds(2)
    /// The maximum number of remembered keys. Beyond it, all are forgotten.
    private static let maximumRemembered = 10_000
    private static let kind = "api_key"
    /// The records with the times of the last uses.
    private static let useKind = "api_key_use"
    private static let usePace = Duration.seconds(60)

    private struct Remembered {
        var stored: StoredKey
        var until: ContinuousClock.Instant
    }

    private struct State {
        var keys: [String: Remembered] = [:]
        /// When each key was used for the last time, as far as that is not stored.
        var uses: [String: QueueTime] = [:]
        /// Grows with each change by this object, so that nothing is remembered that was read before it.
        var changes = 0
    }

    private let queue: any QueueBackend
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let state = NIOLockedValueBox(State())

    package convenience init(_ queue: any QueueBackend) {
        self.init(queue) { .now }
    }

    init(_ queue: any QueueBackend, clock: @escaping @Sendable () -> ContinuousClock.Instant) {
        (self.queue, self.clock) = (queue, clock)
    }

    // MARK: Making and revoking

    /// Makes a key.
    ///
    /// - Parameters:
    ///   - apps: The apps that the key is for; `["*"]` for all.
    ///   - scopes: What the key may do.
    ///   - name: What the key is for.
    ///   - audit: What is noted of the key.
    /// - Returns: The key, which cannot be shown again, and its stored data.
    /// - Throws: ``QueueError``.
    package func create(
        apps: [String], scopes: Set<KeyScope>, name: String = "", audit: ((APIKey) -> QueueAuditEntry)? = nil
    ) async throws(QueueError) -> (text: String, key: APIKey) {
        guard !apps.isEmpty, !scopes.isEmpty else {
            throw QueueError(.invalid, "A key needs at least one app and one scope.")
        }
        var generator = SystemRandomNumberGenerator()
        let created = try await queue.now()
        while true {
            let text = KeyText(using: &generator)
            let key = APIKey(id: text.id, name: name, apps: apps, scopes: scopes, created: created)
            let stored = StoredKey(key: key, digest: try Fingerprint.sha256(of: Array(text.text.utf8)))
            // An id that exists already is not taken again.
            let made = try await queue.store(
                stored.encoded, kind: Self.kind, key: text.id, ifVersion: 0, audit: audit?(key))
            if made != nil {
                return (text.text, key)
            }
        }
    }

    package func list() async throws(QueueError) -> [APIKey] {
        try await queue.records(kind: Self.kind).compactMap { StoredKey($0)?.key }
    }

    /// Revokes a key. Returns whether there was such a key.
    package func revoke(_ id: String, audit: QueueAuditEntry? = nil) async throws(QueueError) -> Bool {
        let existed = try await queue.removeRecord(kind: Self.kind, key: id, ifVersion: nil, audit: audit)
        state.withLockedValue { state in
            state.changes += 1
            (state.keys[id], state.uses[id]) = (nil, nil)
        }
        _ = try await queue.removeRecord(kind: Self.useKind, key: id, ifVersion: nil)
        return existed
    }

    // MARK: Uses

    /// When each key was used for the last time, by its id.
    func uses() async throws(QueueError) -> [String: QueueTime] {
        var uses: [String: QueueTime] = [:]
        for record in try await queue.records(kind: Self.useKind) {
            uses[record.key] = Int64(String(decoding: record.value, as: UTF8.self)).map {
                QueueTime(milliseconds: $0)
            }
        }
        return uses.merging(state.withLockedValue { $0.uses }) { max($0, $1) }
    }

    func storeUses() async {
        while (try? await Task.sleep(for: Self.usePace)) != nil {
            let uses = state.withLockedValue { state in
                defer { state.uses = [:] }
                return state.uses
            }
            for (id, time) in uses {
                // It is for people. If the queue cannot be written now, the next use is stored.
                _ = try? await queue.store(
                    Array("\(time.milliseconds)".utf8), kind: Self.useKind, key: id, ifVersion: nil)
            }
        }
    }

    private func used(_ id: String) {
        let now = QueueTime.now
        state.withLockedValue { $0.uses[id] = now }
    }

    // MARK: Verifying

    /// Finds the key that a text is; `nil` if it is not a valid key. The time does not depend on how much of the text is right.
    func verify(_ text: String) async throws(QueueError) -> APIKey? {
        try await proof(of: text)?.1
    }

    /// A value that shows later whether the key is still valid, without the key; `nil` if the text is not a valid key.
    func proof(of text: String) async throws(QueueError) -> (KeyProof, APIKey)? {
        guard let given = KeyText(text) else { return nil }
        let proof = KeyProof(id: given.id, digest: try Fingerprint.sha256(of: Array(given.text.utf8)))
        return try await key(of: proof).map { (proof, $0) }
    }

    /// `nil` if it was revoked since.
    func key(of proof: KeyProof) async throws(QueueError) -> APIKey? {
        guard let stored = try await stored(proof.id), ConstantTime.isEqual(stored.digest, proof.digest) else {
            return nil
        }
        used(proof.id)
        return stored.key
    }

    private func stored(_ id: String) async throws(QueueError) -> StoredKey? {
        let now = clock()
        let (remembered, changes) = state.withLockedValue { ($0.keys[id], $0.changes) }
        if let remembered, remembered.until > now { return remembered.stored }
        let read = try await queue.record(kind: Self.kind, key: id).flatMap { StoredKey($0) }
        state.withLockedValue { state in
            guard state.changes == changes else { return }
            if state.keys.count >= Self.maximumRemembered { state.keys = [:] }
            state.keys[id] = read.map { Remembered(stored: $0, until: now + Self.cacheTime) }
        }
        return read
    }
}

extension Fingerprint {
    /// SHA-256 as 32 bytes, where nothing can go on without it.
    static func sha256(of bytes: [UInt8]) throws(QueueError) -> [UInt8] {
        guard let digest = digest(of: bytes) else {
            throw QueueError(.defect, "OpenSSL can't compute SHA-256. Please report this.")
        }
        return digest
    }
}
