internal import APNSVocabulary
import PushProvider

/// Finds the most probable cause of a rejection from what was sent and where. This says more than the reason alone.
enum ProbableCause {
    /// Returns a sentence with the cause, and a second one with the flag to try; `nil` if the reason says everything.
    static func sentences(_ reason: RejectionReason, topic: String, host: String, usesMock: Bool) -> String? {
        switch reason {
        case .badDeviceToken: environment(host)
        case .deviceTokenNotForTopic: app(topic)
        case .invalidProviderToken: usesMock ? nil : key(host)
        default: nil
        }
    }

    private static func environment(_ host: String) -> String? {
        switch host {
        case APNSHost.sandbox:
            """
            The push was sent to the sandbox, but the app is from TestFlight, ad hoc or the App Store. Try -e production.
            """
        case APNSHost.production:
            "The push was sent to production, but the app was run from Xcode or in a simulator. Try -e sandbox."
        // For another server, it is unknown which environment it belongs to.
        default: nil
        }
    }

    /// Returns the key hint. A mock has its own keys.
    private static func key(_ host: String) -> String? {
        guard PushEnvironment(host: host).appleService == nil else { return nil }
        return """
            The server \(host.printable) doesn't know the key, or key id and team id don't match it. For a running \
            "pushsend mock", leave out --endpoint and the key, and try --mock.
            """
    }

    private static func app(_ topic: String) -> String {
        guard let type = PushType.type(ofTopic: topic), let suffix = type.topicSuffix else {
            return """
                The token isn't for \(topic) but for another app, such as a debug build with its own bundle id, or for another kind \
                of push of this app, such as calls or Live Activities. Try --topic with the bundle id of the app that printed the token, \
                with the suffix of its kind.
                """
        }
        return """
            The token is the app's ordinary one, but "\(suffix)" has its own tokens. Try --topic \
            \(topic.dropLast(suffix.count)), or use the app's token for \(type).
            """
    }
}
