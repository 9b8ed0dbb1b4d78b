internal import PushJSON
import PushPlatform
import PushProvider
internal import PushWire

/// The hops about this machine: libraries and trust store.
enum LibraryHops {
    static func hops(_ libraries: ProbedLibraries) -> [Hop] {
        let versions = Hop.ok(.libraries, "\(libraries.openSSL), nghttp2 \(libraries.nghttp2)")
            .with("openssl", .string(libraries.openSSL)).with("nghttp2", .string(libraries.nghttp2))
        guard libraries.hasLegacyProvider else {
            return [
                versions,
                .note(
                    .legacyProvider, "OpenSSL's legacy provider isn't installed: old .p12 files can't be opened.",
                    remedy: """
                        Only for a .p12 with old encryption: install the provider (Debian 13 and later: \
                        openssl-provider-legacy), or re-export the .p12.
                        """),
            ]
        }
        return [versions, .ok(.legacyProvider, "Old .p12 files can be opened.")]
    }

    /// The hop about the trusted authorities.
    ///
    /// - Parameters:
    ///   - store: The trust store of the system.
    ///   - ownFile: The CA file that replaces it.
    ///   - isApple: Whether the server is Apple's.
    /// - Returns: The hop.
    static func trustStore(_ store: TrustStore, ownFile: String?, isApple: Bool) -> Hop {
        if let ownFile { return .ok(.trustStore, "Only the authorities in \(ownFile) are trusted.") }
        let found = "\(counted(store.count, "authority", "authorities")) in \(store.source)"
        let hop: Hop
        if store.count == 0, !store.holdsApplesRoot {
            hop = .failed(
                .trustStore,
                "The system trusts no certificate authority: there is none in \(store.file) and \(store.folder).",
                remedy: install)
        } else if store.holdsApplesRoot {
            hop = .ok(.trustStore, "\(found), among them Apple's root (\(root)).")
        } else if isApple {
            hop = .warning(
                .trustStore, "\(found), but not the root of Apple's servers: \(root).", remedy: install)
        } else {
            hop = .note(.trustStore, "\(found), but not \(root), which Apple needs.")
        }
        return hop.with("file", .string(store.file)).with("folder", .string(store.folder))
            .with("certificates", .integer(store.count)).with("apple_root", .bool(store.holdsApplesRoot))
    }

    static let root = "USERTrust RSA Certification Authority"
    private static let install = """
        Install or update the package ca-certificates. SSL_CERT_FILE and SSL_CERT_DIR, if they are set, must name a \
        full store.
        """
}
