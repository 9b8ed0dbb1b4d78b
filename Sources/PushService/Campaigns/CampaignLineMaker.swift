import APNSVocabulary
import PushCampaign
import PushDelivery
import PushPlatform
import PushProvider
import PushQueue
internal import PushWire

/// Makes lines for the queue of the lines of an upload.
struct CampaignLineMaker {
    let app: AppSettings
    let settings: CampaignSettings
    /// The number of the key of the request; `nil` if it has none.
    let sender: Int?
    /// The default topic of a push. The push keeps it.
    let defaultTopic: (_ app: AppSettings, _ pushType: () -> PushType) -> String?
    /// Whether the campaign is to have these lines and no other ones.
    let isWhole: Bool

    /// The length of the digest of a line. Nobody but the callers of one app could make two lines with the same one.
    private static let digestLength = 16

    func line(_ line: UploadedLines.Line) throws -> QueueCampaignLine {
        let digest = try Fingerprint.sha256(of: line.text)
        var made = QueueCampaignLine(line.number, content(of: line))
        made.digest = Array(digest.prefix(Self.digestLength))
        made.replacesRefused = !isWhole
        return made
    }

    private func content(of line: UploadedLines.Line) -> QueueCampaignLine.Content {
        switch line.content {
        case .failure(let fault):
            let code = fault.field == APNSHeader.expiration ? "expires_too_early" : "invalid_line"
            let refusal = QueueLineRefusal(
                code: fault.rule == nil ? code : "payload_refused",
                detail: fault.detail + (fault.rule.map { " [\($0)]" } ?? ""),
                // A path stays: `payload.aps.badge`, `vars.name`.
                field: fault.field.map { EntryReader.ofHeaders[$0] ?? $0 },
                remedy: fault.remedy)
            return .refused(refusal)
        case .success(let push):
            let topic = push.notification.topic
            guard topic.isEmpty || app.allows(topic: topic) else {
                return .refused(
                    QueueLineRefusal(
                        code: "topic_not_allowed", detail: EntryForm.topicNotAllowed, field: "topic"))
            }
            let (job, details) = job(push)
            let problem = push.user.flatMap { Entry.User.problem($0, app, details) }
            return problem.map { .refused($0) } ?? .job(job)
        }
    }

    private func job(_ push: UploadedLines.Push) -> (NewQueueJob, PushDetails) {
        let notification = push.notification
        var details = PushDetails()
        if notification.topic.isEmpty || notification.topic == app.topic {
            details.defaultTopic = defaultTopic(app) { notification.effectivePushType }
        } else {
            details.topic = notification.topic
        }
        (details.pushType, details.priority) = (notification.pushType, notification.priority)
        (details.collapseID, details.registeredAt) = (notification.collapseID, notification.registeredAt)
        details.reference = push.reference
        (details.sender, details.user) = (sender, push.user)
        let isOwn = push.hasOwnPayload || push.variables == nil
        var job = NewQueueJob(
            // A push to a user gets its devices later.
            to: .device(push.user == nil ? notification.deviceToken.hex : ""),
            payload: isOwn ? notification.payload.bytes : settings.payload ?? notification.payload.bytes)
        job.variables = push.variables
        (job.priority, job.policy) = (settings.queuePriority, app.policy)
        switch notification.expiration?.form {
        case nil: job.expiry = app.expiry.map { .after($0) } ?? .never
        case .apnsDefault, .exact: job.expiry = .never
        case .once:
            details.once = true
            job.expiry = app.expiry.map { .after($0) } ?? .never
        case .until(let seconds):
            job.expiry = .at(QueueTime(milliseconds: Int64(clamping: Int128(seconds) * 1000)))
        case .after(let seconds): job.expiry = .after(.seconds(seconds))
        }
        job.push = details.encoded
        return (job, details)
    }
}
