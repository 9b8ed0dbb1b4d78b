internal import PushPlatform

/// What a file with a key or a certificate is, by its contents. All programs recognize files here, so that each of them can say which
/// file was given in place of the right one. The name of the file has no influence.
package enum CredentialFileKind: Hashable, Sendable {
    /// A private key in PEM, without a certificate: Apple's `.p8`, or the key of a certificate.
    case privateKey
    case publicKey
    /// One or more certificates in PEM, without a key.
    case certificate
    /// A certificate with its private key in PEM.
    case identity
    /// A certificate and its private key in PKCS#12: `.p12`, `.pfx`.
    case pkcs12
    /// A certificate in DER: Apple's `.cer`.
    case certificateDER
    case privateKeyDER
    case publicKeyDER
    /// A certificate request: `.certSigningRequest`.
    case request
    /// Signed data in DER: a provisioning profile (`.mobileprovision`), or a bundle of certificates.
    case signedData
    /// PEM with other contents, with its label.
    case otherPEM(String)

    /// Recognizes a file, also one whose text was changed on its way (``RestoredFile``); `nil` for other contents.
    package init?(_ file: [UInt8]) {
        self.init(restored: RestoredFile.bytes(of: file) ?? file)
    }

    /// Recognizes a file in its original form.
    init?(restored file: [UInt8]) {
        // A signed or encrypted file can contain PEM, so the binary forms are first.
        if let kind = Self.binary(file[...]) {
            self = kind
            return
        }
        let labels = PEMBlock.all(in: file).map(\.label)
        guard let first = labels.first else { return nil }
        let hasCertificate = labels.contains { $0.hasSuffix("CERTIFICATE") }
        let hasKey = labels.contains { $0.hasSuffix("PRIVATE KEY") }
        switch (hasCertificate, hasKey) {
        case (true, true): self = .identity
        case (true, false): self = .certificate
        case (false, true): self = .privateKey
        case (false, false):
            if labels.contains(where: { $0.hasSuffix("CERTIFICATE REQUEST") }) {
                self = .request
            } else {
                self = labels.contains { $0.hasSuffix("PUBLIC KEY") } ? .publicKey : .otherPEM(first)
            }
        }
    }

    /// Recognizes DER by its first bytes: a SEQUENCE and its length, then what the sequence begins with.
    private static func binary(_ file: ArraySlice<UInt8>) -> CredentialFileKind? {
        guard file.count >= 5, let content = content(file) else { return nil }
        switch content.prefix(3) {
        // The version 3 (RFC 7292); the version 0 or 1 (RFC 5208, RFC 5915).
        case [0x02, 0x01, 0x03]: return .pkcs12
        case [0x02, 0x01, 0x00], [0x02, 0x01, 0x01]: return .privateKeyDER
        default: break
        }
        // The object identifier 1.2.840.113549.1.7.2 (RFC 5652).
        if content.starts(with: [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]) {
            return .signedData
        }
        guard let inner = self.content(content) else { return nil }
        // An encrypted key (RFC 5958) and a public key (RFC 5280) begin with an algorithm, and then have an OCTET STRING or a BIT
        // STRING.
        if inner.first == 0x06 { return isEncryptedKey(content) ? .privateKeyDER : .publicKeyDER }
        // A request begins with its version (RFC 2986). A certificate has its version in a tag, or begins with its serial number.
        if inner.starts(with: [0x02, 0x01, 0x00]) { return .request }
        return inner.starts(with: [0xA0, 0x03, 0x02, 0x01]) || inner.first == 0x02 ? .certificateDER : nil
    }

    private static func isEncryptedKey(_ content: ArraySlice<UInt8>) -> Bool {
        guard content.count > 2, content[content.startIndex + 1] < 0x80 else { return false }
        return content.dropFirst(2 + Int(content[content.startIndex + 1])).first == 0x04
    }

    /// The content of the SEQUENCE at the beginning; `nil` if there is none. The length may be in several bytes, or indefinite.
    private static func content(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard bytes.first == 0x30, let length = bytes.dropFirst().first else { return nil }
        return bytes.dropFirst(length <= 0x80 ? 2 : 2 + Int(length & 0x7F))
    }

    /// What the file is, as the end of a sentence that begins with "This is".
    package var words: String {
        switch self {
        case .privateKey: "a private key in PEM, such as Apple's .p8, without a certificate"
        case .publicKey: "a public key"
        case .certificate: "a certificate in PEM without its private key"
        case .identity: "a certificate with its private key in PEM"
        case .pkcs12: "PKCS#12 (.p12, .pfx), with a certificate and its key"
        case .certificateDER: "a certificate in DER (.cer) without its private key"
        case .privateKeyDER: "a private key in DER"
        case .publicKeyDER: "a public key in DER"
        case .request: "a certificate request (.certSigningRequest)"
        case .signedData: "a signed file, perhaps a provisioning profile (.mobileprovision)"
        case .otherPEM(let label): "PEM with a \"\(label)\""
        }
    }
}
