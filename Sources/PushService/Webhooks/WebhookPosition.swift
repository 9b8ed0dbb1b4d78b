internal import PushQueue

/// The position of a webhook. It is stored in the database of the queue, so that a service continues from it after a kill.
struct WebhookPosition: Equatable {
    /// An event that the receiver has not taken yet, and that will be posted again.
    struct Parked: Equatable {
        let cursor: QueueResultCursor
        /// How often it has failed.
        let failures: Int
        /// When it was posted for the first time.
        let first: QueueTime
        /// When it is posted again.
        let due: QueueTime
    }

    /// Each event up to this one is done, or is in ``parked``.
    var cursor: QueueResultCursor
    /// Events that are posted again. They can also be beyond the cursor.
    var parked: [Parked] = []

    init(_ cursor: QueueResultCursor, parked: [Parked] = []) {
        (self.cursor, self.parked) = (cursor, parked)
    }

    /// Reads what ``bytes`` has written; `nil` if it is something else.
    init?(_ bytes: [UInt8]) {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        guard let first = lines.first, let number = Int64(first) else { return nil }
        cursor = QueueResultCursor(number: number)
        for line in lines.dropFirst() {
            let numbers = line.split(separator: " ").map { Int64($0) }
            guard numbers.count == 4, let number = numbers[0], let failures = numbers[1], let first = numbers[2],
                let due = numbers[3]
            else { return nil }
            parked.append(
                Parked(
                    cursor: QueueResultCursor(number: number), failures: Int(failures),
                    first: QueueTime(milliseconds: first), due: QueueTime(milliseconds: due)))
        }
    }

    /// A line with the cursor, and a line for each parked event: its cursor, failures, first and due time.
    var bytes: [UInt8] {
        let lines = parked.map { event in
            "\(event.cursor.number) \(event.failures) \(event.first.milliseconds) \(event.due.milliseconds)"
        }
        return Array((["\(cursor.number)"] + lines).joined(separator: "\n").utf8)
    }
}
