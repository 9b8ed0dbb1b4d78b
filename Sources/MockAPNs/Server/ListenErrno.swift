#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The one errno that the mock tells apart; it lives here because the system's module has another name on each platform.
enum ListenErrno {
    static let inUse = EADDRINUSE
}
