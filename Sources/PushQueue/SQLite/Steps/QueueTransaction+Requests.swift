/// Idempotency keys.
extension QueueTransaction {
    /// What a request with an idempotency key is answered without being done; `nil` if it is to be done.
    func earlierAnswer(to request: EnqueueRequest, app: Int64) throws(QueueError) -> EnqueueAnswer? {
        guard let key = request.idempotency else { return nil }
        try QueueArgument.require(key)
        return try stored(key.key, app: app)?.answer(to: request)
    }

    func storeAnswer(_ results: [EnqueueResult], to request: EnqueueRequest, app: Int64) throws(QueueError) {
        guard let key = request.idempotency else { return }
        try sql(.putRequest).run(
            app, key.key, key.digest, StoredRequest.State.enqueued.rawValue, request.reservation?.fence ?? 0,
            steady + options.keepKeys, StoredAnswer.bytes(of: results))
    }

    func reserve(_ key: QueueIdempotencyKey, app: String, lasting: Duration) throws(QueueError)
        -> QueueReservationAnswer
    {
        let app = try appOrNew(app)
        if let stored = try stored(key.key, app: app) { return stored.answer(to: key) }
        let fence = nextFence()
        try sql(.putRequest).run(
            app, key.key, key.digest, StoredRequest.State.reserved.rawValue, fence, steady + lasting, nil as [UInt8]?)
        return .reserved(QueueReservation(fence: fence))
    }

    func release(_ key: QueueIdempotencyKey, app: String, reservation: QueueReservation) throws(QueueError) {
        guard let app = try self.app(app) else { return }
        try sql(.releaseRequest).run(app, key.key, reservation.fence)
    }

    /// The stored state of a key; `nil` if the key is unknown, or has expired.
    private func stored(_ key: String, app: Int64) throws(QueueError) -> StoredRequest? {
        try sql(.request).first(app, key, steady) { StoredRequest($0) }
    }
}

extension SQLText {
    fileprivate static let request = SQLText(
        "SELECT digest, state, fence, answer FROM request WHERE app = ?1 AND key = ?2 AND until > ?3")
    fileprivate static let putRequest = SQLText(
        "INSERT OR REPLACE INTO request VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
    fileprivate static let releaseRequest = SQLText(
        "DELETE FROM request WHERE app = ?1 AND key = ?2 AND fence = ?3 AND state = 0")
}
