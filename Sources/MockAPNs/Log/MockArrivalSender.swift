package import PushPlatform

extension MockArrival {
    /// The client that sent a request. The provider token itself is not kept.
    package struct Sender: Sendable, Hashable {
        /// The address and the port of the client, such as `127.0.0.1:50123`; `nil` if the system does not report it.
        package let peer: String?
        /// The key id of the provider token, as the token says, at most 100 characters; `nil` without a token that could be read.
        package var keyID: String? { token?.keyID }
        /// The team id of the provider token, as the token says, at most 100 characters.
        package var teamID: String? { token?.teamID }
        /// The `iat` of the provider token, as the token says.
        package var issuedAt: Date? { token?.issuedAt }
        /// The common name of the client certificate; `nil` without one.
        package let certificate: String?
        /// Which environment the connection is for.
        package let environment: MockEnvironment

        private let token: ProviderTokenContent?

        init(peer: String? = nil, token: ProviderTokenContent?, certificate: String?, environment: MockEnvironment) {
            self.peer = peer
            self.token = token
            self.certificate = certificate
            self.environment = environment
        }
    }
}
