#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Notices that `send` runs in a loop of a shell: each run opens a connection of its own, which Apple takes for an attack when they
/// come and go quickly.
///
/// A file in the user's state folder has one byte for each run that came soon after the one before. Nothing is ever waited for, and
/// where the file cannot be written nothing is said.
struct RecentSends {
    /// So many, one soon after the other, are a loop; and it is said again each so many runs.
    static let loop = 5
    static let saidAgainAfter = 100
    /// What comes later than that does not belong to the runs before, in seconds.
    static let gap = 10
    /// From then on it is counted anew: nobody wants a file that grows for ever.
    static let most = 10_000

    /// The file.
    let path: String

    /// The file of this user; `nil` where there is no place for it.
    init?(environment: (String) -> String? = Self.variable) {
        if let state = environment("XDG_STATE_HOME"), state.hasPrefix("/") {
            path = "\(state)/pushsend/sends"
        } else if let home = environment("HOME"), home.hasPrefix("/") {
            path = "\(home)/.local/state/pushsend/sends"
        } else {
            return nil
        }
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// Counts this run.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Returns: Which one it is of those that came soon one after the other, from 1; `nil` where that cannot be known.
    func add(now: Int = time(nil)) -> Int? {
        guard let file = opened() else { return nil }
        defer { close(file) }
        var facts = stat()
        guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        let age = now - Self.seconds(facts)
        // One that runs at the same time may have written when a second had passed since this one looked at the clock.
        if !(-Self.gap...Self.gap).contains(age) || facts.st_size >= Self.most {
            guard ftruncate(file, 0) == 0 else { return nil }
        }
        // Behind what others write at the same time: afterwards the place in the file is this run's own number.
        var mark = UInt8(ascii: ".")
        guard write(file, &mark, 1) == 1 else { return nil }
        let place = lseek(file, 0, SEEK_CUR)
        return place > 0 ? Int(place) : nil
    }

    /// Whether it should be said with the run of that number.
    static func isTold(_ number: Int) -> Bool {
        number == loop || number.isMultiple(of: saidAgainAfter)
    }

    static func sentence(_ number: Int) -> String {
        """
        note: This was send number \(number) in quick succession, each over a connection of its own. Apple takes connections \
        that come and go quickly for an attack. One connection does it: pipe the lines into pushsend batch -, give one send \
        all device tokens, or repeat a push with --repeat.
        """
    }

    private func opened() -> Int32? {
        // What is in its place and is no file (a FIFO, a link to somewhere) must not hold anything up, nor be written to.
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

    private static func seconds(_ facts: stat) -> Int {
        #if canImport(Darwin)
            Int(facts.st_mtimespec.tv_sec)
        #else
            Int(facts.st_mtim.tv_sec)
        #endif
    }
}
