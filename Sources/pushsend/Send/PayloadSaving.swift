import PushCommandLine
internal import PushJSON
internal import PushLint
import PushProvider

/// Writes the payload of a command line to a file, instead of sending it.
struct PayloadSaving {
    let file: SavedFile
    let headers: HeaderOptions

    /// - Throws: ``CommandFailure`` if it is not a payload, or cannot be written.
    func save(_ composed: ComposedPayload) throws {
        let pushType = headers.pushType.map(PushType.init(rawValue:))
        let notification = PushNotification(
            to: try DeviceToken("00"), topic: headers.topic ?? composed.bundleID ?? Self.anyTopic,
            payload: composed.payload, pushType: pushType)
        try refuseInvalid(notification)
        let limit = APNSLimit.payloadBytes(for: notification.effectivePushType)
        let text = text(composed, atMost: limit)
        try file.write(text)
        guard file.path != "-" else { return }
        Output.note("Saved \(file.path.printable): \(Self.size(text)) of \(limit) bytes when sent from this file.")
        printPushType(of: notification, in: text)
    }

    private static let anyTopic = "com.example.app"

    /// Checks the payload only. The headers are checked when it is sent.
    private func refuseInvalid(_ notification: PushNotification) throws {
        let findings = notification.findings().filter { $0.severity == .error && !$0.subject.hasPrefix("apns-") }
        guard let first = findings.first else { return }
        throw CommandFailure(.invalidInput, "\(first.subject): \(first)")
    }

    /// Returns the text for the file. A given payload is unchanged. A built payload is formatted for reading, if it is
    /// then not too large to send.
    private func text(_ composed: ComposedPayload, atMost limit: Int) -> [UInt8] {
        guard !composed.isRaw, var value = PushJSONValue(json: composed.payload.bytes) else {
            return composed.payload.bytes
        }
        if file.path.hasSuffix(".apns"), let topic = headers.topic, case .object(var members) = value {
            members[ComposedPayload.simulatorKey] = .string(topic)
            value = .object(members)
        }
        let pretty = Array(PrettyJSON.text(value).utf8)
        return Self.size(pretty) > limit ? value.encoded : pretty
    }

    /// The number of bytes that are sent: the simulator's key is not.
    private static func size(_ text: [UInt8]) -> Int { ComposedPayload(raw: text).payload.bytes.count }

    /// Prints the headers that cannot be derived from the payload, because a file has no headers.
    private func printPushType(of notification: PushNotification, in text: [UInt8]) {
        let type = notification.effectivePushType
        var read = notification
        read.payload = PushPayload(json: text)
        read.topic = Self.anyTopic
        guard read.effectivePushType != type else { return }
        let suffix = type.topicSuffix.map { " --topic BUNDLE-ID\($0)" } ?? ""
        Output.note("A file has no push type: send it with --payload FILE --push-type \(type)\(suffix)")
    }
}
