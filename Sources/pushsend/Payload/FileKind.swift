import PushPlatform

/// The kind of file at a path, after links are resolved.
enum FileKind: Equatable {
    /// A regular file. Reading it always ends.
    case file
    case folder
    /// A pipe, a device, or a socket. Reading it may block or never end.
    case stream

    /// Reads the kind; `nil` if there is no file, or it cannot be determined.
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
