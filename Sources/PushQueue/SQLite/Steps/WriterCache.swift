import PushPlatform

/// What the writer caches between transactions. All of it may be forgotten, or be from a transaction that failed.
final class WriterCache {
    var rows = RowNumbers()
    /// The slice of the index of targets that grows, and how many jobs it has room for.
    var slice: (number: Int64, free: Int) = (0, 0)
    /// Whether a transaction of this process has committed where the numbers of its outcomes begin.
    var hasNumbers = false
    private var random = RandomNumberBuffer()
    var bodies = PayloadBodies()
    private var recent = RecentNumbers<PayloadKey>(maximum: 16_384)

    /// The key of a payload: the first 8 bytes of its SHA-256. Two payloads can have the same key, so the bodies have to be
    /// compared.
    struct PayloadKey: Hashable {
        let app: Int64
        let digest: Int64

        init(app: Int64, digest: [UInt8]) {
            self.app = app
            self.digest = digest.prefix(8).reduce(0) { $0 << 8 | Int64($1) }
        }
    }

    func randomNumber() -> UInt64 { random.next() }

    /// The payload may have been removed since.
    func recentPayload(_ key: PayloadKey) -> Int64? { recent[key] }

    func remember(_ payload: Int64, as key: PayloadKey) { recent.add(payload, for: key) }

    /// Forgets all payloads, because a transaction was rolled back: other payloads get the numbers of its payloads.
    func forgetUndone() {
        bodies.removeAll()
        recent.removeAll()
    }
}
