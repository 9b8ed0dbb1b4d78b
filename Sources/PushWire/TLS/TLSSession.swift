internal import APNSVocabulary
internal import CSSL

/// One TLS connection without a socket. Its input and output are two memory BIOs.
///
/// Owns one `SSL` with its BIOs. Only one thread may use it at a time.
package final class TLSSession {
    /// The maximum plaintext in one record, in bytes (RFC 8446 section 5.1). Longer data needs more records.
    package static let recordBytes = 16384

    private let ssl: OpaquePointer
    private let context: TLSContext
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer
    private let hostName: String?

    /// Whether the handshake is complete, with HTTP/2 negotiated if that is required (``TLSContext/acceptsOthers``).
    @exclusivity(unchecked) package private(set) var isEstablished = false
    /// Whether the peer has closed its side of the connection.
    @exclusivity(unchecked) package private(set) var isClosedByPeer = false
    /// The number of bytes of ciphertext so far, with the handshake.
    @exclusivity(unchecked) package private(set) var ciphertextCount: UInt64 = 0
    @exclusivity(unchecked) private var pendingBefore = 0

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - context: The shared settings.
    ///   - hostName: Client role: the name or address for which the server's certificate must be valid.
    /// - Throws: ``TLSError`` if OpenSSL has no memory or the name is invalid.
    package init(context: TLSContext, hostName: String? = nil) throws(TLSError) {
        OpenSSLErrorQueue.clear()
        guard let ssl = SSL_new(context.context) else {
            throw TLSError(.failed, "OpenSSL has no memory (\(OpenSSLErrorQueue.summary()))")
        }
        guard let incoming = BIO_new(BIO_s_mem()), let outgoing = BIO_new(BIO_s_mem()) else {
            SSL_free(ssl)
            throw TLSError(.failed, "OpenSSL has no memory")
        }
        CSSL_BIO_set_mem_eof_return(incoming, -1)
        CSSL_BIO_set_mem_eof_return(outgoing, -1)
        // From here, the SSL owns both.
        SSL_set_bio(ssl, incoming, outgoing)
        self.ssl = ssl
        self.context = context
        self.incoming = incoming
        self.outgoing = outgoing
        self.hostName = hostName
        switch context.role {
        case .client:
            SSL_set_connect_state(ssl)
            try expect(hostName ?? "")
        case .server:
            SSL_set_accept_state(ssl)
        }
    }

    deinit {
        SSL_free(ssl)
    }

    /// Sets the name or address that the certificate must have. A name is also sent as SNI.
    private func expect(_ name: String) throws(TLSError) {
        let parameters = SSL_get0_param(ssl)
        if X509_VERIFY_PARAM_set1_ip_asc(parameters, name) == 1 { return }
        OpenSSLErrorQueue.clear()
        X509_VERIFY_PARAM_set_hostflags(
            parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
        guard !name.isEmpty, SSL_set1_host(ssl, name) == 1, CSSL_set_tlsext_host_name(ssl, name) == 1 else {
            throw TLSError(.wrongHostName, "\"\(name)\" isn't a host name")
        }
    }

    // MARK: Handshake

    /// Continues the handshake with the bytes received so far.
    ///
    /// - Throws: ``TLSError`` if it has failed. The ciphertext may contain an alert for the peer.
    package func handshake() throws(TLSError) {
        guard !isEstablished else { return }
        OpenSSLErrorQueue.clear()
        let code = SSL_do_handshake(ssl)
        countCiphertext()
        if code == 1 {
            guard agreedOnHTTP2 || context.acceptsOthers else {
                throw TLSError(.noHTTP2, "the other side doesn't speak HTTP/2 (no ALPN \"h2\")")
            }
            isEstablished = true
            return
        }
        let reason = SSL_get_error(ssl, code)
        if reason != SSL_ERROR_WANT_READ, reason != SSL_ERROR_WANT_WRITE { throw handshakeError() }
    }

    /// Whether HTTP/2 was negotiated (ALPN, RFC 7301).
    package var agreedOnHTTP2: Bool { selectedProtocol == "h2" }

    /// Server role: the host name that the client sent as SNI (RFC 6066 section 3); `nil` for none.
    package var serverName: String? {
        SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { PeerText.printable(String(cString: $0)) }
    }

    /// The negotiated version, for example `TLSv1.3`.
    package var version: String { String(cString: SSL_get_version(ssl)) }

    /// Calls the closure with the peer's certificate; returns `nil` if the peer sent none.
    func withPeerCertificate<Result>(_ body: (OpaquePointer) -> Result) -> Result? {
        guard let x509 = SSL_get1_peer_certificate(ssl) else { return nil }
        defer { X509_free(x509) }
        return body(x509)
    }

    /// The chain that the peer sent with its certificate. The session owns it.
    var peerChain: OpaquePointer? { SSL_get_peer_cert_chain(ssl) }

    /// The chain that OpenSSL built from the peer's certificates, also after a failed verification. The session owns it.
    var builtChain: OpaquePointer? { SSL_get0_verified_chain(ssl) }

    /// The negotiated cipher suite, for example `TLS_AES_256_GCM_SHA384`; `nil` before the handshake.
    package var cipher: String? {
        SSL_get_current_cipher(ssl).flatMap { SSL_CIPHER_get_name($0) }.map { String(cString: $0) }
    }

    /// The protocol that ALPN selected, for example `h2`; `nil` if none was.
    package var selectedProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &length)
        guard length > 0 else { return nil }
        return PeerText.printable(
            String(decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self))
    }

    // MARK: Ciphertext in

    /// Adds ciphertext from the socket.
    package func receive(_ ciphertext: UnsafeRawBufferPointer) {
        guard let base = ciphertext.baseAddress, !ciphertext.isEmpty else { return }
        // A memory BIO accepts everything.
        BIO_write(incoming, base, Int32(ciphertext.count))
    }

    /// Decrypts into a buffer.
    ///
    /// - Parameter buffer: The buffer for the plaintext.
    /// - Returns: The number of bytes of plaintext; 0 if more ciphertext is needed or the peer has closed.
    /// - Throws: ``TLSError`` if the peer sent an alert or the data is not TLS.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TLSError) -> Int {
        OpenSSLErrorQueue.clear()
        let count = SSL_read(ssl, buffer.baseAddress, Int32(buffer.count))
        countCiphertext()
        if count > 0 { return Int(count) }
        switch SSL_get_error(ssl, count) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return 0
        case SSL_ERROR_ZERO_RETURN:
            isClosedByPeer = true
            return 0
        default:
            throw OpenSSLErrorQueue.drain().tlsError("the TLS connection failed", hasCertificate: hasCertificate)
        }
    }

    // MARK: Ciphertext out

    /// Encrypts plaintext into exactly one record.
    ///
    /// - Parameter plaintext: At most ``recordBytes`` bytes.
    /// - Throws: ``TLSError`` if the connection is not established or is broken.
    package func seal(_ plaintext: UnsafeRawBufferPointer) throws(TLSError) {
        OpenSSLErrorQueue.clear()
        let count = SSL_write(ssl, plaintext.baseAddress, Int32(plaintext.count))
        countCiphertext()
        guard count == plaintext.count else {
            throw OpenSSLErrorQueue.drain().tlsError("TLS can't write", hasCertificate: hasCertificate)
        }
    }

    /// Adds the alert `close_notify` to the ciphertext: this side sends no more data.
    package func close() {
        OpenSSLErrorQueue.clear()
        SSL_shutdown(ssl)
        OpenSSLErrorQueue.clear()
        countCiphertext()
    }

    package var hasCiphertext: Bool { pendingBefore > 0 }

    /// Calls the closure with the ciphertext so far, and removes it. The pointer is valid only during the call.
    package func takeCiphertext<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var data: UnsafeMutablePointer<CChar>?
        let count = CSSL_BIO_get_mem_data(outgoing, &data)
        defer {
            BIO_ctrl(outgoing, BIO_CTRL_RESET, 0, nil)
            pendingBefore = 0
        }
        return body(UnsafeRawBufferPointer(start: data, count: count))
    }

    private func countCiphertext() {
        let pending = Int(CSSL_BIO_pending(outgoing))
        ciphertextCount += UInt64(max(0, pending - pendingBefore))
        pendingBefore = pending
    }

    // MARK: Errors

    /// Whether this side has a certificate that it could send.
    private var hasCertificate: Bool { SSL_get_certificate(ssl) != nil }

    private func handshakeError() -> TLSError {
        let queue = OpenSSLErrorQueue.drain()
        let result = SSL_get_verify_result(ssl)
        guard result != X509_V_OK else {
            return queue.tlsError("the TLS handshake failed", hasCertificate: hasCertificate)
        }
        let message = String(cString: X509_verify_cert_error_string(result))
        if context.role == .server {
            return TLSError(.certificateRefused, "the client's certificate was refused (\(message))")
        }
        let name = hostName ?? "the server"
        switch Int32(truncatingIfNeeded: result) {
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            return TLSError(.wrongHostName, "the server's certificate isn't for \(name)")
        case X509_V_ERR_CERT_HAS_EXPIRED, X509_V_ERR_CERT_NOT_YET_VALID:
            return TLSError(.certificateNotInForce, "the certificate of \(name) isn't valid now (\(message))")
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
            X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
            return TLSError(
                .untrustedAuthority,
                "the certificate of \(name) comes from an authority that isn't trusted here (\(message))")
        default:
            return TLSError(.certificateRefused, "the certificate of \(name) was refused (\(message))")
        }
    }
}
