/// A provider key that the mock trusts, as Apple's developer portal would describe it.
public struct TrustedKey: Hashable, Sendable {
    /// The key id: `kid` of its tokens.
    public let keyID: String
    /// The team that owns it: `iss` of its tokens.
    public let teamID: String
    /// Where it is valid. Apple's older keys are valid in both environments, newer ones in one.
    public let environments: Set<World.Environment>
    /// The bundle ids of a topic-specific key, each with all of its suffixes; `nil` for a key of the whole team.
    public let topics: Set<String>?
    /// The one key that a topic-specific key may share a connection with.
    public let relatedKeyID: String?

    /// Describes a key; with the defaults, one of the whole team for both environments.
    public init(
        keyID: String,
        teamID: String,
        environments: Set<World.Environment> = Set(World.Environment.allCases),
        topics: Set<String>? = nil,
        relatedKeyID: String? = nil
    ) {
        self.keyID = keyID
        self.teamID = teamID
        self.environments = environments
        self.topics = topics
        self.relatedKeyID = relatedKeyID
    }

    /// There are two environments: to look at each is less than a hash.
    func isFor(_ environment: World.Environment) -> Bool {
        environments.contains { $0 == environment }
    }

    /// Whether tokens of both keys may use one connection, the team being the same.
    func mayShareConnection(with other: TrustedKey) -> Bool {
        if topics == nil && other.topics == nil { return true }
        return relatedKeyID == other.keyID || other.relatedKeyID == keyID
    }
}
