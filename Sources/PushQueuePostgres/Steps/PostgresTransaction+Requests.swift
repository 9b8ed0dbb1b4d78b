import PushPlatform
import PushQueue

extension PostgresTransaction {
    /// The stored answers of repeated requests; `nil` for a request that must be executed. Reserves the idempotency
    /// keys of such requests.
    func earlierAnswers(
        to requests: [PostgresEnqueue], _ apps: [Int32]
    ) throws(QueueError) -> [EnqueueAnswer?] {
        var answers = [EnqueueAnswer?](repeating: nil, count: requests.count)
        var statements: [PostgresStatement] = []
        let keyed = requests.indices.compactMap { index in
            requests[index].request.idempotency.map { (index: index, key: $0) }
        }
        // All transactions lock keys in this order.
        let ordered = keyed.sorted { first, second in
            AppKey(app: apps[first.index], text: first.key.key) < AppKey(app: apps[second.index], text: second.key.key)
        }
        for (index, key) in ordered {
            let enqueue = requests[index]
            try QueueArgument.require(key)
            // A request of which nothing is stored does not use its key up.
            if !enqueue.isRefused { statements.append(insert(key, enqueue, apps[index])) }
            statements.append(
                PostgresStatement(.request, apps[index], key.key, steady))
        }
        guard !statements.isEmpty else { return answers }
        var results = try query(statements)[...]
        for index in ordered.map(\.index) {
            let isTaken = requests[index].isRefused ? false : results.removeFirst().count > 0
            let stored = results.removeFirst().first.map { StoredRequest($0) }
            if isTaken || (requests[index].isRefused && stored == nil) { continue }
            answers[index] = stored.map { $0.answer(to: requests[index].request) } ?? .inProgress
        }
        return answers
    }

    private func insert(_ key: QueueIdempotencyKey, _ enqueue: PostgresEnqueue, _ app: Int32) -> PostgresStatement {
        let until = steady + options.queue.keepKeys
        return PostgresStatement(
            .insertRequest, app, key.key, key.digest, until, steady,
            PostgresValue.int8(enqueue.request.reservation?.fence ?? -1))
    }

    func storeAnswer(_ results: [EnqueueResult], to request: EnqueueRequest, app: Int32) {
        guard let key = request.idempotency else { return }
        perform(.storeAnswer, app, key.key, StoredAnswer.bytes(of: results))
    }

    func reserve(_ key: QueueIdempotencyKey, app: String, lasting: Duration) throws(QueueError)
        -> QueueReservationAnswer
    {
        let app = try appOrNew(app)
        let results = try query([
            PostgresStatement(.reserve, app, key.key, key.digest, (steady + lasting), steady),
            PostgresStatement(.request, app, key.key, steady),
        ])
        if let row = results[0].first { return .reserved(QueueReservation(fence: row.integer(0))) }
        return results[1].first.map { StoredRequest($0).answer(to: key) } ?? .inProgress
    }

    func release(_ key: QueueIdempotencyKey, app: String, reservation: QueueReservation) throws(QueueError) {
        guard let app = try self.app(app) else { return }
        perform(.releaseRequest, app, key.key, reservation.fence)
    }
}

extension PostgresText {
    /// `until + 0` keeps the planner from the index `request_until`, so it uses the primary key.
    fileprivate static let request: PostgresText = """
        SELECT digest, state, fence, answer FROM request
        WHERE app = $1::int4 AND key = $2::text AND until + 0 > $3::int8
        """
    /// Takes a key that is free, or that this request has reserved. Another transaction with the same key is waited for.
    fileprivate static let insertRequest: PostgresText = """
        INSERT INTO request AS r VALUES ($1::int4, $2::text, $3::bytea, 1, greatest($6::int8, 0), $4::int8, NULL)
        ON CONFLICT (app, key) DO UPDATE SET digest = excluded.digest, state = excluded.state, fence = excluded.fence,
            until = excluded.until, answer = NULL
        WHERE r.until <= $5::int8 OR (r.state = 0 AND r.fence = $6::int8 AND r.digest = excluded.digest)
        RETURNING 1
        """
    fileprivate static let storeAnswer = PostgresText(
        "UPDATE request SET answer = $3::bytea WHERE app = $1::int4 AND key = $2::text")
    fileprivate static let reserve: PostgresText = """
        INSERT INTO request AS r VALUES ($1::int4, $2::text, $3::bytea, 0, nextval('fence'), $4::int8, NULL)
        ON CONFLICT (app, key) DO UPDATE SET digest = excluded.digest, state = 0, fence = excluded.fence,
            until = excluded.until, answer = NULL
        WHERE r.until <= $5::int8
        RETURNING fence
        """
    fileprivate static let releaseRequest = PostgresText(
        "DELETE FROM request WHERE app = $1::int4 AND key = $2::text AND fence = $3::int8 AND state = 0")
}
