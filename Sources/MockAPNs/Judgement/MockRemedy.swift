internal import APNSVocabulary

/// A change that makes the mock accept what it has refused, or handle it differently.
///
/// The description is a text for users of the Swift API. A program with its own flags or settings has its own texts.
package enum MockRemedy: Hashable, Sendable, CustomStringConvertible {
    // MARK: Credentials

    /// Accept every provider token and every client certificate.
    case acceptAnyCredentials
    /// Trust the key of the provider token. The ids are those of the token, unchecked.
    case trustKey(keyID: String, teamID: String)
    case trustAuthority
    case simulateEnvironment(MockEnvironment)
    /// Connect to Apple's host of the environment of the key, certificate or device.
    case useHost(of: MockEnvironment)
    /// Use the port that manages the channels of the environment of the key or certificate.
    case useChannelsPort(of: MockEnvironment)
    case trustKeyForTopic

    // MARK: Devices

    /// Register the device token, or accept all device tokens.
    case acceptUnknownTokens
    /// Simulate the environment of the device, or register the device for the other one.
    case matchEnvironment(ofDevice: MockEnvironment)
    /// Register a device again that is registered as gone.
    case registerAgain
    case registerForTopic(String)

    // MARK: Behaviour

    case acceptPushType(String)
    /// Change one of the ``MockVariants``. The sentence names the property and the effect, and the setting is the same as `name=value`,
    /// with a word in capitals for a value that is up to the user.
    case changeVariant(String, setting: String)
    /// Accept streams above a limit that the client has not acknowledged yet.
    case serveEarlyStreams
    /// Reset these streams. The text is a clause.
    case refuseEarlyStreams
    case awaitSettings
    /// Use a client that speaks HTTP/2. The text is a clause.
    case useHTTP2
    case raiseLimit(MockLimit)
    /// Use another device token, or switch magic tokens off.
    case noMagic

    /// What to change, in terms of the Swift API.
    package var description: String {
        switch self {
        case .acceptAnyCredentials: "Set MockConfiguration.acceptsAnyKey to true."
        case .trustKey(let keyID, let teamID):
            "Call MockServer.trust(pem:as:) with the key id \(Finding.quote(keyID)) and the team id "
                + "\(Finding.quote(teamID)), or set MockConfiguration.acceptsAnyKey to true."
        case .trustAuthority:
            "Start the mock with MockCredentials.supplied(in:) and the authority of the certificate as ca.pem, "
                + "or set MockConfiguration.acceptsAnyKey to true."
        case .simulateEnvironment(let environment): "Set MockConfiguration.environment to .\(environment)."
        case .useChannelsPort(let environment):
            "Use the port that manages the channels of \(environment): MockServer.channelsPort(of: .\(environment))."
        case .useHost(let environment):
            "Connect to \(environment == .sandbox ? APNSHost.sandbox : APNSHost.production)."
        case .trustKeyForTopic: "Add this topic to the topics of the key, or trust the key for all topics."
        case .acceptUnknownTokens:
            "Register it with MockServer.register(_:), or set MockConfiguration.unknownTokens to .accept."
        case .matchEnvironment(let environment):
            "Set MockConfiguration.environment to .\(environment), or register the device for this one."
        case .registerAgain: "Register the device again."
        case .registerForTopic(let topic): "Register the device for \(Finding.quote(topic)) as well."
        case .acceptPushType(let type):
            "If Apple has this push type, add \(Finding.quote(type)) to MockVariants.pushTypes."
        case .changeVariant(let sentence, _): sentence
        case .serveEarlyStreams: "Set MockVariants.refusesEarlyStreams to false."
        case .refuseEarlyStreams: "MockVariants.refusesEarlyStreams = true resets them."
        case .awaitSettings: "Wait for the server's SETTINGS, and respect their limit."
        case .useHTTP2: "use one that speaks HTTP/2"
        case .noMagic:
            "Use another device token, register this one, or set MockConfiguration.acceptsMagicTokens to false."
        case .raiseLimit(let limit):
            // A limit has the name of its property.
            limit.boundsSize
                ? "Raise MockLimits.\(limit), or set it to nil."
                : "Raise MockLimits.\(limit), or use MockLimits.lifted for a load test."
        }
    }
}
