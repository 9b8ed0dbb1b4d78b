#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How many files, and so connections, the system lets this process have.
enum OpenFiles {
    /// Shells begin with a thousand, for the sake of programs of old, and allow far more to those that ask.
    static func allowAsManyAsPossible() {
        var limit = rlimit()
        guard getrlimit(Self.resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(Self.resource, &limit)
    }

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
    #else
        private static let resource = RLIMIT_NOFILE
    #endif
}
