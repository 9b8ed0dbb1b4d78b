import PushPlatform

/// The folder with a mock's files. Files are replaced atomically, by one process at a time.
struct StateFolder {
    /// The absolute path, without symbolic links.
    let path: String
    /// How long to wait for another process, in seconds.
    private let patience: Int
    /// Whether the mock created the files, and can create them again.
    private let isOurs: Bool

    /// The maximum size of a file, in bytes. A larger one is an error.
    private static let maximumFileSize = 1 << 20

    /// Creates the folder and its parents with mode 0700 if they do not exist. The mode of an existing folder is not changed. If other
    /// users can change it, it is refused.
    init(path: String, patience: Int) throws(MockCredentialsError) {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw .unusableFolder(path, "that isn't a path") }
        try StateFolder.make(path, for: path)
        guard let resolved = realPath(of: path) else { throw .unusableFolder(path, StateFolder.reason(errno)) }
        self.path = resolved
        self.patience = patience
        isOurs = true
        var facts = stat()
        guard stat(resolved, &facts) == 0 else { throw .unusableFolder(path, StateFolder.reason(errno)) }
        if let problem = OtherWriters.problem(of: facts) { throw .openFolder(path, problem) }
    }

    init(existing path: String) throws(MockCredentialsError) {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw .unreadableFolder(path, "that isn't a path") }
        guard let resolved = realPath(of: path) else { throw .unreadableFolder(path, StateFolder.reason(errno)) }
        self.path = resolved
        patience = 0
        isOurs = false
    }

    func files() throws(MockCredentialsError) -> [String] {
        guard let folder = opendir(path) else { throw .unreadableFolder(path, StateFolder.reason(errno)) }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            withUnsafeBytes(of: entry.pointee.d_name) {
                names.append(String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self))
            }
        }
        return names.sorted()
    }

    func path(of file: String) -> String { path == "/" ? "/\(file)" : "\(path)/\(file)" }

    /// Runs the body with an exclusive lock on the folder, across processes and threads.
    ///
    /// The system releases the lock when the process ends.
    func locked<Result>(
        _ body: () throws(MockCredentialsError) -> Result
    ) throws(MockCredentialsError) -> Result {
        let file = open(path(of: ".lock"), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .unusableFolder(path, StateFolder.reason(errno)) }
        defer { close(file) }
        let stepMilliseconds = 10
        var waited = 0
        while flock(file, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw .unusableFolder(path, StateFolder.reason(errno)) }
            guard waited < patience * 1000 else { throw .busy(path, seconds: patience) }
            usleep(UInt32(stepMilliseconds * 1000))
            waited += stepMilliseconds
        }
        return try body()
    }

    /// Returns the contents of a file; `nil` if it does not exist. In a folder of the mock, the file must be its own, and no link.
    func contents(of name: String) throws(MockCredentialsError) -> [UInt8]? {
        // Without O_NONBLOCK, opening a FIFO without a writer would block.
        let file = open(path(of: name), O_RDONLY | O_CLOEXEC | O_NONBLOCK | (isOurs ? O_NOFOLLOW : 0))
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw unreadable(name, errno == ELOOP ? "it is a link" : StateFolder.reason(errno))
        }
        defer { close(file) }
        var facts = stat()
        if isOurs, fstat(file, &facts) == 0, let problem = OtherWriters.problem(of: facts) {
            throw unreadable(name, problem)
        }
        let maximum = StateFolder.maximumFileSize
        do throws(SmallFile.Failure) {
            let bytes = try SmallFile.read(file, maximum)
            if bytes.count < maximum { return bytes }
        } catch {
            if case .unreadable(let number) = error {
                throw unreadable(name, number == EISDIR ? "it is a folder" : StateFolder.reason(number))
            }
        }
        throw unreadable(name, "it is far too large")
    }

    /// Writes a file atomically: to a temporary file, which then replaces the old one.
    func store(_ bytes: [UInt8], as name: String, mode: mode_t) throws(MockCredentialsError) {
        let new = path(of: ".\(name).new")
        // An interrupted start may have left one. This process has the lock.
        unlink(new)
        let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .unusableFolder(path, StateFolder.reason(errno)) }
        var problem = writeAll(bytes, to: file)
        // Sync before the rename: otherwise, a power failure could leave an empty file with the final name.
        if problem == 0, fchmod(file, mode) != 0 || fsync(file) != 0 { problem = errno }
        if close(file) != 0, problem == 0 { problem = errno }
        if problem == 0, rename(new, path(of: name)) != 0 { problem = errno }
        guard problem == 0 else {
            unlink(new)
            throw .unusableFolder(path, "\(name) can't be written (\(StateFolder.reason(problem)))")
        }
    }

    /// Writes all bytes. Returns 0 or errno.
    private func writeAll(_ bytes: [UInt8], to file: Int32) -> Int32 {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while let start = rest.isEmpty ? nil : UnsafeRawBufferPointer(rebasing: rest).baseAddress {
                let count = write(file, start, rest.count)
                if count < 0, errno == EINTR { continue }
                if count < 0 { return errno }
                rest = rest.dropFirst(count)
            }
            return 0
        }
    }

    private static func make(_ folder: String, for whole: String) throws(MockCredentialsError) {
        if mkdir(folder, 0o700) == 0 { return }
        if errno == ENOENT, let parent = parent(of: folder) {
            try make(parent, for: whole)
            if mkdir(folder, 0o700) == 0 { return }
        }
        guard errno == EEXIST || errno == EISDIR else { throw .unusableFolder(whole, reason(errno)) }
        var info = stat()
        guard stat(folder, &info) == 0 else { throw .unusableFolder(whole, reason(errno)) }
        guard info.st_mode & S_IFMT == S_IFDIR else { throw .unusableFolder(whole, "\(folder) isn't a folder") }
    }

    private static func parent(of path: String) -> String? {
        var path = path[...]
        while path.hasSuffix("/") { path.removeLast() }
        guard let slash = path.lastIndex(of: "/") else { return nil }
        return slash == path.startIndex ? nil : String(path[..<slash])
    }

    private func unreadable(_ name: String, _ why: String) -> MockCredentialsError {
        isOurs ? .damaged(path(of: name), why, folder: path) : .unusableFile(path(of: name), why)
    }

    private static func reason(_ number: Int32) -> String {
        String(cString: strerror(number))
    }
}
