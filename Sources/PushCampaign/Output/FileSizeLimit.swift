internal import PushPlatform

/// The maximum file size for this process (`ulimit -f`), and the free disk space.
enum FileSizeLimit {
    /// The maximum size of a file in bytes.
    static var bytes: Int { SystemLimit.fileSize.current ?? .max }

    /// The free space in bytes on the disk of a file; `nil` if unknown.
    static func free(for descriptor: Int32) -> Int? {
        var facts = statvfs()
        guard fstatvfs(descriptor, &facts) == 0 else { return nil }
        let (bytes, overflow) = Int(facts.f_bavail).multipliedReportingOverflow(by: Int(facts.f_frsize))
        return overflow ? .max : bytes
    }
}
