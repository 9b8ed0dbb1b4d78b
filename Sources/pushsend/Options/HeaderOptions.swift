import ArgumentParser
import PushCommandLine
internal import PushLint
import PushPlatform
import PushProvider
internal import PushTime

struct HeaderOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The app's bundle id, with the suffix that the push type needs, such as .voip.", valueName: "bundle-id"))
    var topic: String?

    @Option(
        help: ArgumentHelp(
            "alert, background, voip ... Default: derived from the topic and the payload.", valueName: "type"),
        completion: .list(PushType.known.map(\.rawValue)))
    var pushType: String?

    @Option(
        help: ArgumentHelp(
            "10: deliver immediately; 5: save power; 1: save as much power as possible.", valueName: "10|5|1"),
        completion: .list(["10", "5", "1"]))
    var priority: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Replace the notification with the same id on the device.", valueName: "id"))
    var collapseID: String?

    @Option(
        help: ArgumentHelp("The id of one notification; the lines of a campaign have their own.", valueName: "uuid"))
    var apnsID: String?

    @Option(
        help: ArgumentHelp(
            """
            How long Apple tries to deliver: once, apple (up to 30 days), a duration such as 2h or 7d, an ISO date and time, or \
            UNIX seconds. Default: apple. A duration starts when the push is first sent; retries don't extend it.
            """,
            valueName: "when"
        ),
        completion: .list(["once", "apple", "1h", "1d", "7d"])
    )
    var expires: ExpiresArgument?

    /// Refuses a time that has passed: APNs would not deliver the push, and the clock of this machine may be wrong.
    func requireLaterExpiration(now: Date = Date()) throws {
        guard let form = expires?.expiration.form,
            let mistake = TimeChecks.mistake(of: form, secondsSince1970: Int(clamping: now.timeIntervalSince1970))
        else { return }
        throw CommandFailure(.invalidInput, "--expires: \(mistake)")
    }

    /// Returns the given topic, or the topic from the payload file, the certificate or the settings.
    func topic(in composed: ComposedPayload, _ certificate: PushCertificate?, _ settings: Settings) throws -> String {
        if let topic, let bundleID = composed.bundleID, topic != bundleID {
            Output.note("note: the topic is \(topic), as given; the payload file is for \(bundleID)")
        }
        let type = pushType.map(PushType.init(rawValue:)) ?? composed.payload.pushType ?? .alert
        let topics = certificate?.topics ?? []
        let onlyTopic = topics.count == 1 ? topics.first : nil
        if let topic = topic ?? composed.bundleID ?? onlyTopic ?? settings.value(.topic) { return topic }
        guard let topic = certificate?.topic(for: type) else {
            let choice = topics.isEmpty ? "" : " The certificate is for \(topics.joined(separator: ", "))."
            throw CommandFailure.usage("There is no topic: give --topic, the app's bundle id.\(choice)")
        }
        Output.note(
            "note: the topic is \(topic), the only one of the certificate's \(topics.count) topics for this push type")
        return topic
    }

    /// Returns the topic of the certificate for the push type, if there is exactly one.
    func topic(of certificate: PushCertificate?) -> String? {
        certificate?.topic(for: pushType.map(PushType.init(rawValue:)) ?? .alert)
    }

    func notification(to token: DeviceToken, _ topic: String, _ composed: ComposedPayload) throws -> PushNotification {
        PushNotification(
            to: token,
            topic: topic,
            payload: composed.payload,
            pushType: pushType.map(PushType.init(rawValue:)),
            priority: priority.map(PushPriority.init(rawValue:)),
            expiration: expires?.expiration,
            collapseID: collapseID ?? composed.template?.collapseID,
            id: try id()
        )
    }

    /// Returns the given headers, for rules about them.
    func lintContext() -> LintContext {
        var context = LintContext(
            topic: topic,
            pushType: pushType.map(PushType.init(rawValue:)),
            priority: priority.map(PushPriority.init(rawValue:)),
            expiration: expires?.expiration,
            collapseID: collapseID,
            now: Date()
        )
        context.id = apnsID
        return context
    }

    private func id() throws -> UUID? {
        guard let apnsID else { return nil }
        guard let id = UUID(uuidString: apnsID) else {
            throw CommandFailure.usage("\"\(apnsID)\" isn't an apns-id: use a UUID with 8-4-4-4-12 hex digits.")
        }
        return id
    }
}
