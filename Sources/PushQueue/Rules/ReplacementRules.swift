package import PushPlatform

/// How a redriven job keeps the place of the first one: its id is a last member of ``NewQueueJob/push`` if that is a JSON object.
package enum RedrivenPush {
    package static let member = "after"

    /// The push of the new job. A job that was redriven before keeps its first place, so readers take the first of several members.
    package static func bytes(_ push: [UInt8], after id: UUID) -> [UInt8] {
        let member = Array("\"\(member)\":\"\(id.uuidString.lowercased())\"}".utf8)
        if push.isEmpty { return [UInt8(ascii: "{")] + member }
        // A push to a person is an array, which ends with the object.
        if push.last == UInt8(ascii: "]") { return bytes(push.dropLast(), after: id) + [UInt8(ascii: "]")] }
        guard push.last == UInt8(ascii: "}") else { return push }
        let rest = push.dropLast()
        let isEmpty = rest.last { $0 > UInt8(ascii: " ") } == UInt8(ascii: "{")
        return Array(rest) + (isEmpty ? [] : [UInt8(ascii: ",")]) + member
    }
}

/// What a dead letter says about the time at which its push was to be sent.
package struct RedrivenTimes: Equatable {
    package var due: QueueTime
    package var queued: QueueTime
    package var attempts: Int
    /// When its campaign starts; `nil` for no such time.
    package var starts: QueueTime?

    package init(due: QueueTime, queued: QueueTime, attempts: Int, starts: QueueTime?) {
        (self.due, self.queued, self.attempts, self.starts) = (due, queued, attempts, starts)
    }

    /// The times of the new job. A delivery time that lies ahead is kept.
    ///
    /// - Returns: The times; `nil` if the new job would expire at once, or before it is due, which is refused for a new push, too.
    package func times(expiry: NewQueueJob.Expiry, now: QueueTime) -> EnqueueRules.Times? {
        // A job that was tried was due. Its time is that of a retry.
        let own = attempts == 0 && due > queued ? due : nil
        var wish = NewQueueJob(to: .device(""), payload: [])
        wish.expiry = expiry
        if let time = [own, starts].compactMap(\.self).max() { wish.due = .at(time) }
        return try? EnqueueRules.times(of: wish, now: now).get()
    }
}

package enum ReplacementRules {
    /// Until when the newest push of a key is remembered: as long as other keys, up to a whole hour, so that most repetitions change no index.
    package static func until(_ steady: SteadyTime, _ keepKeys: Duration) -> SteadyTime {
        let hour: Int64 = 3_600_000
        return SteadyTime(milliseconds: ((steady + keepKeys).milliseconds / hour + 1) * hour)
    }

    /// The place of a job whose id was given before it came to the queue, and has another time than the due one.
    package static func place(of id: UUID, due: QueueTime) -> UUID {
        let key = JobKey(id)
        return JobKey(row: due.milliseconds << 20 | (key?.row ?? 0) & 0xFFFFF, tag: key?.tag ?? 0).id
    }

    /// The first place that no started push can have: its due time lies ahead. If the newest one has such a place, the wall clock was set back
    /// since, and a push that is due now is newer. The second is for due times that many jobs share: their numbers run ahead.
    package static func future(_ now: QueueTime) -> UUID {
        JobKey(row: (now + .seconds(1)).milliseconds << 20, tag: 0).id
    }
}

extension QueueError {
    package static var expiredRedrive: QueueError {
        QueueError(.invalid, "A job that is sent again must expire later than now, and later than its delivery time.")
    }
}
