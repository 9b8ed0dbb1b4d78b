internal import APNSVocabulary
internal import PushCampaign
internal import PushPlatform
internal import PushProvider
internal import PushQueue

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
        let topic = details.topic ?? app.topic ?? ""
        if details.topic != nil, !app.allows(topic: topic) {
            throw Invalid(text: "The app does not send to the topic \(PeerText.printable(topic)).")
        }
        let payload: PushPayload
        do throws(PushTemplateError) {
            payload = try payloads.payload(job.payload, variables: job.variables)
        } catch {
            throw Invalid(text: error.description)
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
        let device: DeviceToken
        do throws(DeviceTokenError) { device = try DeviceToken(token) } catch {
            throw Invalid(text: error.description)
        }
        return PushNotification(
            to: device, topic: topic, payload: payload, pushType: details.pushType, priority: details.priority,
            expiration: details.storesAtApple ? job.expires.map { .until($0.date) } : .doNotStore,
            collapseID: details.collapseID, id: job.id, registeredAt: details.registeredAt)
    }

    private static func broadcast(
        _ channel: String, _ topic: String, _ payload: PushPayload, _ job: ClaimedQueueJob, _ details: PushDetails
    ) throws(Invalid) -> PushBroadcast {
        let id: PushChannelID
        do throws(PushChannelIDError) { id = try PushChannelID(channel) } catch {
            throw Invalid(text: error.description)
        }
        // Only a channel that stores broadcasts takes another expiration than one attempt.
        let expires = details.storesAtApple ? job.expires : nil
        return PushBroadcast(
            to: id, bundleID: topic, payload: payload, priority: details.priority ?? .immediate,
            expiration: expires.map { .until($0.date) } ?? .doNotStore, requestID: job.id)
    }

    /// Sends the push.
    func outcome(from client: PushClient, timeout: Duration) async throws(PushError) -> PushOutcome {
        switch self {
        case .notification(let notification): try await client.outcome(of: notification, timeout: timeout)
        case .broadcast(let broadcast): try await client.outcome(ofBroadcast: broadcast, timeout: timeout)
        }
    }
}
