internal import CSSL

// Handshakes that Apple's servers do not use, for the faults of the mock. Call these functions before the first
// session.

extension TLSContext {
    /// The protocol that a server selects with ALPN (RFC 7301).
    package enum Agreed: String, Sendable, Hashable, CaseIterable, Codable {
        /// HTTP/2, as usual.
        case http2 = "h2"
        /// HTTP/1.1 only. A client that does not offer it gets the alert `no_application_protocol`. All other clients,
        /// also those without ALPN, are disconnected after the handshake.
        case http1 = "http/1.1"
        /// None, like a server without ALPN. A client that uses HTTP/2 without ALPN is served.
        case nothing
    }

    package enum ClientCertificate: String, Sendable, Hashable, CaseIterable, Codable {
        /// The server requests a certificate, but does not require one, as usual.
        case asked
        /// Without a certificate, the handshake fails with the alert `certificate_required`.
        case required
        /// Every certificate fails the handshake with the alert `certificate_expired`.
        case expired
        /// Every certificate fails the handshake with the alert `certificate_revoked`.
        case revoked
        /// Every certificate fails the handshake with the alert `unknown_ca`.
        case unknownAuthority = "unknown_authority"
    }

    /// Server role: selects a protocol other than HTTP/2.
    package func agree(on agreement: Agreed) {
        switch agreement {
        case .http2: break
        case .http1: SSL_CTX_set_alpn_select_cb(context, selectHTTP1, nil)
        case .nothing: SSL_CTX_set_alpn_select_cb(context, selectNothing, nil)
        }
    }

    /// Server role: changes how client certificates are handled.
    package func demand(_ demand: ClientCertificate) {
        switch demand {
        case .asked: break
        case .required:
            let verify = SSL_CTX_get_verify_callback(context)
            SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, verify)
        case .expired: refuse { refused($1, as: X509_V_ERR_CERT_HAS_EXPIRED) }
        case .revoked: refuse { refused($1, as: X509_V_ERR_CERT_REVOKED) }
        case .unknownAuthority: refuse { refused($1, as: X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY) }
        }
    }

    private func refuse(_ verify: @escaping SSL_verify_cb) {
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, verify)
    }
}

/// Sets the error, which OpenSSL converts to an alert.
private func refused(_ store: OpaquePointer?, as error: Int32) -> Int32 {
    X509_STORE_CTX_set_error(store, error)
    return 0
}

private let selectHTTP1: SSL_CTX_alpn_select_cb_func = { _, chosen, chosenLength, offer, offerLength, _ in
    selectProtocol("http/1.1", chosen, chosenLength, offer, offerLength)
        ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL
}

private let selectNothing: SSL_CTX_alpn_select_cb_func = { _, _, _, _, _, _ in SSL_TLSEXT_ERR_NOACK }
