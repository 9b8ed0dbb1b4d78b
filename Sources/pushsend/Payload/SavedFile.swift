import PushCommandLine
import PushPlatform
import PushProvider

/// The output of `--save`: a file, or standard output.
struct SavedFile {
    let path: String
    /// Whether an existing file may be overwritten.
    let replaces: Bool

    /// - Throws: ``CommandFailure`` with 73 if it cannot be created, and 74 if it cannot be written.
    func write(_ text: [UInt8]) throws {
        if path == "-" {
            Output.offer(json: text)
            return
        }
        // O_EXCL also detects a file that another process creates at the same moment.
        let file =
            replaces
            ? Self.open(path, O_WRONLY | O_TRUNC, 0o644)
            : PushPlatform.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw cannotBeMade(errno) }
        let error = Self.write(text, to: file)
        guard close(file) == 0, error == 0 else { throw cannotBeWritten(error == 0 ? errno : error) }
    }

    /// Opens a file that may exist, and creates it otherwise. It is not created through a link to a missing file, because the link says
    /// where, and not the user. A pipe must have a reader already, so that nothing waits for one; a disk is refused.
    ///
    /// - Returns: The descriptor, or -1. Then `errno` is for ``reason(_:_:)``.
    static func open(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
        let new = PushPlatform.open(path, flags | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard new < 0, errno == EEXIST else { return new }
        var (facts, flags) = (stat(), flags)
        if stat(path, &facts) == 0 {
            switch facts.st_mode & S_IFMT {
            case S_IFBLK:
                errno = EINVAL
                return -1
            // A pipe that could be read, too, would be its own reader.
            case S_IFIFO: flags = flags & ~O_ACCMODE | O_WRONLY
            default: break
            }
        }
        let file = PushPlatform.open(path, flags | O_CLOEXEC | O_NONBLOCK)
        // Only the opening must not wait.
        if file >= 0 { _ = fcntl(file, F_SETFL, flags & O_APPEND) }
        return file
    }

    /// Why a file cannot be opened.
    static func reason(_ error: Int32, _ path: String) -> String {
        var facts = stat()
        if error == ENOENT, lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFLNK {
            return "it is a link to a missing file"
        }
        guard stat(path, &facts) == 0 else { return String(cString: strerror(error)) }
        return switch (error, facts.st_mode & S_IFMT) {
        case (ENXIO, S_IFIFO): "it is a pipe that nobody reads; start its reader first"
        case (ENXIO, S_IFSOCK): "it is a socket"
        case (EINVAL, S_IFBLK): "it is a disk"
        case (EISDIR, _), (EEXIST, S_IFDIR): "it is a folder"
        default: String(cString: strerror(error))
        }
    }

    static func write(_ text: [UInt8], to file: Int32) -> Int32 {
        var rest = text[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(file, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return count < 0 ? errno : EIO
            }
        }
        return 0
    }

    private func cannotBeMade(_ error: Int32) -> CommandFailure {
        let message =
            error == EEXIST && FileKind(path: path) != .folder
            ? "The file \"\(shown)\" exists already: give another name, or --force to overwrite it."
            : "The file \"\(shown)\" can't be created (\(Self.reason(error, path))): give another path."
        return CommandFailure(.cannotCreate, message)
    }

    private func cannotBeWritten(_ error: Int32) -> CommandFailure {
        CommandFailure(.cannotWrite, "The file \"\(shown)\" can't be written (\(String(cString: strerror(error)))).")
    }

    private var shown: String { path.printable }
}

/// A file that only its user may read.
enum PrivateFile {
    /// Replaces the file atomically: writes a temporary file in the same folder and renames it.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - bytes: Its new content.
    ///   - mode: Its mode. For a file of a project, pass its previous mode.
    /// - Returns: 0, or the `errno` of the system. After an error the old content is kept.
    static func replace(_ path: String, with bytes: [UInt8], mode: mode_t = 0o600) -> Int32 {
        let new = "\(path).new"
        unlink(new)
        let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard file >= 0 else { return errno }
        var number = SavedFile.write(bytes, to: file)
        if close(file) != 0, number == 0 { number = errno }
        if number == 0, rename(new, path) != 0 { number = errno }
        if number != 0 { unlink(new) }
        return number
    }
}

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
