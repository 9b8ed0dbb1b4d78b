internal import PushWire

/// The libraries and the trust store that this process uses.
package struct ProbedLibraries: Sendable, Equatable {
    /// For example `OpenSSL 3.0.17`.
    package var openSSL: String
    /// For example `1.52.0`.
    package var nghttp2: String
    /// Whether OpenSSL's legacy provider can be loaded. Old `.p12` files need it.
    package var hasLegacyProvider: Bool

    package init(openSSL: String, nghttp2: String, hasLegacyProvider: Bool) {
        (self.openSSL, self.nghttp2, self.hasLegacyProvider) = (openSSL, nghttp2, hasLegacyProvider)
    }

    /// The libraries of this process.
    package static var here: ProbedLibraries {
        ProbedLibraries(
            openSSL: OpenSSLLibrary.version, nghttp2: HTTP2Session.libraryVersion,
            hasLegacyProvider: OpenSSLLibrary.hasLegacyProvider)
    }
}

/// The certificate authorities that the system trusts.
package struct ProbedTrustStore: Sendable, Equatable {
    /// The file that OpenSSL reads. It may not exist.
    package var file: String
    /// The folder that OpenSSL reads. It may not exist.
    package var folder: String
    /// The one of the two in which the certificates are.
    package var source: String
    /// The number of certificates in the source.
    package var count: Int
    /// Whether the root that Apple's chain needs is in it: USERTrust RSA Certification Authority.
    package var holdsApplesRoot: Bool

    package init(file: String, folder: String, source: String, count: Int, holdsApplesRoot: Bool) {
        (self.file, self.folder, self.source) = (file, folder, source)
        (self.count, self.holdsApplesRoot) = (count, holdsApplesRoot)
    }

    /// Reads the trust store of the system.
    package static func read() -> ProbedTrustStore {
        let store = TrustStore.read()
        return ProbedTrustStore(
            file: store.file, folder: store.folder, source: store.source, count: store.count,
            holdsApplesRoot: store.holdsApplesRoot)
    }
}
