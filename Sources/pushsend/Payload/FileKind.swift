#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What a path leads to, after links.
enum FileKind: Equatable {
    /// A regular file: reading it ends.
    case file
    case folder
    /// A pipe, a device or a socket: reading it may wait for somebody, or never end.
    case stream

    /// `nil` when the path leads nowhere, or that cannot be found out.
    init?(path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        switch facts.st_mode & S_IFMT {
        case S_IFREG: self = .file
        case S_IFDIR: self = .folder
        default: self = .stream
        }
    }
}
