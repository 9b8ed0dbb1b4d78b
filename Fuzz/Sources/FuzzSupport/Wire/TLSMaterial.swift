@testable package import PushWire

/// Certificates and contexts. A process makes them once.
package enum TLSMaterial {
    // Only one thread fuzzes, and these values do not change.
    nonisolated(unsafe) package static let authority = expected {
        try CertificateAuthority.make(commonName: "Fuzz", validDays: 36_500, now: start)
    }
    private static let start: Int64 = 1_700_000_000

    private static let pair = expected {
        try authority.issueServerCertificate(names: ["localhost"], validDays: 36_000, now: start)
    }
    private static let identity = expected {
        try IdentityFile(certificate: pair.certificatePEM + pair.privateKeyPEM).identity()
    }

    private static let clients = [false, true].map { showsCertificate in
        [false, true].map { isOld in
            expected {
                let context = try TLSContext(
                    trust: .authorities(pem: authority.certificatePEM), identity: showsCertificate ? identity : nil)
                if isOld { context.stopAtTLS12() }
                return context
            }
        }
    }

    private static let servers = [false, true].map { refusesExpired in
        [false, true].map { isOld in
            expected {
                let context = try TLSContext(
                    certificatePEM: pair.certificatePEM, privateKeyPEM: pair.privateKeyPEM,
                    refusesExpiredClientCertificates: refusesExpired)
                if isOld { context.stopAtTLS12() }
                return context
            }
        }
    }

    package static func client(showsCertificate: Bool, isOld: Bool) throws(TLSError) -> TLSSession {
        try TLSSession(context: clients[showsCertificate ? 1 : 0][isOld ? 1 : 0], hostName: "localhost")
    }

    package static func server(refusesExpired: Bool, isOld: Bool) throws(TLSError) -> TLSSession {
        try TLSSession(context: servers[refusesExpired ? 1 : 0][isOld ? 1 : 0])
    }
}
