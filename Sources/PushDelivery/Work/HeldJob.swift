internal import PushPlatform
internal import PushQueue

/// The parts of a job that this worker needs to end it.
struct HeldJob: Sendable {
    var lease: QueueJobLease
    var policy: QueueDeliveryPolicy
    /// How often it was tried, with this time if it is started.
    var attempts: Int
    /// Whether an earlier try may have reached Apple.
    var mayHaveArrived = false
    var due: QueueTime
    var queued = QueueTime.earliest
    /// The shortened device token, or the channel.
    var target: String
    /// A hash of the whole target, to tell device tokens apart.
    var targetHash = 0
    /// The number of the API key that sent it; `nil` if that is not known.
    var sender: Int?
    /// Whether the push is for a person, so that it may not wait after it was checked.
    var hasUser = false
    /// The id of the trace of the push; `nil` if it has none.
    var traceID: String?
    /// The topic that the app had when the push was accepted, if it is sent there and the app has another one now.
    var earlierTopic: String?
    /// Set when it is started.
    var start: Start?
    /// Its place among the pushes that replace each other on the device; `nil` if it replaces none.
    var replacement: QueueReplacement?

    struct Start: Sendable {
        var time: QueueTime
        /// Which client of the app sends it: a later client has a greater number.
        var generation: Int
        /// Whether it tries whether Apple takes requests of the app again.
        var isTry: Bool
        var topic: TopicSource
        /// The push type that is sent; `nil` while that is not known.
        var pushType: String?
    }
}

/// Where the topic of a push comes from. It decides who must correct it if Apple or the client refuses it.
enum TopicSource: Sendable {
    /// It is the app's topic.
    case app
    /// It was the app's topic when the push was accepted. The operator has changed it since.
    case earlierApp
    /// The push names it.
    case push
}

/// The leases of a worker whose jobs have not ended. All jobs of a claim share one lease. A pure value.
struct LeaseBook: Equatable {
    private var claims: [Int64: [UUID: QueueJobLease]] = [:]

    var count: Int { claims.values.reduce(0) { $0 + $1.count } }
    var isEmpty: Bool { claims.isEmpty }
    var fences: [Int64] { Array(claims.keys) }

    mutating func claimed(_ leases: some Sequence<QueueJobLease>) {
        for lease in leases { claims[lease.fence, default: [:]][lease.id] = lease }
    }

    /// A job has ended for this worker.
    mutating func ended(_ lease: QueueJobLease) {
        claims[lease.fence]?[lease.id] = nil
        if claims[lease.fence]?.isEmpty == true { claims[lease.fence] = nil }
    }

    /// One job of a claim, which is enough to extend the lease of all.
    func representative(of fence: Int64) -> QueueJobLease? { claims[fence]?.values.first }

    func leases(of fence: Int64) -> [QueueJobLease] { claims[fence].map { Array($0.values) } ?? [] }

    func holds(_ lease: QueueJobLease) -> Bool { claims[lease.fence]?[lease.id] != nil }
}
