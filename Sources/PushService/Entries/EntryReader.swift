import APNSVocabulary
import PushDelivery
import PushHTTP
import PushJSON
import PushPlatform
import PushProvider
import PushQueue

/// A push that was read from a request and can be put into the queue.
struct Entry: Sendable {
    let app: String
    let refusesGone: Bool
    /// The app's table of devices; `nil` for none.
    let recipients: Recipients?
    var job: NewQueueJob
    /// When the app registered the device token; `nil` if that is not known.
    var registered: QueueTime?
    var warnings: [PushJSONValue]
    /// The user whose devices get the push; `nil` for a push to a token or a channel. Such an entry has no target, so that the queue refuses
    /// it: ``EntryExpansion`` makes entries of it that have one, and still this user.
    var user: User?
    /// The number of the push in an array.
    var index = 0

    init(
        app: AppSettings, job: NewQueueJob, registered: QueueTime? = nil, warnings: [PushJSONValue] = [],
        user: User? = nil
    ) {
        (self.app, refusesGone, recipients) = (app.name, app.gone == .refuse, app.recipients)
        (self.job, self.registered, self.warnings, self.user) = (job, registered, warnings, user)
    }

    /// A user, as the team's own table of devices knows it.
    struct User: Sendable {
        var id: String
        /// The kind of devices that the push type is for.
        var kind: String
        var field: String

        /// A user who gets a push. The job has its payload and the details.
        init(_ id: String, of job: NewQueueJob, _ details: PushDetails, field: String) {
            let type = job.effectivePushType(details.pushType)
            let kind = [.alert, .background].contains(type) ? RecipientDevice.defaultKind : type.rawValue
            (self.id, self.kind, self.field) = (id, kind, field)
        }

        /// The maximum size of an id, in bytes.
        static let longestID = 256

        /// Why a push cannot go to a user; `nil` if it can. The field is a member of the push.
        static func problem(_ id: String, _ app: AppSettings, _ details: PushDetails) -> QueueLineRefusal? {
            if !(1...longestID).contains(id.utf8.count) {
                QueueLineRefusal(
                    code: "invalid_value", detail: "\"user\" must have 1 to \(longestID) bytes.", field: "user")
            } else if !id.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) {
                QueueLineRefusal(
                    code: "invalid_value", detail: "\"user\" has a control character.", field: "user")
            } else if app.recipients == nil {
                QueueLineRefusal(
                    code: "no_recipients", detail: "The app has no table of devices, so it has no users.",
                    field: "user",
                    remedy: "Add \"recipients\" to the app in the configuration, or give a \"token\".")
            } else if details.registeredAt != nil {
                QueueLineRefusal(
                    code: "invalid_value", detail: "A push to a user takes this time from the table of devices.",
                    field: "registered_at", remedy: "Remove it.")
            } else {
                nil
            }
        }
    }

    /// The device tokens of a push as it is written: one, unless its key is repeated. They have lower-case letters.
    static func tokens(in push: JSONTree) -> [String] {
        push.children(of: JSONTree.root).filter { push.hasKey("token", $0) }.compactMap { push.text(of: $0) }
            .compactMap { try? DeviceToken(pasted: $0).hex.lowercased() }
    }
}

/// Reads pushes from JSON, and refuses those that cannot be sent.
struct EntryReader {
    /// Finds the settings of an app that the key is for; throws if there is no such app, or the push names no app.
    let app: (_ named: String?, _ field: String) throws(APIProblem) -> AppSettings
    var now: QueueTime
    /// The default topic of a push of an app. The push keeps it.
    private let defaultTopic: (_ app: AppSettings, _ pushType: () -> PushType) -> String?
    /// The number of the key of the request; `nil` if it has none.
    private let sender: Int?
    /// The name of the inbox from which the pushes come; `nil` for those of requests.
    private let inbox: String?
    /// The trace of the request; `nil` if it has none.
    private let trace: TraceParent?
    /// The last push without findings, so that the same payload is not checked for each device.
    private let clean = CleanPushCache()
    private let templates = LastTemplate()

    init(
        app: @escaping (_ named: String?, _ field: String) throws(APIProblem) -> AppSettings,
        defaultTopic: @escaping (_ app: AppSettings, _ pushType: () -> PushType) -> String?, now: QueueTime,
        sender: Int? = nil, inbox: String? = nil, traceparent: String? = nil
    ) {
        (self.app, self.defaultTopic, self.now) = (app, defaultTopic, now)
        (self.sender, self.inbox) = (sender, inbox)
        trace = traceparent.flatMap { TraceParent($0) }
    }

    static let known = [
        "app", "token", "channel", "user", "payload", "vars", "topic", "push_type", "priority", "collapse_id",
        "deliver_at", "expires_at", "ttl", "once", "queue_priority", "dedupe_key", "registered_at", "traceparent",
    ]

    /// The members that become header fields. Only a line of a campaign has "expires".
    static let ofHeaders = [
        APNSHeader.topic: "topic", APNSHeader.pushType: "push_type", APNSHeader.priority: "priority",
        APNSHeader.collapseID: "collapse_id", APNSHeader.expiration: "expires",
    ]

    func entry(
        _ positions: TreePositions, node: Int = JSONTree.root, pointer: String = "", firstLine: Int = 1
    ) throws(APIProblem) -> Entry {
        let tree = positions.tree
        let form = try rethrowing(
            try EntryForm(positions, node: node, pointer: pointer, firstLine: firstLine, known: Self.known)
        ) { (error: APIProblem) in
            PushShape.explaining(error, tree, node)
        }
        let app = try app(try form.word("app"), form.field("app"))
        var details = try details(form, app)
        guard let payload = try form.objectBytes("payload") else {
            throw form.problem("payload", "\"payload\" is missing.", code: "missing_member")
        }
        let variables = try form.objectBytes("vars").map { Array(tree.bytes[$0]) }
        let userID = try form.string("user", bytes: 1...Entry.User.longestID)
        var job = NewQueueJob(to: try target(form, hasUser: userID != nil), payload: Array(tree.bytes[payload]))
        if details.topic == nil { details.defaultTopic = defaultTopic(app) { job.effectivePushType(details.pushType) } }
        if job.target.isChannel, details.registeredAt != nil {
            // What a broadcast lacks of the APNs headers, the lint knows.
            throw form.problem(
                "registered_at", "A broadcast has no device token that an app registered.", remedy: "Remove it.")
        }
        try setTimes(of: &job, &details, form, app)
        job.push = details.encoded
        job.variables = variables
        job.priority =
            try form.choice("queue_priority", QueuePriority.names, QueuePriority.init(name:)) ?? .normal
        job.policy = app.policy
        var user: Entry.User?
        if let userID {
            if let problem = Entry.User.problem(userID, app, details) {
                throw form.problem(
                    problem.field ?? "user", problem.detail, code: problem.code, remedy: problem.remedy)
            }
            user = Entry.User(userID, of: job, details, field: form.field("user"))
        }
        job.dedupeKey = try form.string(
            "dedupe_key", bytes: 1...(user == nil ? NewQueueJob.longestName : Self.longestUserKey))
        try checkSizes(of: job, form)
        if case .failure(let refusal) = EnqueueRules.judge(job, now: now) {
            // The queue decides again, in case that time passes until then.
            throw form.problem(refusal)
        }
        let lint = EntryLint(form: form, payloadStart: payload.lowerBound, templates: templates)
        let warnings = clean.isSame(job, app) ? [] : try lint.warnings(of: job, details, now: now)
        if warnings.isEmpty { clean.remember(job, app) }
        if user != nil { job.target = .device("") }
        return Entry(
            app: app, job: job, registered: details.registeredAt.map(QueueTime.init), warnings: warnings, user: user)
    }

    /// The maximum size of the dedupe key of a push to a user, in bytes. Digests of the device tokens follow behind it.
    private static let longestUserKey = 256
    /// Stands for the tokens of a user's devices while the push is checked.
    private static let anyDevice = QueueJobTarget.device(String(repeating: "0", count: 64))

    private func target(_ form: EntryForm, hasUser: Bool) throws(APIProblem) -> QueueJobTarget {
        if hasUser {
            guard form.value("token") == nil, form.value("channel") == nil else {
                throw form.problem(
                    "user", "The push has two targets.", remedy: "Give a \"token\", a \"channel\" or a \"user\".")
            }
            return Self.anyDevice
        }
        switch (try form.header("token"), try form.header("channel")) {
        case (let token?, nil):
            return .device(try form.deviceToken("token", token))
        case (nil, let channel?):
            return try rethrowing(.channel(try PushChannel.ID(channel).description)) {
                (error: PushConfigurationError) in
                form.problem("channel", "\(error)", code: "invalid_channel")
            }
        case (nil, nil):
            throw form.problem(
                "token", "The push has no target.", code: "missing_member",
                remedy: "Give it a \"token\", a \"user\", or a \"channel\".")
        case (_?, _?):
            throw form.problem(
                "channel", "The push has two targets.", remedy: "Give it either a \"token\" or a \"channel\".")
        }
    }

    private func details(_ form: EntryForm, _ app: AppSettings) throws(APIProblem) -> PushDetails {
        var details = PushDetails()
        (details.sender, details.inbox) = (sender, inbox)
        details.topic = try form.header("topic")
        try form.require(details.topic, for: app)
        details.pushType = try form.pushType("push_type")
        details.priority = try form.priority("priority")
        details.collapseID = try form.header("collapse_id")
        details.registeredAt = try registration(form)
        details.once = try form.bool("once") ?? false
        // One that is not valid is ignored, as W3C says.
        details.trace = try form.string("traceparent", bytes: 0...512).flatMap { TraceParent($0) } ?? trace
        return details
    }

    private func registration(_ form: EntryForm) throws(APIProblem) -> Date? {
        guard let milliseconds = try form.milliseconds("registered_at", takesMilliseconds: true) else { return nil }
        let time = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        if let mistake = TimeChecks.mistake(inRegistration: time, secondsSince1970: now.wholeSeconds) {
            throw form.problem("registered_at", mistake.problem, remedy: mistake.advice)
        }
        return time
    }

    private func setTimes(
        of job: inout NewQueueJob, _ details: inout PushDetails, _ form: EntryForm, _ app: AppSettings
    ) throws(APIProblem) {
        if let time = try form.deliveryTime("deliver_at", now) { job.due = .at(time) }
        switch (try form.time("expires_at"), try form.lifetime("ttl")) {
        case (let time?, nil):
            try form.refuseExpired("expires_at", time.wholeSeconds, now)
            job.expiry = .at(time)
        case (nil, let ttl?): job.expiry = .after(ttl)
        case (nil, nil):
            job.expiry = app.expiry.map { .after($0) } ?? .never
            // Most channels store nothing, and refuse each other expiration. The time of the app is that of the queue.
            if job.target.isChannel, try form.bool("once") == nil { details.once = true }
        case (_?, _?):
            throw form.problem(
                "ttl", "The push has both \"expires_at\" and \"ttl\".", remedy: "Give one of them.")
        }
    }

    private func checkSizes(of job: NewQueueJob, _ form: EntryForm) throws(APIProblem) {
        guard job.payload.count <= NewQueueJob.longestPayload else {
            throw form.problem(
                "payload", "The payload is longer than \(NewQueueJob.longestPayload) bytes.",
                code: "payload_too_large")
        }
        guard (job.variables?.count ?? 0) <= NewQueueJob.longestVariables else {
            throw form.problem(
                "vars", "The values are longer than \(NewQueueJob.longestVariables) bytes.", code: "vars_too_large")
        }
    }
}

/// Caches the last push for which the lint found nothing. Another one with the same payload and details has no findings either.
private final class CleanPushCache {
    private var job: NewQueueJob?
    private var app: String?

    /// Whether the lint would find the same in a push, which is nothing. A template is always checked with its values.
    func isSame(_ other: NewQueueJob, _ name: AppSettings) -> Bool {
        guard let job, app == name.name, other.variables == nil, job.variables == nil else { return false }
        return job.push == other.push && job.target.isChannel == other.target.isChannel
            && job.payload == other.payload && job.due == other.due && job.expiry == other.expiry
    }

    func remember(_ job: NewQueueJob, _ app: AppSettings) {
        (self.job, self.app) = (job, app.name)
    }
}

extension NewQueueJob {
    /// That of a broadcast does not matter: its topic has no suffix.
    fileprivate func effectivePushType(_ named: PushType?) -> PushType {
        if target.isChannel { return .alert }
        return PushNotification.inferred(
            pushType: named, priority: nil, topic: "", PushPayload(json: payload).reading
        ).pushType
    }
}

extension QueueJobTarget {
    fileprivate var isChannel: Bool {
        if case .channel = self { true } else { false }
    }
}
