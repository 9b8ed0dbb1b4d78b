internal import CSSL

/// The kind of an identity file, from its first bytes. OpenSSL's error is almost always "wrong tag".
enum IdentityFileKind: Equatable {
    case pem
    case pkcs12
    /// A certificate in DER, such as Apple's `.cer`.
    case certificate
    /// Other contents, with a description.
    case other(String)
    case unknown

    init(_ file: [UInt8]) {
        self = file.first == DERReader.Element.sequence ? Self.binary(file) : .unknown
        // A signed or encrypted file can contain PEM, so this check is last.
        if self == .unknown, file.firstIndex(of: "-----BEGIN ") != nil { self = .pem }
    }

    /// The kind of a DER file, from the first bytes inside its SEQUENCE.
    private static func binary(_ file: [UInt8]) -> IdentityFileKind {
        if isRead(file, by: { d2i_X509_bio($0, nil) }, X509_free) { return .certificate }
        // The length may be a number of bytes, or indefinite.
        guard file.count >= 2 else { return .unknown }
        let start = file.dropFirst(file[1] <= 0x80 ? 2 : 2 + Int(file[1] & 0x7F))
        switch start.prefix(3) {
        case [0x02, 0x01, 0x03]: return .pkcs12
        case [0x02, 0x01, 0x00], [0x02, 0x01, 0x01]: return .other("a private key in DER")
        default: break
        }
        // signedData: 1.2.840.113549.1.7.2
        if start.starts(with: [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]) {
            return .other("a signed file, perhaps a provisioning profile (.mobileprovision)")
        }
        if isRead(file, by: { d2i_X509_REQ_bio($0, nil) }, X509_REQ_free) {
            return .other("a certificate request (.certSigningRequest)")
        }
        return .unknown
    }

    private static func isRead(
        _ file: [UInt8], by read: (OpaquePointer) -> OpaquePointer?, _ free: (OpaquePointer?) -> Void
    ) -> Bool {
        OpenSSLErrorQueue.clear()
        defer { OpenSSLErrorQueue.clear() }
        guard let object = OpenSSLBytes.read(file[...], read) else { return false }
        free(object)
        return true
    }

    /// Why the file cannot be read as PKCS#12; `nil` if it may be PKCS#12.
    var problemAsPKCS12: IdentityError? {
        switch self {
        case .pkcs12: nil
        case .pem: .pem
        case .certificate: .noPrivateKey
        case .other(let what): .otherContents(what)
        case .unknown: .unknownFile
        }
    }

    /// Why the file cannot be read as a certificate file; `nil` if it may be one.
    var problemAsCertificate: IdentityError? {
        switch self {
        case .pem, .certificate: nil
        case .pkcs12: .pkcs12
        case .other(let what): .otherContents(what)
        case .unknown: .unknownFile
        }
    }
}
