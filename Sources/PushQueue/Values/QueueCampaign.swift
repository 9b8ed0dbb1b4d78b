public import PushPlatform

/// A list of pushes of one app, its lines, with its own rate.
public struct QueueCampaign: Sendable, Hashable {
    /// The id, a UUID that the queue created.
    public var id: UUID
    /// The app.
    public var app: String
    /// The name, for people. Several campaigns may have the same.
    public var name: String
    /// Where the campaign is.
    public var state: QueueCampaignState
    /// Whether it takes more lines.
    public var isOpen: Bool
    /// What the service keeps with the campaign. A queue does not read it.
    public var settings: [UInt8]
    /// How many lines are released in a second, at most; `nil` for as many as can be sent.
    public var rate: QueueCampaignRate?
    /// When the first line is released at the earliest; `nil` for as soon as the campaign is started.
    public var starts: QueueTime?
    /// When lines end that were not sent; `nil` for never.
    public var expires: QueueTime?
    /// When the campaign was created.
    public var created: QueueTime
    /// When the campaign was started; `nil` before.
    public var started: QueueTime?
    /// When the campaign ended; `nil` before.
    public var ended: QueueTime?
    /// How many lines it has.
    public var counts: QueueCampaignCounts
    /// The greatest number of a line that was added or refused; 0 before the first one.
    public var lastLine: Int
    /// The recent number of lines per second that got an outcome.
    public var speed: Double

    /// The maximum number of campaigns of an app that have not ended. Beyond it, none is created.
    public static let mostUnfinished = 1000
    /// The maximum number of refused lines that a campaign keeps; if it has more other lines than this, their number. Beyond it,
    /// lines that are refused are not taken. Each takes about 110 bytes of the disk, and at most 1 KiB.
    public static let mostRefused = 100_000
    /// The same for all campaigns of an app together that have not ended.
    public static let mostRefusedOfApp = 500_000

    /// Creates a campaign without lines. Backends call this.
    public init(id: UUID, app: String, name: String, created: QueueTime) {
        (self.id, self.app, self.name, self.created) = (id, app, name, created)
        (state, isOpen, settings, counts, lastLine, speed) = (.draft, true, [], QueueCampaignCounts(), 0, 0)
    }
}

/// The state of a campaign.
public enum QueueCampaignState: Int, Sendable, Hashable, CaseIterable {
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
    public var isEnd: Bool { self == .cancelled || self == .finished }
}

extension QueueCampaignState: NamedCase {
    package var name: String {
        switch self {
        case .draft: "draft"
        case .running: "running"
        case .paused: "paused"
        case .cancelling: "cancelling"
        case .cancelled: "cancelled"
        case .finished: "finished"
        }
    }
}

/// A number of lines in a second, exact to a thousandth.
public struct QueueCampaignRate: Sendable, Hashable, Comparable {
    /// The number of lines in 1000 seconds.
    public let perThousandSeconds: Int

    /// Creates a rate; `nil` if it is not from 0.001 to 1 000 000 lines in a second.
    public init?(perSecond: Double) {
        guard (0.001...1_000_000).contains(perSecond) else { return nil }
        perThousandSeconds = Int((perSecond * 1000).rounded())
    }

    /// Creates a rate from its stored number; `nil` if it is out of range.
    package init?(perThousandSeconds: Int) {
        guard (1...1_000_000_000).contains(perThousandSeconds) else { return nil }
        self.perThousandSeconds = perThousandSeconds
    }

    /// The number of lines in a second.
    public var perSecond: Double { Double(perThousandSeconds) / 1000 }

    /// Whether a rate is lower than another one.
    public static func < (left: QueueCampaignRate, right: QueueCampaignRate) -> Bool {
        left.perThousandSeconds < right.perThousandSeconds
    }
}

/// How many lines a campaign has. The numbers are kept as counters.
public struct QueueCampaignCounts: Sendable, Hashable {
    /// Lines that were added.
    public var lines = 0
    /// Lines that were refused on arrival.
    public var refused = 0
    /// Lines that are not released.
    public var held = 0
    /// Released lines that wait for a worker.
    public var waiting = 0
    /// Lines that a worker has.
    public var inFlight = 0
    /// Lines that Apple accepted.
    public var accepted = 0
    /// Lines that Apple rejected.
    public var rejected = 0
    /// Lines of unknown outcome.
    public var unknown = 0
    /// Lines that were not sent.
    public var notSent = 0

    /// Creates counts of zero.
    public init() {}

    /// Lines that have no outcome yet.
    public var unfinished: Int { held + waiting + inFlight }
    /// Lines that have their outcome.
    public var finished: Int { accepted + rejected + unknown + notSent }
}

/// How many lines of a campaign ended in the same way.
public struct QueueCampaignOutcome: Sendable, Hashable {
    /// The kind of outcome.
    public var kind: QueueJobOutcome.Kind
    /// The reason; `nil` if the outcomes have none. Beyond ``mostReasons`` reasons, the others are counted as `other`.
    public var reason: String?
    /// The number of lines.
    public var count: Int

    /// Creates a number of outcomes.
    public init(_ kind: QueueJobOutcome.Kind, reason: String?, count: Int) {
        (self.kind, self.reason, self.count) = (kind, reason, count)
    }

    /// The maximum number of reasons of a campaign that are counted on their own.
    public static let mostReasons = 100
}
