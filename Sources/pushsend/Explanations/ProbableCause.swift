internal import APNSVocabulary
import PushProvider

/// What a rejection most often comes from, in terms of what was sent and where to: more than a word alone can say.
enum ProbableCause {
    /// The cause in a sentence, and in a second one the flag to try; `nil` where the word says it all.
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
            It went to the sandbox, and the app came from TestFlight, ad hoc or the App Store. Try -e production.
            """
        case APNSHost.production:
            "It went to production, and the app was run from Xcode or in a simulator. Try -e sandbox."
        // Of another server nobody knows which environment it stands for.
        default: nil
        }
    }

    /// A mock has keys of its own.
    private static func key(_ host: String) -> String? {
        guard PushEnvironment(host: host).appleService == nil else { return nil }
        return """
            The server \(host.printable) does not know the key, or key id and team id do not belong to it. For a running \
            "pushsend mock", leave out --endpoint and the key, and try --mock.
            """
    }

    private static func app(_ topic: String) -> String {
        guard let type = PushType.type(ofTopic: topic), let suffix = type.topicSuffix else {
            return """
                The token is not of \(topic) but of another app, such as a debug build with a bundle id of its own. \
                Try --topic with the bundle id of the app that printed the token.
                """
        }
        return """
            The token is the app's ordinary one, and "\(suffix)" has tokens of its own. Try --topic \
            \(topic.dropLast(suffix.count)), or take the token for \(type) from the app.
            """
    }
}
