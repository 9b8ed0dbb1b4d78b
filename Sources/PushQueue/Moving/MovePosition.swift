/// The parts of a move, in their order. The keys, which prevent that a push is sent twice, come before the jobs. Campaigns are hidden
/// until all of their lines are there.
package enum MovePart: String, Sendable, Hashable, CaseIterable {
    /// Records of the service, such as API keys.
    case records
    /// Dedupe keys that are valid.
    case dedupeKeys = "dedupe_keys"
    /// Idempotency keys that are valid, with their answers.
    case idempotencyKeys = "idempotency_keys"
    /// Device tokens that are gone.
    case goneTokens = "gone_tokens"
    /// Campaigns that have not ended. They stay hidden.
    case campaigns
    /// The numbers of their lines.
    case lines
    /// Their refused lines.
    case refusals
    /// Their lines that were not accepted.
    case failures
    /// Their outcomes, by reason.
    case outcomes
    /// Jobs without an outcome.
    case jobs
    /// The campaigns become visible, and continue.
    case shownCampaigns = "shown_campaigns"
    /// Everything is there.
    case end

    package var next: MovePart {
        let all = Self.allCases
        let index = all.firstIndex(of: self) ?? all.endIndex
        return index + 1 < all.endIndex ? all[index + 1] : .end
    }
}

/// The position of a move: the last entry that was moved, in the order of the tables of the file.
package struct MovePosition: Sendable, Hashable {
    package var part: MovePart
    /// The number of the row, the app or the campaign; -1 at the beginning of a part.
    package var number: Int64 = -1
    /// The second number of the key; -1 at the beginning of a part.
    package var second: Int64 = -1
    /// The texts of the key.
    package var name = ""
    package var key = ""

    package init(_ part: MovePart) {
        self.part = part
    }

    package static let start = MovePosition(.records)
}

/// The record of a move in the target. The transaction that stores a batch also stores it.
package struct MoveProgress: Sendable, Hashable {
    package var position: MovePosition
    /// How many things have arrived, by part.
    package var arrived: [MovePart: Int] = [:]
    /// How many things the target had already, by part. It kept its own.
    package var present: [MovePart: Int] = [:]

    /// How many things of a part were inserted into the target or were there already.
    package func inserted(_ part: MovePart) -> Int { (arrived[part] ?? 0) &+ (present[part] ?? 0) }

    package init(_ position: MovePosition = .start) {
        self.position = position
    }

    private static let separator: UInt8 = 0

    package var bytes: [UInt8] {
        var parts = [
            position.part.rawValue, "\(position.number)", "\(position.second)", position.name, position.key,
        ]
        for part in MovePart.allCases {
            parts.append("\(arrived[part] ?? 0)")
            parts.append("\(present[part] ?? 0)")
        }
        return Array(parts.joined(separator: "\0").utf8)
    }

    /// Reads what ``bytes`` has written; `nil` if it is something else.
    package init?(_ bytes: [UInt8]) {
        let parts = bytes.split(separator: Self.separator, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard parts.count == 5 + 2 * MovePart.allCases.count, let part = MovePart(rawValue: parts[0]),
            let number = Int64(parts[1]), let second = Int64(parts[2])
        else { return nil }
        position = MovePosition(part)
        (position.number, position.second, position.name, position.key) = (number, second, parts[3], parts[4])
        for (index, part) in MovePart.allCases.enumerated() {
            guard let arrived = Int(parts[5 + 2 * index]), let present = Int(parts[6 + 2 * index]) else { return nil }
            if arrived > 0 { self.arrived[part] = arrived }
            if present > 0 { self.present[part] = present }
        }
    }
}
