public import PushPlatform

/// Who sent a request. The provider token itself is not kept.
public struct ArrivalSender: Sendable, Hashable {
    /// The key id of the provider token, as the token says; `nil` without a token that could be read.
    public var keyID: String? { token.map { String($0.keyID.prefix(100)) } }
    /// The team id of the provider token, as the token says.
    public var teamID: String? { token.map { String($0.teamID.prefix(100)) } }
    /// The `iat` of the provider token, as the token says.
    public var issuedAt: Date? { token?.issuedAt }
    /// The common name of the client certificate; `nil` without one.
    public let certificate: String?
    /// Which environment the connection is for.
    public let environment: MockEnvironment

    private let token: ProviderTokenContent?

    init(token: ProviderTokenContent?, certificate: String?, environment: MockEnvironment) {
        self.token = token
        self.certificate = certificate
        self.environment = environment
    }
}
