import APNSVocabulary
import MockAPNs

extension MockRemedy {
    /// What to change, with the flags of this command.
    var textWithFlags: String {
        switch self {
        case .acceptAnyCredentials: "Start the mock with --auth any."
        case .trustKey(let keyID, let teamID):
            """
            Start the mock with --trust-key FILE --key-id \(Self.flagValue(keyID, else: "KEYID")) \
            --team-id \(Self.flagValue(teamID, else: "TEAMID")), or with --auth any.
            """
        case .trustAuthority: "Start the mock with --certs DIR and its authority as ca.pem, or with --auth any."
        case .simulateEnvironment(let environment): "Start the mock with --environment \(environment)."
        case .useChannelsPort(let environment):
            "Use the mock's port for the channels of \(environment): its JSON output has both, and --channel-ports sets them."
        case .acceptUnknownTokens: "Register it, or start the mock with --unknown-tokens accept."
        case .matchEnvironment(let environment):
            "Start the mock with --environment \(environment), or register the device for this one."
        case .serveEarlyStreams:
            "Start the mock with --early-streams serve (MockVariants.refusesEarlyStreams = false)."
        case .refuseEarlyStreams: "To reset them, start the mock with --early-streams refuse."
        case .useHTTP2: "use a client that supports HTTP/2, for example curl --http2"
        case .raiseLimit(let limit): "Raise it with --limit \(limit.rawValue)=VALUE, or \(limit.removalWithFlag)."
        case .noMagic: "Use another device token, register this one, or start the mock with --no-magic."
        case .acceptPushType(let type):
            "If Apple has this push type, start the mock with --set push_types=\(type)."
        case .useHost, .trustKeyForTopic, .registerAgain, .registerForTopic, .changeVariant, .awaitSettings: description
        }
    }

    /// Returns an id that can be pasted into a shell; the placeholder if the id has other characters than letters and
    /// digits.
    private static func flagValue(_ id: String, else placeholder: String) -> String {
        let isPlain = !id.isEmpty && id.utf8.count <= 32 && id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return isPlain ? id : placeholder
    }
}

extension MockLimit {
    /// How to remove the limit. The size limits remain in a load test.
    fileprivate var removalWithFlag: String {
        boundsSize ? "remove it with --limit \(rawValue)=none" : "remove all limits for a load test with --limit none"
    }
}
