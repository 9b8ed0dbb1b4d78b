internal import CSSL

/// OpenSSL with the algorithms that it has put away (RC2, RC4, DES and others), in a context of their own: the rest of
/// the process goes on without them.
///
/// Owns one `OSSL_LIB_CTX` with two providers. Any thread may use it: OpenSSL guards its contexts itself, and this one is
/// not changed after `init`; hence `@unchecked Sendable`.
final class LegacyProvider: @unchecked Sendable {
    /// The process's own, made when it is first needed; `nil` where the legacy provider is not installed.
    static let shared = LegacyProvider()

    let context: OpaquePointer
    private let providers: [OpaquePointer]

    /// - Parameter modules: The folder in which to look for it; OpenSSL's own by default.
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
