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
