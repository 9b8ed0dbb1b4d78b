package import PushPlatform

/// Things of one part that are moved in one transaction.
package struct MoveBatch: Sendable {
    package enum Items: Sendable {
        case records([MovedRecord])
        case dedupeKeys([MovedKey])
        case idempotencyKeys([MovedRequest])
        case goneTokens([MovedToken])
        case campaigns([MovedCampaign])
        case lines([MovedLine])
        case refusals([(line: MovedLine, refusal: QueueLineRefusal)])
        case failures([MovedLine])
        case outcomes([MovedOutcome])
        case jobs([MovedJob])
        case shownCampaigns([MovedCampaign])
    }

    package var items: Items
    /// The position before the batch.
    package var start: MovePosition
    /// The position after it.
    package var end: MovePosition
    /// When it was read, by the clocks of the file.
    package var time: MovedTime

    package init(_ items: Items, from start: MovePosition, to end: MovePosition, at time: MovedTime) {
        (self.items, self.start, self.end, self.time) = (items, start, end, time)
    }

    package var count: Int {
        switch items {
        case .records(let items): items.count
        case .dedupeKeys(let items): items.count
        case .idempotencyKeys(let items): items.count
        case .goneTokens(let items): items.count
        case .campaigns(let items), .shownCampaigns(let items): items.count
        case .lines(let items), .failures(let items): items.count
        case .refusals(let items): items.count
        case .outcomes(let items): items.count
        case .jobs(let items): items.count
        }
    }
}

/// A moment by the clocks of the file.
package struct MovedTime: Sendable {
    package var wall: QueueTime
    package var steady: SteadyTime
}

package struct MovedRecord: Sendable {
    package var kind: String
    package var key: String
    package var value: [UInt8]
}

/// A dedupe key.
package struct MovedKey: Sendable {
    package var app: String
    package var key: String
    package var job: UUID
    /// By the steady clock of the file.
    package var until: SteadyTime
    /// Whether the job has no outcome. The key is valid until the job has one.
    package var isOpen: Bool
}

/// An idempotency key.
package struct MovedRequest: Sendable {
    package var app: String
    package var key: String
    package var digest: [UInt8]
    package var state: Int16
    /// By the steady clock of the file.
    package var until: SteadyTime
    package var answer: [UInt8]?
}

package struct MovedToken: Sendable {
    package var app: String
    package var token: String
    package var since: QueueTime
}

package struct MovedCampaign: Sendable {
    /// The campaign as the file shows it.
    package var campaign: QueueCampaign
    package var key: String?
    /// Its times are those of the steady clock of the file.
    package var bucket: ReleaseBucket
    package var window: SpeedWindow
}

package struct MovedLine: Sendable {
    package var campaign: UUID
    package var number: Int64
    /// The job, whether it is moved or not.
    package var job: UUID
    /// Empty for a line without a digest.
    package var digest: [UInt8]
}

package struct MovedOutcome: Sendable {
    package var campaign: UUID
    package var kind: Int16
    package var reason: String
    package var count: Int64
}

/// A job without an outcome.
package struct MovedJob: Sendable {
    package var id: UUID
    package var app: String
    package var isHeld: Bool
    package var priority: Int16
    package var policy: Int16
    package var isUncertain: Bool
    /// Whether ``due`` was counted from the wall clock of the file.
    package var isDueRelative: Bool
    /// Whether ``expires`` was counted from the wall clock of the file.
    package var isExpiryRelative: Bool
    package var attempts: Int32
    package var lost: Int32
    package var due: Int64
    /// `nil` for never.
    package var expires: Int64?
    package var queued: Int64
    package var started: Int64?
    package var campaign: UUID?
    package var line: Int64?
    package var target: QueueJobTarget
    package var push: [UInt8]
    package var variables: [UInt8]?
    package var payload: [UInt8]?
    package var dedupeKey: String?
    /// Until when the key would be valid if the job had its outcome, by the steady clock of the file; `nil` if the job has no key.
    package var keyUntil: SteadyTime?
    package var history: [QueueJobEvent] = []
}
