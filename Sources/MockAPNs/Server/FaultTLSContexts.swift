internal import NIOConcurrencyHelpers
import PushPlatform
internal import PushWire

/// The TLS contexts for faults. Each is created at its first use.
final class FaultTLSContexts: Sendable {
    private let credentials: MockCredentials
    private let made = NIOLockedValueBox<[MockFault.TLS: TLSContext]>([:])

    init(_ credentials: MockCredentials) {
        self.credentials = credentials
    }

    /// Returns the context for a fault, and creates it if needed.
    ///
    /// - Parameter fault: How the context differs from the usual one.
    /// - Returns: A TLS context for a server.
    /// - Throws: ``MockFaultError`` when the certificate cannot be created.
    func context(for fault: MockFault.TLS) throws(MockFaultError) -> TLSContext {
        if let known = made.withLockedValue({ $0[fault] }) { return known }
        let context = try make(fault)
        return made.withLockedValue { made in
            made[fault] = made[fault] ?? context
            return made[fault] ?? context
        }
    }

    private func make(_ fault: MockFault.TLS) throws(MockFaultError) -> TLSContext {
        do {
            let (certificate, key) = try identity(fault.certificate)
            let context = try TLSContext(
                certificatePEM: certificate, privateKeyPEM: key, acceptsOthers: fault.agreed != .http1,
                refusesExpiredClientCertificates: true)
            context.agree(on: fault.agreed)
            context.demand(fault.clientCertificate)
            return context
        } catch let error as MockFaultError {
            throw error
        } catch {
            throw MockFaultError(
                .impossibleHere, "The certificate \"\(fault.certificate.rawValue)\" can't be created: \(error).")
        }
    }

    private static let day: Int64 = 86400

    private func identity(_ kind: MockFault.TLS.Certificate) throws -> ([UInt8], [UInt8]) {
        let now = Int64(Date.now.timeIntervalSince1970)
        switch kind {
        case .usual: return (credentials.server.certificate, credentials.server.key)
        case .expired: return try issued(MockCredentials.names, now - 30 * Self.day, now - Self.day)
        case .notYetValid: return try issued(MockCredentials.names, now + 3650 * Self.day, now + 3680 * Self.day)
        case .otherHost: return try issued(["elsewhere.invalid"], now - Self.day, now + 30 * Self.day)
        case .unknownAuthority:
            let authority = try CertificateAuthority.make(commonName: "unknown authority", now: now)
            return try authority.issueServerCertificate(names: MockCredentials.names, validDays: 30, now: now)
        case .selfSigned:
            let itself = try CertificateAuthority.make(commonName: "localhost", validDays: 30, now: now)
            return (itself.certificatePEM, try itself.privateKeyPEM())
        }
    }

    private func issued(_ names: [String], _ start: Int64, _ end: Int64) throws -> ([UInt8], [UInt8]) {
        guard let key = credentials.authorityKeyPEM else {
            throw MockFaultError(
                .impossibleHere,
                """
                This fault needs a certificate from the authority that clients trust, but the mock doesn't have the \
                authority's key. Start the mock without your own certificates.
                """)
        }
        let authority = try CertificateAuthority(
            certificatePEM: Array(credentials.authority.utf8), privateKeyPEM: key)
        return try authority.issueServerCertificate(names: names, from: start, until: end)
    }
}
