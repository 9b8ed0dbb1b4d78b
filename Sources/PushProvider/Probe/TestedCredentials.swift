internal import APNSVocabulary

/// What the rejection of a test push says. It has a device token that does not exist, so no server should accept it.
package enum TestedCredentials: Sendable, Hashable {
    /// Only the device token is wrong: the credentials and the topic were accepted before it was looked at.
    case accepted
    case refused
    case topicRefused
    /// The server has no answer now: 429, or a status from 500 on.
    case later
    /// The answer is not one that APNs gives to a push: a redirect, 401, 404 or 405.
    case otherServer
    /// The answer is about something else.
    case nothing

    package init(_ rejection: PushOutcome.Rejection) {
        let reason = rejection.reason
        if rejection.status == 410 || reason.map(Self.aboutDevice.contains) == true {
            self = .accepted
        } else if reason?.concernsTopic == true {
            self = .topicRefused
        } else if rejection.status == 403 || reason?.concernsCredentials == true {
            self = .refused
        } else if rejection.status == 429 || rejection.status >= 500 {
            self = .later
        } else if (300..<400).contains(rejection.status) || [401, 404, 405].contains(rejection.status) {
            self = .otherServer
        } else {
            self = .nothing
        }
    }

    /// What to do if the answer has no reason that says it; `nil` if nothing is wrong.
    package var remedy: String? {
        switch self {
        case .accepted: nil
        case .refused:
            "Check the key, its id, the team id and the environment: \"pushsend inspect FILE\" shows what is in a file."
        case .topicRefused: "Check the topic: it is the bundle id of an app that these credentials are for."
        case .later: "Try again later: the server doesn't answer this now."
        case .otherServer: "This may not be an APNs server: check host and port."
        case .nothing: "The answer tells you nothing about the credentials."
        }
    }

    private static let aboutDevice: Set<RejectionReason> = [
        .badDeviceToken, .deviceTokenNotForTopic, .unregistered, .expiredToken,
    ]
}
