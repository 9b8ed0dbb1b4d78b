internal import PushPlatform
package import PushProvider
package import PushQueue

/// An app of the service: where its pushes are sent, with which credentials, and how.
package struct AppSettings: Sendable, Hashable {
    /// Where the credentials of an app are. They are read when the app starts, and again when a file has changed.
    package enum Credentials: Sendable, Hashable {
        /// A provider key: the path of the `.p8` file.
        case key(file: String, keyID: String, teamID: String)
        /// A certificate with its key: the path of a `.p12` or `.pem` file, and the path of a file with the passphrase.
        case identity(file: String, passphraseFile: String?)
    }

    /// What happens to a push to a device token that Apple has reported gone.
    package enum GonePolicy: String, Sendable, Hashable, CaseIterable {
        /// It is sent all the same. The report is kept.
        case send
        /// The request is refused, with the time of the report.
        case refuse
        /// It is not sent, with the reason `gone`.
        case skip
    }

    /// The name, which keys and requests use. It is unique.
    package var name: String
    /// The server of APNs.
    package var environment: PushEnvironment
    package var credentials: Credentials
    /// The topic of pushes without a topic; `nil` to take it from the certificate, or to require a topic in each push.
    package var topic: String?
    /// The topics that a push may name; empty for all.
    package var allowedTopics: [String] = []
    /// What happens to a push whose worker is lost while it sends.
    package var policy = QueueDeliveryPolicy.atMostOnce
    /// How many pushes of the app are sent in a second at most; `nil` for no limit.
    package var ratePerSecond: Double?
    /// The shortest time between two pushes to one device; `nil` for no limit.
    package var deviceInterval: Duration?
    /// What happens to pushes to gone device tokens.
    package var gone = GonePolicy.skip
    /// How long a push without an expiry may wait in the queue; `nil` for no limit.
    package var expiry: Duration?
    /// Whether the app pauses when almost all device tokens do not fit its setup.
    package var stopsAtMismatch = true
    /// The team's own table of devices, for pushes to users and audiences; `nil` for none.
    package var recipients: Recipients?
    /// Where Apple's delivery counts of the app come from; `nil` if they are not imported.
    package var deliveryCounts: DeliveryCountSource?
    /// The configuration of the client. The engine itself sets the retries, the names of the metrics and the breaker.
    package var client = PushConfiguration()

    package init(name: String, environment: PushEnvironment, credentials: Credentials) {
        (self.name, self.environment, self.credentials) = (name, environment, credentials)
    }
}

/// What an import of Apple's delivery counts needs.
package struct DeliveryCountSource: Sendable, Hashable {
    /// The path of the file whose first line is the data export token. It is read at each import, because tokens expire.
    package var tokenFile: String
    package var teamID: String
    package var bundleID: String

    package init(tokenFile: String, teamID: String, bundleID: String) {
        (self.tokenFile, self.teamID, self.bundleID) = (tokenFile, teamID, bundleID)
    }

    /// Why there is no token: the end of a sentence that begins with the file.
    package struct TokenMistake: Error { package let description: String }

    /// The maximum size of the file, in bytes.
    private static let maximumBytes = 64 << 10

    /// Reads the token.
    ///
    /// - Returns: The token, and whether other users can read it.
    package func readToken() throws(TokenMistake) -> (token: String, isOpenToOthers: Bool) {
        var facts = stat()
        // To open a pipe could take forever.
        if stat(tokenFile, &facts) == 0, facts.st_mode & S_IFMT != S_IFREG {
            throw TokenMistake(description: "isn't a file. Put the token into a file.")
        }
        let file = try rethrowing(try SmallFile(tokenFile, atMost: Self.maximumBytes)) { (error: SmallFile.Failure) in
            TokenMistake(description: "\(error.description).")
        }
        guard let token = FileText.word(file.bytes) else {
            throw TokenMistake(description: "doesn't begin with a token, which is one word.")
        }
        return (token, file.isOpenToOthers)
    }
}

extension AppSettings {
    package func allows(topic: String) -> Bool {
        topic == self.topic || allowedTopics.isEmpty || allowedTopics.contains(topic)
    }

    /// Whether a push of the app may go to the app with another bundle id.
    package func mayPush(besides bundleID: String) -> Bool {
        allowedTopics.isEmpty || allowedTopics.contains { Self.bundleID(ofTopic: $0) != bundleID }
    }

    /// Whether the configuration says that pushes of the app go to the app with this bundle id.
    package func pushes(to bundleID: String) -> Bool {
        deliveryCounts?.bundleID == bundleID
            || (allowedTopics + [topic].compactMap(\.self)).contains { Self.bundleID(ofTopic: $0) == bundleID }
    }

    /// The bundle id of a topic: without the suffix of a push type.
    package static func bundleID(ofTopic topic: String) -> String {
        String(topic.dropLast(PushType.type(ofTopic: topic)?.topicSuffix?.count ?? 0))
    }

    func checkPace() throws(AppSettingsError) {
        if let ratePerSecond, !(ratePerSecond > 0 && ratePerSecond.isFinite) {
            throw AppSettingsError(name, "The rate must be above 0.")
        }
        if let deviceInterval, deviceInterval <= .zero {
            throw AppSettingsError(name, "The time between two pushes to a device must be longer than zero.")
        }
    }
}

package struct AppSettingsError: Error, Sendable, Hashable, CustomStringConvertible {
    package let app: String
    package let description: String

    init(_ app: String, _ description: String) {
        (self.app, self.description) = (app, description)
    }
}
