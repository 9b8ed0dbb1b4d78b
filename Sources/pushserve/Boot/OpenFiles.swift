// This is the first file of the module, and it must import PushPlatform and no module of NIO: the C types of a module belong to what
// is imported first, and those that NIO imports have no members here.
import PushPlatform

/// How many files, and so connections, the system allows this process to open.
enum OpenFiles {
    /// Raises the limit to the maximum. Shells start with about 1000 for old programs, and allow far more on request.
    static func allowAsManyAsPossible() {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
    }

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
    #else
        private static let resource = RLIMIT_NOFILE
    #endif
}
