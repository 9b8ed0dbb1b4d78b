package import PushPlatform

/// A list of pushes of one app, its lines, with its own rate.
package struct QueueCampaign: Sendable, Hashable {
    package var id: UUID
    package var app: String
    /// For people. Several campaigns may have the same.
    package var name: String
    package var state: QueueCampaignState
    /// Whether it takes more lines.
    package var isOpen: Bool
    /// What the service keeps with the campaign. A queue does not read it.
    package var settings: [UInt8]
    /// How many lines are released in a second, at most; `nil` for as many as can be sent.
    package var rate: QueueCampaignRate?
    /// When the first line is released at the earliest; `nil` for as soon as the campaign is started.
    package var starts: QueueTime?
    /// When lines end that were not sent; `nil` for never.
    package var expires: QueueTime?
    package var created: QueueTime
    package var started: QueueTime?
    package var ended: QueueTime?
    package var counts: QueueCampaignCounts
    /// The greatest number of a line that was added or refused; 0 before the first one.
    package var lastLine: Int
    /// The recent number of lines per second that got an outcome.
    package var speed: Double

    /// The maximum number of campaigns of an app that have not ended. Beyond it, none is created.
    package static let maximumUnfinished = 1000
    /// The maximum number of refused lines that a campaign keeps; if it has more other lines than this, their number. Beyond it,
    /// lines that are refused are not taken. Each takes about 110 bytes of the disk, and at most 1 KiB.
    package static let maximumRefused = 100_000
    /// The same for all campaigns of an app together that have not ended.
    package static let maximumRefusedOfApp = 500_000

    package init(id: UUID, app: String, name: String, created: QueueTime) {
        (self.id, self.app, self.name, self.created) = (id, app, name, created)
        (state, isOpen, settings, counts, lastLine, speed) = (.draft, true, [], QueueCampaignCounts(), 0, 0)
    }
}

package enum QueueCampaignState: Int, Sendable, Hashable, CaseIterable {
    /// It takes lines, and sends none. It can become running or cancelling.
    case draft = 0
    /// Its lines are released. It can become paused, cancelling or finished.
    case running = 1
    /// No line is released. It can become running, cancelling or finished.
    case paused = 2
    /// Its lines that were not started end as cancelled. It becomes cancelled.
    case cancelling = 3
    /// Each line has its outcome; some were cancelled.
    case cancelled = 4
    /// Each line has its outcome.
    case finished = 5

    package var isEnd: Bool { self == .cancelled || self == .finished }
}

extension QueueCampaignState: NamedCase {
    package static let names = ["draft", "running", "paused", "cancelling", "cancelled", "finished"]
}

/// A number of lines in a second, exact to a thousandth.
package struct QueueCampaignRate: Sendable, Hashable, Comparable {
    package let perThousandSeconds: Int

    package init?(perSecond: Double) {
        guard (0.001...1_000_000).contains(perSecond) else { return nil }
        perThousandSeconds = Int((perSecond * 1000).rounded())
    }

    package init?(perThousandSeconds: Int) {
        guard (1...1_000_000_000).contains(perThousandSeconds) else { return nil }
        self.perThousandSeconds = perThousandSeconds
    }

    package var perSecond: Double { Double(perThousandSeconds) / 1000 }

    package static func < (left: QueueCampaignRate, right: QueueCampaignRate) -> Bool {
        left.perThousandSeconds < right.perThousandSeconds
    }
}

/// The numbers are kept as counters.
package struct QueueCampaignCounts: Sendable, Hashable {
    /// Lines that were added.
    package var lines = 0
    /// Lines that were refused on arrival.
    package var refused = 0
    /// Lines that are not released.
    package var held = 0
    /// Released lines that wait for a worker.
    package var waiting = 0
    package var inFlight = 0
    package var accepted = 0
    package var rejected = 0
    package var unknown = 0
    package var notSent = 0

    package init() {}

    package var unfinished: Int { held + waiting + inFlight }
    package var finished: Int { accepted + rejected + unknown + notSent }
}

package struct QueueCampaignOutcome: Sendable, Hashable {
    package var kind: QueueJobOutcome.Kind
    /// The reason; `nil` if the outcomes have none. Beyond ``maximumReasons`` reasons, the others are counted as `other`.
    package var reason: String?
    package var count: Int

    package init(_ kind: QueueJobOutcome.Kind, reason: String?, count: Int) {
        (self.kind, self.reason, self.count) = (kind, reason, count)
    }

    package static let maximumReasons = 100
}
