/// Which provider tokens are accepted.
public enum MockAuthentication: Sendable, Hashable {
    /// Only tokens signed with a key that the mock trusts: its own, or one of ``MockServer/trust(pem:as:)``.
    case trustedKeys
    /// All tokens. Key, team and signature are not checked; form, algorithm and age are.
    case any
}
