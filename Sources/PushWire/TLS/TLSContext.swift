internal import CSSL

/// The settings that all TLS connections of one side share: versions, trust or certificate, ALPN.
///
/// Owns one `SSL_CTX`. It is not changed after `init`, and OpenSSL allows many threads to create connections from it.
// Unchecked, because an `SSL_CTX` is only a pointer for the compiler. It is safe for the reason above.
package final class TLSContext: @unchecked Sendable {
    /// The authorities whose certificates a client accepts.
    package enum Trust: Sendable {
        case system
        /// Only the authorities in a PEM text.
        case authorities(pem: [UInt8])
    }

    let context: OpaquePointer
    let role: HTTP2Session.Role
    /// Whether a connection that did not negotiate HTTP/2 (ALPN) is accepted. A server sends such a client an error
    /// message, unless the client uses HTTP/2 anyway.
    let acceptsOthers: Bool

    /// Creates the context of a client. It always verifies the server's certificate and name.
    ///
    /// - Parameters:
    ///   - trust: The authorities whose certificates it accepts.
    ///   - identity: The certificate and chain for a server that requests a certificate.
    ///   - requiresALPN: Whether to refuse a server that does not negotiate HTTP/2. Otherwise the client uses HTTP/2
    ///     with it.
    /// - Throws: ``TLSError`` if the authorities cannot be read, or OpenSSL does not accept the identity.
    package init(trust: Trust, identity: ClientIdentity? = nil, requiresALPN: Bool = true) throws(TLSError) {
        role = .client
        acceptsOthers = !requiresALPN
        context = try TLSContext.make(TLS_client_method())
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        switch trust {
        case .system:
            SSL_CTX_set_default_verify_paths(context)
        case .authorities(let pem):
            try accept(authorities: pem)
        }
        if let identity { try show(identity) }
        // RFC 7301: the length of each name is before it.
        let offer: [UInt8] = [2, UInt8(ascii: "h"), UInt8(ascii: "2")]
        SSL_CTX_set_alpn_protos(context, offer, UInt32(offer.count))
    }

    /// Creates the context of a server, from a certificate and its key in PEM.
    ///
    /// The server requests a client certificate, but does not require one, like Apple's servers. The certificate is
    /// checked after the handshake, see ``TLSSession/peerCertificateResult(authoritiesPEM:now:)``.
    ///
    /// - Parameters:
    ///   - certificatePEM: The certificate, followed by its chain.
    ///   - privateKeyPEM: The key of the certificate.
    ///   - speaksHTTP2: Whether the server negotiates HTTP/2. Without, it negotiates no protocol, and clients must
    ///     refuse it.
    ///   - acceptsOthers: Whether to accept clients that do not offer HTTP/2, so that the server can send them an error
    ///     message: see ``TLSSession/agreedOnHTTP2``.
    ///   - refusesExpiredClientCertificates: Whether an expired certificate ends the handshake with the alert
    ///     `certificate_expired`, as with Apple's servers. OpenSSL uses the wall clock.
    /// - Throws: ``TLSError`` if certificate or key cannot be read, or do not belong together.
    package init(
        certificatePEM: [UInt8], privateKeyPEM: [UInt8], speaksHTTP2: Bool = true, acceptsOthers: Bool = false,
        refusesExpiredClientCertificates: Bool = false
    ) throws(TLSError) {
        role = .server
        self.acceptsOthers = acceptsOthers
        context = try TLSContext.make(TLS_server_method())
        SSL_CTX_set_verify(
            context, SSL_VERIFY_PEER, refusesExpiredClientCertificates ? acceptUnlessExpired : { _, _ in 1 })
        if speaksHTTP2 { SSL_CTX_set_alpn_select_cb(context, acceptsOthers ? selectHTTP2OrNothing : selectHTTP2, nil) }
        // No tickets, and no session ids (the cache is off): clients do not resume sessions, in no version of TLS. A resumed
        // session has no handshake in which an expired certificate could be refused, and the keys exist for one process only.
        SSL_CTX_set_num_tickets(context, 0)
        CSSL_CTX_forbid_tickets(context)
        try useCertificate(certificatePEM)
        try usePrivateKey(privateKeyPEM)
    }

    deinit {
        SSL_CTX_free(context)
    }

    /// Limits the version to TLS 1.2, in which a certificate is refused earlier in the handshake. Call it before the
    /// first session.
    func stopAtTLS12() {
        _ = CSSL_CTX_set_max_proto_version(context, TLS1_2_VERSION)
    }

    private static func make(_ method: OpaquePointer?) throws(TLSError) -> OpaquePointer {
        OpenSSLErrorQueue.clear()
        guard let context = SSL_CTX_new(method) else {
            throw TLSError(.failed, "OpenSSL has no memory (\(OpenSSLErrorQueue.summary()))")
        }
        _ = CSSL_CTX_set_min_proto_version(context, TLS1_2_VERSION)
        _ = CSSL_CTX_set_session_cache_mode(context, Int(SSL_SESS_CACHE_OFF))
        CSSL_CTX_forbid_renegotiation_and_compression(context)
        return context
    }

    private func accept(authorities pem: [UInt8]) throws(TLSError) {
        let store = SSL_CTX_get_cert_store(context)
        var count = 0
        for certificate in PEMCertificates.read(pem) {
            if X509_STORE_add_cert(store, certificate.x509) == 1 { count += 1 }
        }
        OpenSSLErrorQueue.clear()
        guard count > 0 else {
            throw TLSError(.unusableMaterial, "the given authorities contain no PEM certificate")
        }
    }

    private func show(_ identity: ClientIdentity) throws(TLSError) {
        OpenSSLErrorQueue.clear()
        guard SSL_CTX_use_certificate(context, identity.leaf.x509) == 1,
            SSL_CTX_use_PrivateKey(context, identity.key.pointer) == 1
        else {
            throw TLSError(
                .unusableIdentity, "OpenSSL doesn't accept the certificate or its key (\(OpenSSLErrorQueue.summary()))")
        }
        for certificate in identity.chain { _ = CSSL_CTX_add1_chain_cert(context, certificate.x509) }
        OpenSSLErrorQueue.clear()
    }

    private func useCertificate(_ pem: [UInt8]) throws(TLSError) {
        let chain = PEMCertificates.read(pem)
        guard let leaf = chain.first, SSL_CTX_use_certificate(context, leaf.x509) == 1 else {
            throw TLSError(.unusableMaterial, "the server certificate can't be read as PEM")
        }
        for certificate in chain.dropFirst() { _ = CSSL_CTX_add1_chain_cert(context, certificate.x509) }
    }

    private func usePrivateKey(_ pem: [UInt8]) throws(TLSError) {
        OpenSSLErrorQueue.clear()
        // An encrypted key must fail here. Otherwise OpenSSL asks for a passphrase on the terminal.
        let key = OpenSSLBytes.read(pem[...]) { PEM_read_bio_PrivateKey($0, nil, refusePassphrase, nil) }
        defer { EVP_PKEY_free(key) }
        guard key != nil, SSL_CTX_use_PrivateKey(context, key) == 1, SSL_CTX_check_private_key(context) == 1 else {
            throw TLSError(
                .unusableMaterial,
                "the server's key can't be used with its certificate (\(OpenSSLErrorQueue.summary()))")
        }
    }
}

/// Refuses only an expired certificate of the client itself. All other problems that OpenSSL finds are ignored.
private let acceptUnlessExpired: SSL_verify_cb = { _, context in
    let isItsOwn = X509_STORE_CTX_get_error_depth(context) == 0
    return isItsOwn && X509_STORE_CTX_get_error(context) == X509_V_ERR_CERT_HAS_EXPIRED ? 0 : 1
}

private let selectHTTP2: SSL_CTX_alpn_select_cb_func = { _, chosen, chosenLength, offer, offerLength, _ in
    selectProtocol("h2", chosen, chosenLength, offer, offerLength) ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL
}

private let selectHTTP2OrNothing: SSL_CTX_alpn_select_cb_func = { _, chosen, chosenLength, offer, offerLength, _ in
    selectProtocol("h2", chosen, chosenLength, offer, offerLength) ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK
}

/// Selects a protocol if the client offers it. In the offer, the length of each name is before it (RFC 7301).
///
/// - Returns: Whether the client offers it.
func selectProtocol(
    _ name: String, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ chosenLength: UnsafeMutablePointer<UInt8>?, _ offer: UnsafePointer<UInt8>?, _ offerLength: UInt32
) -> Bool {
    var rest = UnsafeBufferPointer(start: offer, count: Int(offerLength))[...]
    while let length = rest.popFirst(), length <= rest.count {
        let offered = UnsafeBufferPointer(rebasing: rest.prefix(Int(length)))
        if offered.elementsEqual(name.utf8) {
            chosen?.pointee = offered.baseAddress
            chosenLength?.pointee = length
            return true
        }
        rest = rest.dropFirst(Int(length))
    }
    return false
}
