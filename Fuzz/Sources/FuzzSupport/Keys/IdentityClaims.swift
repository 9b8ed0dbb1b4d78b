@testable package import PushWire

/// Claims about identities from all kinds of files.
package enum IdentityClaims {
    package static func check(_ file: IdentityFile) {
        claim(!file.identities.isEmpty, "a file without an identity was accepted")
        for identity in file.identities {
            claimPrintable(identity.name, "the name of an identity")
            check(identity.certificate)
            // OpenSSL reports what it does not accept.
            do throws(TLSError) {
                _ = try TLSContext(trust: .authorities(pem: authority), identity: identity)
            } catch {
                claimHarmless(error.description)
            }
        }
        for name in file.names + [nil] {
            do throws(IdentityError) {
                let identity = try file.identity(named: name)
                claim(name == nil || identity.name == name || file.names.contains(identity.name), "another identity")
            } catch {
                claim(file.identities.count > 1, "the only identity is not found: \(error)")
            }
        }
    }

    package static func check(_ certificate: ProviderCertificate) {
        claim(certificate.fingerprint.utf8.count == 64, "a fingerprint is not SHA-256 in hex")
        claim(!certificate.environments.isEmpty, "a certificate is for no environment")
        claim(Set(certificate.topics).count == certificate.topics.count, "a topic occurs twice")
        let texts = [certificate.commonName, certificate.userID, certificate.teamID]
        for text in texts + certificate.topics { claimPrintable(text ?? "", "a text of a certificate") }
    }

    private static let authority = expected {
        try CertificateAuthority.make(commonName: "Fuzz", now: 1_700_000_000).certificatePEM
    }
}
