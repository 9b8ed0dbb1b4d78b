import APNSVocabulary
package import Logging
import PushPlatform

/// The push with which `pushsend doctor` and `pushserve check` try credentials. Its device token is made up, so that nothing can be
/// delivered.
package enum TestPush {
    /// "doctor" in hex, and zeros: Apple never issued such a device token.
    package static let deviceToken = "646f63746f72" + String(repeating: "0", count: 52)

    /// Returns a push that fits the topic: a background push, or the push type of the topic's suffix.
    package static func notification(topic: String) throws -> PushNotification {
        let type = SpecialTopic(topic) == .management ? .mdm : PushType.type(ofTopic: topic) ?? .background
        return PushNotification(
            to: try DeviceToken(pasted: deviceToken), topic: topic, payload: PushPayload(json: json(type)),
            pushType: type,
            priority: type == .background ? .powerAware : nil, expiration: .once)
    }

    private static func json(_ type: PushType) -> String {
        switch type {
        case .background: #"{"aps":{"content-available":1}}"#
        case .liveactivity: #"{"aps":{"timestamp":1,"event":"update","content-state":{}}}"#
        case .mdm: #"{"mdm":"doctor"}"#
        case .widgets, .controls: #"{"aps":{"content-changed":true}}"#
        case .accessory:
            #"{"aps":{"encryptedData":"ZG9jdG9y","keyID":"a2V5","messageIndex":"0","sessionIdentifier":"doctor"}}"#
        default: #"{"aps":{}}"#
        }
    }

    /// Returns the topic to try: the given one, or one of the certificate.
    package static func topic(given: String?, _ certificate: PushCertificate?) -> String? {
        given ?? certificate?.topic(for: .background) ?? certificate?.topics.first
    }

    /// Sends it once, for the server's answer. The time limit is that of each step.
    package static func outcome(
        topic: String, _ environment: PushEnvironment, _ credentials: PushCredentials,
        _ configuration: PushConfiguration, timeout: Duration, logger: Logger
    ) async throws -> PushOutcome {
        var configuration = configuration
        let limits = [
            \PushConfiguration.timeout, \.resolveTimeout, \.connectTimeout, \.handshakeTimeout, \.settingsTimeout,
        ]
        for limit in limits { configuration[keyPath: limit] = timeout }
        configuration.retry = .never
        configuration.checksNotifications = false
        let client = try PushClient(
            environment: environment, credentials: credentials, configuration: configuration, logger: logger)
        let outcome = await client.outcome(of: try notification(topic: topic))
        await client.shutdown(drainTime: .seconds(1))
        return outcome
    }
}
