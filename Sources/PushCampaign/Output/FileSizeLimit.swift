#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// What the system allows this process to write (`ulimit -f`), and what the disk has room for.
enum FileSizeLimit {
    /// How many bytes one file may have.
    static var bytes: Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return .max }
        return Int(exactly: limit.rlim_cur) ?? .max
    }

    /// How many bytes are free on the disk of a file; `nil` where nobody says.
    static func free(for descriptor: Int32) -> Int? {
        var facts = statvfs()
        guard fstatvfs(descriptor, &facts) == 0 else { return nil }
        let (bytes, overflow) = Int(facts.f_bavail).multipliedReportingOverflow(by: Int(facts.f_frsize))
        return overflow ? .max : bytes
    }

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue))
    #else
        private static let resource = RLIMIT_FSIZE
    #endif
}
