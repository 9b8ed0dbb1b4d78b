package import PushPlatform

/// A list of pushes of one app, its lines, with its own rate.
package struct QueueCampaign: Sendable, Hashable {
    /// The id, a UUID that the queue created.
    package var id: UUID
    package var app: String
    /// The name, for people. Several campaigns may have the same.
    package var name: String
    /// Where the campaign is.
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
    /// When the campaign was created.
    package var created: QueueTime
    /// When the campaign was started; `nil` before.
    package var started: QueueTime?
    /// When the campaign ended; `nil` before.
    package var ended: QueueTime?
    /// How many lines it has.
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

    /// Creates a campaign without lines. Backends call this.
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

    /// Whether its state is final.
    package var isEnd: Bool { self == .cancelled || self == .finished }
}

extension QueueCampaignState: NamedCase {
    package static let names = ["draft", "running", "paused", "cancelling", "cancelled", "finished"]
}

/// A number of lines in a second, exact to a thousandth.
package struct QueueCampaignRate: Sendable, Hashable, Comparable {
    /// The number of lines in 1000 seconds.
    package let perThousandSeconds: Int

    /// Creates a rate; `nil` if it is not from 0.001 to 1 000 000 lines in a second.
    package init?(perSecond: Double) {
        guard (0.001...1_000_000).contains(perSecond) else { return nil }
        perThousandSeconds = Int((perSecond * 1000).rounded())
    }

    /// Creates a rate from its stored number; `nil` if it is out of range.
    package init?(perThousandSeconds: Int) {
        guard (1...1_000_000_000).contains(perThousandSeconds) else { return nil }
        self.perThousandSeconds = perThousandSeconds
    }

    /// The number of lines in a second.
    package var perSecond: Double { Double(perThousandSeconds) / 1000 }

    /// Whether a rate is lower than another one.
    package static func < (left: QueueCampaignRate, right: QueueCampaignRate) -> Bool {
        left.perThousandSeconds < right.perThousandSeconds
    }
}

/// How many lines a campaign has. The numbers are kept as counters.
package struct QueueCampaignCounts: Sendable, Hashable {
    /// Lines that were added.
    package var lines = 0
    /// Lines that were refused on arrival.
    package var refused = 0
    /// Lines that are not released.
    package var held = 0
    /// Released lines that wait for a worker.
    package var waiting = 0
    /// Lines that a worker has.
    package var inFlight = 0
    /// Lines that Apple accepted.
    package var accepted = 0
    /// Lines that Apple rejected.
    package var rejected = 0
    /// Lines of unknown outcome.
    package var unknown = 0
    /// Lines that were not sent.
    package var notSent = 0

    /// Creates counts of zero.
    package init() {}

    /// Lines that have no outcome yet.
    package var unfinished: Int { held + waiting + inFlight }
    /// Lines that have their outcome.
    package var finished: Int { accepted + rejected + unknown + notSent }
}

/// How many lines of a campaign ended in the same way.
package struct QueueCampaignOutcome: Sendable, Hashable {
    package var kind: QueueJobOutcome.Kind
    /// The reason; `nil` if the outcomes have none. Beyond ``maximumReasons`` reasons, the others are counted as `other`.
    package var reason: String?
    /// The number of lines.
    package var count: Int

    /// Creates a number of outcomes.
    package init(_ kind: QueueJobOutcome.Kind, reason: String?, count: Int) {
        (self.kind, self.reason, self.count) = (kind, reason, count)
    }

    /// The maximum number of reasons of a campaign that are counted on their own.
    package static let maximumReasons = 100
}
