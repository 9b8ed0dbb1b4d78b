internal import PushJSON
import PushPlatform
import PushProvider
internal import PushWire

/// The hop about the TLS handshake: whether the certificate chain is right, and if not, what may intercept the connection.
struct TLSHop {
    let server: ProbedServer
    /// The current time in seconds since 1970.
    let now: Int

    /// The fingerprints of the roots in which the chains of Apple's servers end: USERTrust RSA, USERTrust ECC, and AAA
    /// Certificate Services, which has signed them too.
    static let applesRoots: Set<String> = [
        "e793c9b02fd8aa13e21c31228accb08119643b749c898964b1746d46c3d4cbd2",
        "4ff460d54b9c86dabfbcfc5712e0400d2bed3fbc4d4fbdaa86e06adcd2a9ad7a",
        "d7a7a0fb5d7e2731d771e9484ebcdef71d5f0c3e0a2948782bc83ee0ea699ef4",
    ]

    func hop(_ path: ProbedPath) -> Hop {
        let hop = hopWithoutDetails(path)
        guard let tls = path.tls else { return hop }
        return hop.with("version", .string(tls.version)).with("cipher", tls.cipher.map(PushJSONValue.string))
            .with("chain", .array(tls.chain.map { .string($0.subject) }))
            .with("issuer", tls.chain.last.map { .string($0.issuer) })
            .with("expires_at", tls.chain.first.map { .integer($0.notAfter) })
            .with("ms", NetworkHops.milliseconds(tls.time))
    }

    private func hopWithoutDetails(_ path: ProbedPath) -> Hop {
        if let tls = path.tls, tls.isVerified { return verified(tls) }
        guard let failure = path.failure else { return .notKnown(.tls, "The handshake wasn't observed.") }
        if failure.kind == .noHTTP2 {
            return .notKnown(.tls, "The server ended the handshake at ALPN, before it sent its certificate.")
        }
        return .failed(.tls, fact(failure, path.tls), remedy: remedy(failure.kind, path.tls))
    }

    private func verified(_ tls: ProbedTLS) -> Hop {
        let chain = tls.chain.map(\.subject).joined(separator: " < ")
        let fact =
            "\(tls.version); \(chain)\(tls.chain.first.map { "; valid until \(InspectedTime.day($0.notAfter))" } ?? "")."
        guard server.isApple, let root = tls.chain.last, !Self.applesRoots.contains(root.fingerprint) else {
            return .ok(.tls, fact)
        }
        return .warning(
            .tls,
            "The certificate of \(server.host) was issued by \(root.subject), which doesn't issue Apple's certificates.",
            remedy: """
                A proxy or firewall intercepts TLS with its own certificate, and can read every push and its \
                credentials. Ask its administrator to exempt \(server.host).
                """)
    }

    private func fact(_ failure: ProbeFailure, _ tls: ProbedTLS?) -> String {
        let sentence = NetworkHops.sentence(failure.description)
        guard let own = tls?.chain.first else { return sentence }
        switch failure.kind {
        case .untrusted:
            return """
                The certificate of \(server.host) (\(own.subject), issued by \(own.issuer)) comes from an authority that \
                isn't trusted here.
                """
        case .wrongName: return "The certificate is for \(own.subject), not for \(server.host)."
        case .notInForce where own.notAfter < now:
            return "The certificate of \(server.host) expired on \(InspectedTime.day(own.notAfter))."
        case .notInForce: return "The certificate of \(server.host) isn't valid yet, by the clock of this machine."
        default: return sentence
        }
    }

    private func remedy(_ kind: ProbeFailure.Kind, _ tls: ProbedTLS?) -> String {
        switch kind {
        case .untrusted: untrusted(tls)
        case .wrongName: server.isApple ? between : "Use a name that is in the certificate."
        case .notInForce:
            """
            Check the clock of this machine (date -u). If it is right, \
            \(server.isApple ? "something answers instead of Apple." : "the server needs a new certificate.")
            """
        case .notTLS:
            server.isApple
                ? between : "Check host and port: a plain HTTP server answers there, or a captive portal."
        case .silent:
            server.isApple
                ? """
                A firewall lets TCP through, but not TLS: ask its administrator, or try --port \(server.otherPort).
                """ : "Check host and port, and that the server isn't overloaded."
        default:
            server.isApple ? between : "Check host and port, and the log of the server."
        }
    }

    private func untrusted(_ tls: ProbedTLS?) -> String {
        if let file = server.authoritiesFile {
            return """
                \(file) doesn't contain the authority that issued it\(tls?.chain.last.map { " (\($0.issuer))" } ?? ""): \
                give the right file with --cacert\(server.isApple ? ", or none for Apple" : "").
                """
        }
        if server.isApple {
            let isOurs = tls?.chain.last.map { $0.issuer == LibraryHops.root } ?? false
            return isOurs || !server.trustsApplesRoot
                ? "Update the package ca-certificates: the trust store lacks the root of Apple's servers." : between
        }
        return """
            For your own server or a proxy that intercepts TLS, give its authority with --cacert FILE; for a running \
            "pushsend mock", use --mock. On a guest network, a captive portal may answer: sign in.
            """
    }

    /// Another server answers.
    private var between: String {
        """
        Something answers instead of Apple: a captive portal (open any page in a browser and sign in to the network), \
        or a proxy that intercepts TLS (ask its administrator to exempt \(server.host)).
        """
    }
}
