package import PushPlatform

/// What the mock knows about one connection: from its client certificate, or from the provider tokens that it accepted
/// on it.
///
/// APNs binds a connection to the team and the key of its first accepted provider token. ``Judgement/connection`` has
/// the facts after the request. The server keeps them for the next request.
package struct ConnectionFacts: Hashable, Sendable {
    /// The provider token in use on a connection. Tokens with the same `iat` count as one: ES256 signatures are random,
    /// so senders that share an `iat` send different bytes.
    package struct CurrentToken: Hashable, Sendable {
        package let issuedAt: Date
        package let firstSeen: Date

        package init(issuedAt: Date, firstSeen: Date) {
            self.issuedAt = issuedAt
            self.firstSeen = firstSeen
        }
    }

    package let number: Int
    package let api: ServedAPI
    /// The name of Apple's that the client connected to, by SNI or through the mock's proxy; `nil` for another name.
    package let appleHost: String?
    /// The client certificate of the handshake; `nil` if there was none.
    package let certificate: MockClientCertificate?
    /// Whether HTTP/2 was negotiated by ALPN. If not, the client has sent the HTTP/2 preface without it.
    package let agreedOnHTTP2: Bool
    /// The team of the first accepted provider token. The connection is bound to it.
    package private(set) var teamID: String?
    /// The key id of the first accepted provider token.
    package private(set) var firstKeyID: String?
    package private(set) var currentToken: CurrentToken?

    /// Creates the facts of a connection without any request yet.
    ///
    /// - Parameters:
    ///   - number: The number of the connection, for logs.
    ///   - api: What its port serves.
    ///   - appleHost: The name of Apple's that the client connected to, if it did.
    ///   - certificate: The client certificate of the handshake, if there was one.
    ///   - agreedOnHTTP2: Whether HTTP/2 was negotiated by ALPN.
    package init(
        number: Int, api: ServedAPI = .pushes, appleHost: String? = nil, certificate: MockClientCertificate? = nil,
        agreedOnHTTP2: Bool = true
    ) {
        self.number = number
        self.api = api
        self.appleHost = appleHost
        self.certificate = certificate
        self.agreedOnHTTP2 = agreedOnHTTP2
    }

    /// What was known after the handshake, before any provider token.
    var ofHandshake: ConnectionFacts {
        ConnectionFacts(
            number: number, api: api, appleHost: appleHost, certificate: certificate, agreedOnHTTP2: agreedOnHTTP2)
    }

    /// The environment of the connection.
    ///
    /// - Parameter fallback: The environment of connections to another name than Apple's.
    /// - Returns: That of the port for channels, else that of the name, else the fallback.
    package func environment(else fallback: MockEnvironment) -> MockEnvironment {
        if case .channels(let environment) = api { return environment }
        return appleHost.flatMap(MockEnvironment.init(appleHost:)) ?? fallback
    }

    /// Whether the client is authenticated, by a certificate or by the first accepted provider token. From then on APNs
    /// allows more than one stream.
    package var isAuthenticated: Bool { certificate != nil || currentToken != nil }

    /// Records a provider token that the checks have accepted.
    ///
    /// - Parameters:
    ///   - token: The content of the token.
    ///   - now: The time of the request.
    package mutating func providerTokenAccepted(_ token: ProviderTokenContent, at now: Date) {
        if teamID == nil { teamID = token.teamID }
        if firstKeyID == nil { firstKeyID = token.keyID }
        if currentToken?.issuedAt != token.issuedAt {
            currentToken = CurrentToken(issuedAt: token.issuedAt, firstSeen: now)
        }
    }
}

/// Which part of the provider API a port serves.
package enum ServedAPI: Hashable, Sendable {
    case pushes
    /// The management of the channels of one environment.
    case channels(MockEnvironment)

    /// Whether the answer to a request has an `apns-request-id` instead of an `apns-id`: about broadcasts, and on every
    /// port that manages channels, whatever the path.
    func usesRequestID(_ target: MockRequest.Target) -> Bool { self != .pushes || target.app != nil }
}
