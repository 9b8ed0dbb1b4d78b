internal import PushWire

/// Why a probe did not reach the next hop.
package struct ProbeFailure: Sendable, Equatable, CustomStringConvertible {
    package enum Kind: Sendable, Equatable {
        /// Nothing arrived within the time limit.
        case silent
        /// This machine has no route to the address, for example without IPv6.
        case noRoute
        case notTLS
        /// The other side does not negotiate HTTP/2 (ALPN).
        case noHTTP2
        /// The authority that issued the server's certificate is not trusted.
        case untrusted
        /// The server's certificate is for another name.
        case wrongName
        /// The server's certificate has expired or is not valid yet.
        case notInForce
        case ownCertificate
        case closed
        /// Any other failure; the description says which.
        case other
    }

    /// The hop that failed.
    package var phase: PushOutcome.Phase
    package var kind: Kind
    package var description: String

    package init(_ phase: PushOutcome.Phase, _ kind: Kind, _ description: String) {
        (self.phase, self.kind, self.description) = (phase, kind, description)
    }

    init(_ failure: ConnectionFailure, _ kind: Kind = .other) {
        let isWithoutRoute = failure.description.hasSuffix("\(ConnectionFailure.noRoute).")
        self.init(failure.phase, isWithoutRoute ? .noRoute : kind, failure.description)
    }

    /// A failure of TLS or HTTP/2, with the sentence that a send would report.
    init(_ failure: HTTP2OverTLS.Failure, peer: String) {
        var kind: Kind?
        if case .tls(let error) = failure { kind = Self.kinds[error.code] }
        self.init(ConnectionFailure(failure, peer: peer), kind ?? .other)
    }

    private static let kinds: [TLSError.Code: Kind] = [
        .notTLS: .notTLS, .noHTTP2: .noHTTP2, .untrustedAuthority: .untrusted, .wrongHostName: .wrongName,
        .certificateNotInForce: .notInForce,
        .ownCertificateExpired: .ownCertificate, .ownCertificateRefused: .ownCertificate,
    ]
}
