import PushWire

/// Certificates for servers in tests, from an authority that is valid from 2023 to 2123: no test reads a clock.
///
/// OpenSSL itself compares with the time of day, so that the times here are far from every day that tests run on.
struct ServerCertificate {
    static let year2023: Int64 = 1_700_000_000
    static let year2100: Int64 = 4_102_444_800

    /// What a client has to trust.
    var authorityPEM: [UInt8]
    var certificatePEM: [UInt8]
    var privateKeyPEM: [UInt8]

    init(
        names: [String] = ["localhost"], validDays: Int = 36_000, from start: Int64 = year2023
    ) throws {
        let authority = try CertificateAuthority.make(
            commonName: "Test authority", validDays: 36_500, now: Self.year2023)
        let issued = try authority.issueServerCertificate(names: names, validDays: validDays, now: start)
        authorityPEM = authority.certificatePEM
        certificatePEM = issued.certificatePEM
        privateKeyPEM = issued.privateKeyPEM
    }

    func serverSession(speaksHTTP2: Bool = true, acceptsOthers: Bool = false) throws -> TLSSession {
        try TLSSession(
            context: TLSContext(
                certificatePEM: certificatePEM, privateKeyPEM: privateKeyPEM, speaksHTTP2: speaksHTTP2,
                acceptsOthers: acceptsOthers))
    }

    func clientSession(hostName: String = "localhost", requiresALPN: Bool = true) throws -> TLSSession {
        try TLSSession(
            context: TLSContext(trust: .authorities(pem: authorityPEM), requiresALPN: requiresALPN), hostName: hostName)
    }
}
