import PushPlatform

/// Detects that `send` runs in a shell loop. Each run opens a connection, and Apple treats many short connections as an
/// attack.
///
/// A file in the user's state folder has one byte for each run that started soon after the previous one. This never
/// waits, and prints nothing if the file cannot be written.
struct RecentSends {
    /// This many runs in a row count as a loop, and the note is printed.
    static let loop = 5
    /// The note is printed again at each multiple of this number of runs.
    static let notedAgainAfter = 100
    /// The maximum number of seconds between two runs in a row. After a longer time, the count starts again.
    static let gap = 10
    /// The maximum of the count, and of the file size in bytes. At this number the count starts again.
    static let maximum = 10_000

    let path: String

    /// Those of this user; `nil` if there is no folder for the file.
    static var ofUser: RecentSends? { ConfigLocation.stateFile("sends").map { RecentSends(path: $0) } }

    /// Counts this run.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Returns: The number of this run in a row, from 1; `nil` if it cannot be determined.
    func add(now: Int = time(nil)) -> Int? {
        guard let file = opened() else { return nil }
        defer { close(file) }
        var facts = stat()
        guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        let age = now - Int(facts.modified.tv_sec)
        // Another run may have written to the file after this one read the clock.
        if !(-Self.gap...Self.gap).contains(age) || facts.st_size >= Self.maximum {
            guard ftruncate(file, 0) == 0 else { return nil }
        }
        // Append after what other runs write at the same time. The offset then is the number of this run.
        var mark = UInt8(ascii: ".")
        guard write(file, &mark, 1) == 1 else { return nil }
        let path = lseek(file, 0, SEEK_CUR)
        return path > 0 ? Int(path) : nil
    }

    static func isNoteDue(at number: Int) -> Bool {
        number == loop || number.isMultiple(of: notedAgainAfter)
    }

    static func sentence(_ number: Int) -> String {
        """
        note: This was send number \(number) in quick succession, each over its own connection. Apple treats many short \
        connections as an attack. Use one connection: pipe the lines into pushsend batch -, give one send all device tokens, or \
        repeat a push with --repeat.
        """
    }

    private func opened() -> Int32? {
        // The path may be something else, such as a FIFO or a link. It must not block, and must not be written to.
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        var file = open(path, flags, 0o600)
        if file < 0, errno == ENOENT {
            makeFolders()
            file = open(path, flags, 0o600)
        }
        return file < 0 ? nil : file
    }

    private func makeFolders() {
        var at = path.startIndex
        while let slash = path[path.index(after: at)...].firstIndex(of: "/") {
            _ = mkdir(String(path[..<slash]), 0o700)
            at = slash
        }
    }
}
