extension FaultTLS: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case certificate
        case agreed = "alpn"
        case clientCertificate = "client_certificate"
    }

    /// Reads the form that `docs/faults.md` describes.
    ///
    /// - Parameter decoder: Where to read.
    /// - Throws: ``FaultError`` for an unknown key, `DecodingError` for an unknown word or a wrong type.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.members(Key.self, of: "\"tls\"")
        self.init(
            certificate: try members.decodeIfPresent(Certificate.self, forKey: .certificate) ?? .usual,
            agreed: try members.decodeIfPresent(Agreed.self, forKey: .agreed) ?? .http2,
            clientCertificate: try members.decodeIfPresent(ClientCertificate.self, forKey: .clientCertificate) ?? .asked
        )
    }

    /// Writes that form; what is as usual is left out.
    ///
    /// - Parameter encoder: Where to write.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        if certificate != .usual { try members.encode(certificate, forKey: .certificate) }
        if agreed != .http2 { try members.encode(agreed, forKey: .agreed) }
        if clientCertificate != .asked { try members.encode(clientCertificate, forKey: .clientCertificate) }
    }
}

extension FaultTLS.Certificate: Codable {}
extension FaultTLS.Agreed: Codable {}
extension FaultTLS.ClientCertificate: Codable {}
