import PushPlatform

/// Gone tokens, and the records of the service.
extension QueueTransaction {
    func recordGone(_ tokens: [GoneToken], app: String) throws(QueueError) {
        let app = try appOrNew(app)
        for token in tokens { try recordGone(.device(token.token), since: token.since, app: app) }
    }

    func recordGone(_ target: QueueJobTarget?, since: QueueTime, app: Int64) throws(QueueError) {
        guard case .device(let token) = target else { return }
        try sql(.putGone).run(app, token, since, changes.sequence + 1)
        changes.sequence += 1
    }

    func forgetGone(_ tokens: [String], app: String) throws(QueueError) {
        guard let app = try self.app(app) else { return }
        for token in tokens { try sql(.dropGone).run(app, token) }
    }

    // MARK: Records

    func store(
        _ value: [UInt8], kind: String, key: String, ifVersion version: Int64?
    ) throws(QueueError) -> Int64? {
        let found = try recordVersion(kind, key) ?? 0
        if let version, version != found { return nil }
        // A record that was removed and stored again does not get an old version.
        let next = nextNumber()
        try sql(.putRecord).run(kind, key, value, next)
        return next
    }

    func removeRecord(kind: String, key: String, ifVersion version: Int64?) throws(QueueError) -> Bool {
        let found = try recordVersion(kind, key)
        guard let found, version == nil || version == found else { return false }
        try sql(.dropRecord).run(kind, key)
        return true
    }

    func recordVersion(_ kind: String, _ key: String) throws(QueueError) -> Int64? {
        try sql(.recordVersion).first(kind, key) { $0.integer(0) }
    }

    /// Changes something, so that the commit shows whether the disk takes it.
    func check() throws(QueueError) {
        try sql(.check).run()
    }
}

extension SQLText {
    fileprivate static let putGone: SQLText = """
        INSERT INTO gone VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (app, token) DO UPDATE SET since = excluded.since, number = excluded.number
        WHERE excluded.since > since
        """
    static let dropGone = SQLText("DELETE FROM gone WHERE app = ?1 AND token = ?2")
    fileprivate static let recordVersion = SQLText("SELECT version FROM record WHERE kind = ?1 AND key = ?2")
    fileprivate static let putRecord = SQLText("INSERT OR REPLACE INTO record VALUES (?1, ?2, ?3, ?4)")
    fileprivate static let dropRecord = SQLText("DELETE FROM record WHERE kind = ?1 AND key = ?2")
    fileprivate static let check = SQLText("UPDATE clock SET checked = checked + 1 WHERE id = 1")
}
