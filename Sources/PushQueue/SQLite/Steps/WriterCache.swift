import PushPlatform

/// What the writer caches between transactions. All of it may be forgotten, or be from a transaction that failed.
final class WriterCache {
    var rows = RowNumbers()
    /// The slice of the index of targets that grows, and how many jobs it has room for.
    var slice: (number: Int64, free: Int) = (0, 0)
    /// Whether a transaction of this process has committed where the numbers of its outcomes begin.
    var hasNumbers = false
    private var random = RandomNumberBuffer()
    private var payloads: [Int64: [UInt8]] = [:]
    private var payloadBytes = 0
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

    /// The maximum number of bytes of payloads that are remembered.
    private static let maximum = 16 << 20

    func randomNumber() -> UInt64 { random.next() }

    /// The body of a payload. The number of a payload is not used again, unless a transaction is undone: then call
    /// ``forgetUndone()``.
    func payload(_ number: Int64, read: () throws(QueueError) -> [UInt8]) throws(QueueError) -> [UInt8] {
        if let body = payloads[number] { return body }
        let body = try read()
        if payloadBytes + body.count > Self.maximum { (payloads, payloadBytes) = ([:], 0) }
        payloads[number] = body
        payloadBytes += body.count
        return body
    }

    /// The number of a payload that was stored recently; `nil` if it is not in the cache. The payload may have been removed since.
    func recentPayload(_ key: PayloadKey) -> Int64? { recent[key] }

    func remember(_ payload: Int64, as key: PayloadKey) { recent.add(payload, for: key) }

    /// Forgets the bodies of payloads, because some were erased.
    func forgetBodies() {
        (payloads, payloadBytes) = ([:], 0)
    }

    /// Forgets all payloads, because a transaction was rolled back: other payloads get the numbers of its payloads.
    func forgetUndone() {
        forgetBodies()
        recent.removeAll()
    }
}
