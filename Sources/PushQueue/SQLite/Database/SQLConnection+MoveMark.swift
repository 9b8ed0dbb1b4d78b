extension SQLConnection {
    /// The mark of a queue that is being moved, or was moved; `nil` for other queues.
    func moveMark() throws(QueueError) -> MoveMark? {
        try self(.moveMark).first(MoveMark.kind, MoveMark.key) { MoveMark($0.bytes(0)) }
    }

    func setMoveMark(_ mark: MoveMark) throws(QueueError) {
        try self(.setMoveMark).run(MoveMark.kind, MoveMark.key, mark.bytes)
    }
}

extension SQLText {
    fileprivate static let moveMark = SQLText("SELECT value FROM record WHERE kind = ?1 AND key = ?2")
    fileprivate static let setMoveMark = SQLText("INSERT OR REPLACE INTO record VALUES (?1, ?2, ?3, 1)")
}
