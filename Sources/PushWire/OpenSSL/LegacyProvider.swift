internal import CSSL

/// OpenSSL's legacy algorithms (RC2, RC4, DES and others), in a separate context. The rest of the process does not use
/// them.
///
/// Owns one `OSSL_LIB_CTX` with two providers. Any thread may use it. `@unchecked Sendable` is correct: OpenSSL
/// protects its contexts with locks, and this one is not changed after `init`.
final class LegacyProvider: @unchecked Sendable {
    /// The instance of the process, created when it is first needed; `nil` if the legacy provider is not installed.
    static let shared = LegacyProvider()

    let context: OpaquePointer
    private let providers: [OpaquePointer]

    /// Loads the legacy provider; `nil` if it is not installed.
    ///
    /// - Parameter modules: The folder with the provider; by default OpenSSL's folder.
    init?(modules: String? = nil) {
        OpenSSLErrorQueue.clear()
        defer { OpenSSLErrorQueue.clear() }
        guard let context = OSSL_LIB_CTX_new() else { return nil }
        if let modules { OSSL_PROVIDER_set_default_search_path(context, modules) }
        let loaded = [OSSL_PROVIDER_load(context, "default"), OSSL_PROVIDER_load(context, "legacy")].compactMap { $0 }
        guard loaded.count == 2 else {
            for provider in loaded { OSSL_PROVIDER_unload(provider) }
            OSSL_LIB_CTX_free(context)
            return nil
        }
        self.context = context
        providers = loaded
    }

    deinit {
        for provider in providers { OSSL_PROVIDER_unload(provider) }
        OSSL_LIB_CTX_free(context)
    }
}

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
