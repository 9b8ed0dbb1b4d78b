extension MockFaultTLS: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case certificate
        case agreed = "alpn"
        case clientCertificate = "client_certificate"
    }

    /// Decodes the JSON that `docs/faults.md` describes.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: ``MockFaultError`` if a key is unknown, `DecodingError` if a name is unknown or a type is wrong.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.members(Key.self, of: "\"tls\"")
        self.init(
            certificate: try members.decodeIfPresent(Certificate.self, forKey: .certificate) ?? .usual,
            agreed: try members.decodeIfPresent(Agreed.self, forKey: .agreed) ?? .http2,
            clientCertificate: try members.decodeIfPresent(ClientCertificate.self, forKey: .clientCertificate)
                ?? .asked
        )
    }

    /// Encodes the same JSON. Members with default values are omitted.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        if certificate != .usual { try members.encode(certificate, forKey: .certificate) }
        if agreed != .http2 { try members.encode(agreed, forKey: .agreed) }
        if clientCertificate != .asked { try members.encode(clientCertificate, forKey: .clientCertificate) }
    }
}

extension MockFaultTLS.Certificate: Codable {}
extension MockFaultTLS.Agreed: Codable {}
extension MockFaultTLS.ClientCertificate: Codable {}
