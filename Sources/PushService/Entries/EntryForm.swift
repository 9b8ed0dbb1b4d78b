import APNSVocabulary
import PushDelivery
import PushHTTP
import PushJSON
import PushPlatform
import PushProvider
import PushQueue

/// Unknown and repeated members are refused by name.
typealias EntryForm = ObjectReader<APIProblem>

extension EntryForm {
    /// What the queue would refuse, with its position in the request.
    func problem(_ refusal: EnqueueResult.Refusal) -> APIProblem {
        var refused = APIProblem.refused(refusal, pointer: pointer)
        let name = refused.field?.split(separator: "/").last.map(String.init) ?? ""
        refused.position = problem(name, "").position
        return refused
    }

    func word(_ name: String) throws(APIProblem) -> String? { try string(name, bytes: 1...512) }

    /// A text that becomes a header field or a target. The rules for all pushes judge its form and length, in their own words.
    func header(_ name: String) throws(APIProblem) -> String? { try string(name, bytes: 0...8192) }

    func objectBytes(_ name: String) throws(APIProblem) -> Range<Int>? {
        try read(name, "an object") { $0.kind == .object ? $0.tree.range(of: $0.node) : nil }
    }

    /// An unknown type may be newer than this program: the lint warns about it.
    func pushType(_ name: String) throws(APIProblem) -> PushType? {
        guard let type = try header(name).map(PushType.init(rawValue:)) else { return nil }
        try refuse(name, TopicChecks.isWord(type))
        return type
    }

    func refuse(_ name: String, _ finding: RuleFinding?) throws(APIProblem) {
        guard let finding else { return }
        throw problem(name, finding.problem, remedy: finding.advice)
    }

    static var topicNotAllowed: String { "The app may not use this topic." }

    func require(_ topic: String?, for app: AppSettings) throws(APIProblem) {
        guard let topic, !app.allows(topic: topic) else { return }
        throw problem(
            "topic", Self.topicNotAllowed, code: "topic_not_allowed",
            remedy: NearestName.remedy(topic, among: app.allowedTopics))
    }

    /// A priority of Apple, as a number or as the text of one: other senders' bodies and CSV have a text.
    func priority(_ name: String) throws(APIProblem) -> PushPriority? {
        let number = try read(name, "a whole number") { $0.plainText.flatMap(WholeNumber.written) }
        guard let priority = number.map(PushPriority.init(rawValue:)) else { return nil }
        try refuse(name, HeaderChecks.mistake(in: priority))
        return priority
    }

    func deviceToken(_ name: String, _ text: String) throws(APIProblem) -> String {
        try rethrowing(try DeviceToken(pasted: text).hex) { (error: DeviceTokenError) in
            problem(name, "\(error)", code: "invalid_token")
        }
    }

    /// A time that the queue takes, as a string or a number.
    func time(_ name: String) throws(APIProblem) -> QueueTime? {
        guard let time = try milliseconds(name).map(QueueTime.init(milliseconds:)) else { return nil }
        guard time.isInRange else {
            throw problem(
                name, "The time is out of range.",
                remedy: "Use a time from 1970 to \(QueueTime.latest.rfc3339.prefix(10)).")
        }
        return time
    }

    /// A time that passed long ago is a mistake: the push would be due at once.
    func deliveryTime(_ name: String, _ now: QueueTime) throws(APIProblem) -> QueueTime? {
        if let milliseconds = try milliseconds(name),
            let mistake = TimeChecks.mistake(
                inDelivery: milliseconds, of: name, secondsSince1970: now.wholeSeconds)
        {
            throw problem(name, mistake.problem, remedy: mistake.advice)
        }
        return try time(name)
    }

    func refuseExpired(_ name: String, _ seconds: Int, _ now: QueueTime) throws(APIProblem) {
        guard let mistake = TimeChecks.mistake(inExpiration: seconds, secondsSince1970: now.wholeSeconds) else {
            return
        }
        throw expired(name, mistake.problem, remedy: name == "expires" ? mistake.advice : "Give a future time.")
    }

    /// The problem with an expiration at which nothing can have been sent.
    func expired(_ name: String, _ detail: String, remedy: String) -> APIProblem {
        .impossible(
            detail, code: "expires_too_early", field: field(name), at: problem(name, "").position, remedy: remedy)
    }

    /// How long a push can be sent: a whole number of units, at least a second.
    func lifetime(_ name: String) throws(APIProblem) -> Duration? {
        let duration = try duration(name, isWhole: true)
        if let duration, duration < .seconds(1) {
            throw problem(name, "\(name.debugDescription) must be at least a second.")
        }
        return duration
    }
}

extension QueueTime {
    var wholeSeconds: Int { Int(milliseconds / 1000) }
}
