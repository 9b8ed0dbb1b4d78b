internal import CSSL

/// A certificate under construction: version 3, a random serial number, a common name, a public key (RFC 5280).
///
/// Owns one `X509`. Only one thread may use it at a time.
final class CertificateDraft {
    private let pointer: OpaquePointer

    init(commonName: String, key: P256Key) throws(CertificateError) {
        OpenSSLErrorQueue.clear()
        guard let x509 = X509_new() else { throw .failed("begin a certificate") }
        pointer = x509
        guard X509_set_version(pointer, Int(X509_VERSION_3)) == 1, setRandomSerialNumber(),
            X509_set_pubkey(pointer, key.pointer) == 1,
            X509_NAME_add_entry_by_txt(
                X509_get_subject_name(pointer), "CN", MBSTRING_UTF8, Array(commonName.utf8),
                Int32(clamping: commonName.utf8.count), -1, 0
            ) == 1
        else { throw .failed("begin a certificate for \"\(commonName)\"") }
    }

    deinit {
        X509_free(pointer)
    }

    /// Sets the validity. Both times are in unix seconds.
    func setValidity(from start: Int64, until end: Int64) throws(CertificateError) {
        OpenSSLErrorQueue.clear()
        guard start < end, ASN1_TIME_set(X509_getm_notBefore(pointer), time_t(start)) != nil,
            ASN1_TIME_set(X509_getm_notAfter(pointer), time_t(end)) != nil
        else { throw .failed("set the time from \(start) to \(end) in a certificate") }
    }

    /// Adds an extension, in the syntax of x509v3_config(5). Without an issuer, the certificate is for self-signing.
    func add(_ kind: Int32, _ value: String, issuer: Certificate?) throws(CertificateError) {
        OpenSSLErrorQueue.clear()
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer?.pointer ?? pointer, pointer, nil, nil, 0)
        let made = X509V3_EXT_conf_nid(nil, &context, kind, value)
        defer { X509_EXTENSION_free(made) }
        guard let made, X509_add_ext(pointer, made, -1) == 1 else {
            throw .failed("add \"\(value)\" to a certificate")
        }
    }

    /// Returns a signed copy of the certificate. Without an issuer, it is self-signed.
    /// Adds an entry to the subject.
    func addToSubject(_ field: String, _ value: String) throws(CertificateError) {
        OpenSSLErrorQueue.clear()
        guard
            X509_NAME_add_entry_by_txt(
                X509_get_subject_name(pointer), field, MBSTRING_UTF8, Array(value.utf8),
                Int32(clamping: value.utf8.count), -1, 0) == 1
        else { throw .failed("add \"\(value)\" to the subject of a certificate") }
    }

    /// Adds an extension whose value is NULL, as Apple's certificates have them.
    func addMark(_ oid: String) throws(CertificateError) {
        OpenSSLErrorQueue.clear()
        let object = OBJ_txt2obj(oid, 1)
        let value = ASN1_OCTET_STRING_new()
        defer {
            ASN1_OBJECT_free(object)
            ASN1_OCTET_STRING_free(value)
        }
        let null: [UInt8] = [5, 0]
        guard object != nil, ASN1_OCTET_STRING_set(value, null, Int32(null.count)) == 1 else {
            throw .failed("add \(oid) to a certificate")
        }
        let made = X509_EXTENSION_create_by_OBJ(nil, object, 0, value)
        defer { X509_EXTENSION_free(made) }
        guard let made, X509_add_ext(pointer, made, -1) == 1 else { throw .failed("add \(oid) to a certificate") }
    }

    func signed(by issuer: Certificate?, with key: P256Key) throws(CertificateError) -> Certificate {
        OpenSSLErrorQueue.clear()
        let issuerName = X509_get_subject_name(issuer?.pointer ?? pointer)
        guard X509_set_issuer_name(pointer, issuerName) == 1, X509_sign(pointer, key.pointer, EVP_sha256()) > 0,
            let copy = X509_dup(pointer)
        else { throw .failed("sign a certificate") }
        return try Certificate(taking: copy)
    }

    /// Sets a serial number of 128 bits. The highest bit is 1, so that the number is never short; the others are
    /// random.
    private func setRandomSerialNumber() -> Bool {
        let number = BN_new()
        defer { BN_free(number) }
        return BN_rand(number, 128, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1
            && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(pointer)) != nil
    }
}
