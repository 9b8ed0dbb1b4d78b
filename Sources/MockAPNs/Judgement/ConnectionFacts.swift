/// What the mock has learned of one connection: from its client certificate, or from the provider tokens that it
/// accepted there.
///
/// APNs binds a connection to the team and the key of its first accepted token. A judgement returns the facts as they
/// are after the request; the server keeps them for the next one.
public struct ConnectionFacts: Hashable, Sendable {
    /// The provider token in use on a connection. Tokens with the same `iat` count as one: ES256 signatures are random,
    /// and a fleet that shares its `iat` sends different bytes.
    public struct CurrentToken: Hashable, Sendable {
        /// Its `iat`.
        public let issuedAt: Moment
        /// When this connection first carried it.
        public let firstSeen: Moment

        /// Takes the token's `iat` and the moment of its first use.
        public init(issuedAt: Moment, firstSeen: Moment) {
            self.issuedAt = issuedAt
            self.firstSeen = firstSeen
        }
    }

    /// The number of the connection, for logs.
    public let number: Int
    /// What the client has shown in the handshake; `nil` on a token connection.
    public let certificate: ClientCertificate?
    /// Client and mock have agreed on HTTP/2 by ALPN. A client that has not has sent the preface of HTTP/2 all the same.
    public let agreedOnHTTP2: Bool
    /// The team that the connection is bound to, after the first accepted token.
    public private(set) var teamID: String?
    /// The key of the first accepted token.
    public private(set) var firstKeyID: String?
    /// The provider token in use.
    public private(set) var currentToken: CurrentToken?

    /// A connection that has carried nothing yet.
    ///
    /// - Parameters:
    ///   - number: Its number, for logs.
    ///   - certificate: What the client has shown in the handshake, if anything.
    ///   - agreedOnHTTP2: Whether HTTP/2 was agreed on by ALPN.
    public init(number: Int, certificate: ClientCertificate? = nil, agreedOnHTTP2: Bool = true) {
        self.number = number
        self.certificate = certificate
        self.agreedOnHTTP2 = agreedOnHTTP2
    }

    /// Whether the client has shown who it is: from then on APNs allows more than one stream. A certificate does it at
    /// once, the first accepted provider token otherwise.
    public var isAuthenticated: Bool { certificate != nil || currentToken != nil }

    /// A request carried a provider token that the checks have accepted.
    ///
    /// - Parameters:
    ///   - token: What the token says.
    ///   - now: The time of the request.
    public mutating func providerTokenAccepted(_ token: ProviderTokenContent, at now: Moment) {
        if teamID == nil { teamID = token.teamID }
        if firstKeyID == nil { firstKeyID = token.keyID }
        if currentToken?.issuedAt != token.issuedAt {
            currentToken = CurrentToken(issuedAt: token.issuedAt, firstSeen: now)
        }
    }
}
