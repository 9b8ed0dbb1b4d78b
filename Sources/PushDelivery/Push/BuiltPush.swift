internal import APNSVocabulary
internal import PushCampaign
internal import PushPlatform
internal import PushProvider
internal import PushQueue
internal import PushWire

/// A job as the client takes it.
enum BuiltPush: Sendable {
    case notification(PushNotification)
    case broadcast(PushBroadcast)

    /// Why a job can never be sent. An operator cannot correct it.
    struct Invalid: Error, Equatable {
        /// What is wrong, in a sentence. It may quote the payload, so do not log it.
        var text: String
    }

    /// Builds the push of a job.
    ///
    /// - Parameters:
    ///   - job: The job.
    ///   - details: What the push needs beside target and payload.
    ///   - app: The settings of the app.
    ///   - payloads: The payloads that were read last.
    /// - Throws: ``Invalid`` if the job breaks a rule.
    init(
        _ job: ClaimedQueueJob, _ details: PushDetails, app: AppSettings, _ payloads: inout ReadPayloads
    ) throws(Invalid) {
        let topic = details.topic ?? details.defaultTopic ?? app.topic ?? ""
        if details.topic != nil, !app.allows(topic: topic) {
            throw Invalid(text: "The app doesn't send to the topic \(PeerText.printable(topic)).")
        }
        let payload = try rethrowing(try payloads.payload(job.payload, variables: job.variables)) {
            (error: PushTemplateError) in
            Invalid(text: error.description)
        }
        switch job.target {
        case .device(let token):
            self = .notification(try Self.notification(token, topic, payload, job, details))
        case .channel(let channel):
            self = .broadcast(try Self.broadcast(channel, topic, payload, job, details))
        }
    }

    private static func notification(
        _ token: String, _ topic: String, _ payload: PushPayload, _ job: ClaimedQueueJob, _ details: PushDetails
    ) throws(Invalid) -> PushNotification {
        let device = try rethrowing(try DeviceToken(token)) { (error: DeviceTokenError) in
            Invalid(text: error.description)
        }
        return PushNotification(
            to: device, topic: topic, payload: payload, pushType: details.pushType, priority: details.priority,
            expiration: details.once ? .once : job.expires.map { .until($0.date) },
            collapseID: details.collapseID, id: job.id, registeredAt: details.registeredAt)
    }

    private static func broadcast(
        _ channel: String, _ topic: String, _ payload: PushPayload, _ job: ClaimedQueueJob, _ details: PushDetails
    ) throws(Invalid) -> PushBroadcast {
        let id = try rethrowing(try PushChannel.ID(channel)) { (error: PushConfigurationError) in
            Invalid(text: error.description)
        }
        // Only a channel that stores broadcasts takes another expiration than one attempt.
        let expires = details.once ? nil : job.expires
        return PushBroadcast(
            to: id, bundleID: topic, payload: payload, priority: details.priority ?? .immediate,
            expiration: expires.map { .until($0.date) } ?? .once, requestID: job.id)
    }

    /// The place of the push among those that replace each other on the device; `nil` for one without a collapse id.
    ///
    /// - Parameters:
    ///   - job: The job.
    ///   - details: What the push needs beside target and payload.
    ///   - timeout: How long the client tries to send it.
    /// - Returns: The place.
    func replacement(_ job: ClaimedQueueJob, _ details: PushDetails, timeout: Duration) -> QueueReplacement? {
        guard case .notification(let notification) = self, let collapseID = notification.collapseID else { return nil }
        let parts = [
            job.app, notification.effectiveTopic, notification.deviceToken.hex, notification.effectivePushType.rawValue,
            collapseID,
        ]
        // The lengths keep parts apart: "a" and "bc" are not "ab" and "c".
        let text = parts.map { "\($0.utf8.count):\($0)" }.joined()
        guard let digest = Fingerprint.digest(of: Array(text.utf8)), let key = UUID(bytes: digest.prefix(16)) else {
            return nil
        }
        return QueueReplacement(
            key: key, place: details.after ?? job.id, longest: timeout + QueueReplacement.margin)
    }

    /// The push type, as accepted pushes are counted.
    var typeName: String {
        switch self {
        case .notification(let notification): notification.effectivePushType.rawValue
        case .broadcast: "broadcast"
        }
    }

    func outcome(from client: PushClient, timeout: Duration, lifetime: Duration?) async -> PushOutcome {
        switch self {
        case .notification(let notification):
            await client.outcome(of: notification, timeout: timeout, lifetime: lifetime)
        case .broadcast(let broadcast): await client.outcome(of: broadcast, timeout: timeout, lifetime: lifetime)
        }
    }
}

extension QueueReplacement {
    /// How much longer than the client's time limit a started push counts as on the way: the time between the step of the queue and the
    /// client, and between the clocks of two workers. Beyond it, a newer push is started although no outcome was stored.
    static let margin: Duration = .seconds(5)
}
