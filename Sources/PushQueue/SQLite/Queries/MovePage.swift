/// Reads numbers from the file. A damaged number must not end the process: the batch ends with an error.
struct MovedNumbers {
    private var damage: String?

    mutating func small(_ number: Int64, _ what: String) -> Int16 {
        if let small = Int16(exactly: number) { return small }
        damage = damage ?? "the \(what) is \(number)"
        return 0
    }

    func pass(_ path: String) throws(QueueError) {
        if let damage { throw .damaged(path, damage) }
    }
}

/// A part of a table: it ends after a number of rows or bytes.
struct MovePage {
    let position: MovePosition
    let limit: Int
    private var bytes: Int
    private var rows = 0
    private var isFull = false
    private var last: MovePosition

    init(after position: MovePosition, most: Int, bytes: Int) {
        (self.position, last, limit, self.bytes) = (position, position, most, bytes)
    }

    /// Adds a row. Returns whether another one has room.
    mutating func add(bytes: Int, _ move: (inout MovePosition) -> Void) -> Bool {
        move(&last)
        rows += 1
        self.bytes -= bytes
        isFull = rows >= limit || self.bytes <= 0
        return !isFull
    }

    /// The position after the page. After the last page of a part, the next part begins.
    var end: MovePosition { isFull ? last : MovePosition(position.part.next) }
}
