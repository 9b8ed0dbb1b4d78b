internal import PushPlatform

/// The maximum file size for this process (`ulimit -f`), and the free disk space.
enum FileSizeLimit {
    /// The maximum size of a file in bytes.
    static var bytes: Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return .max }
        return Int(exactly: limit.rlim_cur) ?? .max
    }

    /// The free space in bytes on the disk of a file; `nil` if unknown.
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
