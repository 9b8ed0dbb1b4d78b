/// A provider key that the mock trusts.
public struct MockTrustedKey: Hashable, Sendable {
    /// The key id, the `kid` of its provider tokens.
    public let keyID: String
    /// The team of the key, the `iss` of its provider tokens.
    public let teamID: String
    /// The environments for which the key is valid. Apple's older keys are valid for both, newer ones for one.
    public let environments: Set<MockEnvironment>
    /// The bundle ids of a topic-specific key, each valid with all suffixes; `nil` for a team key.
    public let topics: Set<String>?
    /// The only other key that may use the same connection as this topic-specific key.
    public let relatedKeyID: String?

    /// Creates a key. With the defaults, it is a team key for both environments.
    public init(
        keyID: String,
        teamID: String,
        environments: Set<MockEnvironment> = Set(MockEnvironment.allCases),
        topics: Set<String>? = nil,
        relatedKeyID: String? = nil
    ) {
        self.keyID = keyID
        self.teamID = teamID
        self.environments = environments
        self.topics = topics
        self.relatedKeyID = relatedKeyID
    }

    /// Whether the key is valid for an environment. A linear search: it is faster than a hash, because there are only two.
    func isFor(_ environment: MockEnvironment) -> Bool {
        environments.contains { $0 == environment }
    }

    /// Whether tokens of both keys may use one connection, if both keys have the same team.
    func mayShareConnection(with other: MockTrustedKey) -> Bool {
        if topics == nil && other.topics == nil { return true }
        return relatedKeyID == other.keyID || other.relatedKeyID == keyID
    }
}

/// A certificate authority whose client certificates the mock accepts.
package struct MockAuthority: Hashable, Sendable {
    package let commonName: String
    /// SHA-256 of its certificate, in lower-case hex.
    package let sha256: String
    package let pem: String
}

package enum MockAuthentication: Sendable, Hashable {
    /// Only tokens signed with a key that the mock trusts: its own, or one of ``MockServer/trust(pem:as:)``.
    case trustedKeys
    /// All tokens. Key, team and signature are not checked; form, algorithm and age are.
    case any
}
