internal import CSSL

/// The OpenSSL that this process uses.
package enum OpenSSLLibrary {
    /// The name and version, for example `OpenSSL 3.0.17`. It is read at run time, so it is the installed library.
    package static var version: String {
        let words = String(cString: OpenSSL_version(OPENSSL_VERSION)).split(separator: " ").prefix(2)
        return words.joined(separator: " ")
    }

    /// Whether the legacy provider can be loaded. Old `.p12` files need it.
    package static var hasLegacyProvider: Bool { LegacyProvider.shared != nil }
}
