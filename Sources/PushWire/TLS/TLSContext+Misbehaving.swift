internal import CSSL

// What a server can demand in a handshake that Apple's do not: the mock's means. Before the context's first session only.

extension TLSContext {
    /// What a server agrees on by ALPN (RFC 7301).
    package enum Agreement: Sendable {
        case http2
        case http1
        case nothing
    }

    /// What becomes of a client's certificate.
    package enum ClientDemand: Sendable {
        /// It is asked for, and not required.
        case asked
        /// Without one the handshake ends.
        case required
        /// Any one ends the handshake, with the alert of this name.
        case expired
        case revoked
        case unknownAuthority
    }

    /// Server role: agrees on something else than HTTP/2.
    package func agree(on agreement: Agreement) {
        switch agreement {
        case .http2: break
        case .http1: SSL_CTX_set_alpn_select_cb(context, selectHTTP1, nil)
        case .nothing: SSL_CTX_set_alpn_select_cb(context, selectNothing, nil)
        }
    }

    /// Server role: demands something else of clients than to be asked for a certificate.
    package func demand(_ demand: ClientDemand) {
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

/// OpenSSL makes the alert of it.
private func refused(_ store: OpaquePointer?, as error: Int32) -> Int32 {
    X509_STORE_CTX_set_error(store, error)
    return 0
}

private let selectHTTP1: SSL_CTX_alpn_select_cb_func = { _, chosen, chosenLength, offer, offerLength, _ in
    var at = 0
    while let offer, at < Int(offerLength) {
        let name = UnsafeBufferPointer(start: offer + at + 1, count: min(Int(offer[at]), Int(offerLength) - at - 1))
        if name.elementsEqual("http/1.1".utf8) {
            chosen?.pointee = name.baseAddress
            chosenLength?.pointee = UInt8(name.count)
            return SSL_TLSEXT_ERR_OK
        }
        at += 1 + Int(offer[at])
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
}

private let selectNothing: SSL_CTX_alpn_select_cb_func = { _, _, _, _, _, _ in SSL_TLSEXT_ERR_NOACK }
