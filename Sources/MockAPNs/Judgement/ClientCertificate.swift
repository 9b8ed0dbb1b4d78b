/// The client certificate of a connection, as the judgement sees it.
public struct ClientCertificate: Hashable, Sendable {
    /// What the mock makes of its signature and its dates.
    public enum Trust: String, Sendable, Hashable {
        /// An authority that the mock trusts has issued it, and it is in force.
        case trusted
        /// Nobody that the mock trusts has issued it.
        case untrusted
        /// Its time is over. The mock's server refuses it during the handshake, by an alert.
        case expired
        /// Its time has not begun.
        case notYetValid
        /// It is not made for pushes: it names no topic, or is of a kind that signs apps.
        case notForPushes
    }

    /// Whom it names.
    public let commonName: String
    /// The topics that it is for: those of Apple's extension, otherwise the user id of its subject. Empty when it names
    /// none; it is then for any.
    public let topics: [String]
    /// Apple's extension lists the topics, so that a request has to say which of several it means.
    public let hasTopicList: Bool
    /// Where it is valid.
    public let environments: Set<World.Environment>
    /// What the mock makes of its signature and its dates.
    public let trust: Trust

    /// Describes a certificate.
    ///
    /// - Parameters:
    ///   - commonName: Whom it names.
    ///   - topics: The topics that it is for.
    ///   - hasTopicList: Apple's extension lists them.
    ///   - environments: Where it is valid.
    ///   - trust: What the mock makes of its signature and its dates.
    public init(
        commonName: String,
        topics: [String],
        hasTopicList: Bool = false,
        environments: Set<World.Environment> = Set(World.Environment.allCases),
        trust: Trust = .trusted
    ) {
        self.commonName = commonName
        self.topics = topics
        self.hasTopicList = hasTopicList
        self.environments = environments
        self.trust = trust
    }

    /// The topic of a request that names none; `nil` where a request has to name it.
    public var defaultTopic: String? { topics.count == 1 ? topics.first : nil }
}
