internal import NIOConcurrencyHelpers
import PushPlatform

/// The files of an open queue, to find out whether their paths still lead to them.
///
/// What is written to a file that no path leads to is gone after a restart. With a second name of the file (a hard link), another
/// program uses another `-wal`, and each overwrites what the other has committed.
final class QueueFiles: Sendable {
    private let path: String
    private let files: [(path: String, identity: FileIdentity)]
    private let options: SQLiteQueue.Options
    /// When the problem was last reported; `nil` if there is none.
    private let reported = NIOLockedValueBox<ContinuousClock.Instant?>(nil)
    /// Whether the database has everything from a log that was removed.
    private let isLogSaved = NIOLockedValueBox(false)

    /// - Parameters:
    ///   - path: The path of a queue that is open, so that its `-wal` and `-shm` exist.
    ///   - opened: The file that the path led to before the queue was opened.
    ///   - options: Whose report gets the problem when it is found, and again while it lasts.
    /// - Throws: ``QueueError`` if the files are not in their place any more.
    init(
        _ path: String, opened: FileIdentity?, _ options: SQLiteQueue.Options
    ) throws(QueueError) {
        (self.path, self.options) = (path, options)
        // SQLite keeps its own files beside the file that a link points to.
        let beside = realPath(of: path) ?? path
        var files: [(path: String, identity: FileIdentity)] = []
        for file in [path, beside + "-wal", beside + "-shm"] {
            // A file that is not known now could be removed later without being noticed.
            guard let identity = FileIdentity(file) else {
                throw QueueFiles.unsettled(path, "\(file) was removed or moved")
            }
            files.append((path: file, identity: identity))
        }
        guard files.first?.identity == opened else { throw QueueFiles.unsettled(path, "\(path) was replaced") }
        self.files = files
        if let problem { throw problem }
    }

    /// Checks the files, and reports a problem.
    ///
    /// - Parameter saveLog: Puts everything from the log into the database, and returns whether that is done. It is called if the log was
    ///   removed and the database was not: then only the open connection still has what is in the log.
    /// - Returns: What has happened to the files; `nil` if each is in its place.
    func check(saveLog: () -> Bool) -> QueueError? {
        var problem = problem
        if problem == nil {
            isLogSaved.withLockedValue { $0 = false }
        } else if !isLogSaved.withLockedValue({ $0 }), isOnlyLogAway, saveLog() {
            isLogSaved.withLockedValue { $0 = true }
            problem = self.problem
        }
        let found = problem
        let isDue = reported.withLockedValue { reported in
            guard found != nil else {
                reported = nil
                return false
            }
            let now = ContinuousClock.now
            if let last = reported, last.duration(to: now) < options.reportInterval { return false }
            reported = now
            return true
        }
        if isDue, let found { options.report(found.description) }
        return found
    }

    /// What has happened to the files; `nil` if each is in its place.
    var problem: QueueError? {
        for file in files {
            var found = stat()
            guard stat(file.path, &found) == 0 else {
                guard errno == ENOENT else {
                    return displaced("\(file.path) wasn't found (\(String(cString: strerror(errno))))")
                }
                return isOnlyLogAway ? withoutLog(file.path) : displaced("\(file.path) was removed or moved")
            }
            guard FileIdentity(found) == file.identity else {
                // After the log was saved, a connection that begins to read makes an empty one.
                let isNewLog = file.path == files[1].path && isLogSaved.withLockedValue { $0 }
                return isNewLog ? withoutLog(file.path) : displaced("\(file.path) was replaced")
            }
            if let problem = Self.problem(ofNames: found, path: file.path) { return problem }
        }
        return nil
    }

    private enum Place { case here, away, unknown }

    private func place(of file: (path: String, identity: FileIdentity)) -> Place {
        var found = stat()
        guard stat(file.path, &found) == 0 else { return errno == ENOENT ? .away : .unknown }
        return FileIdentity(found) == file.identity && found.st_nlink == 1 ? .here : .unknown
    }

    /// Whether the `-wal` is away, and nothing else but the `-shm`. With another `-wal` in its place, another program uses the database.
    private var isOnlyLogAway: Bool {
        let places = files.map(place)
        return places.count == 3 && places[0] == .here && places[1] == .away && places[2] != .unknown
    }

    private func withoutLog(_ file: String) -> QueueError {
        let fate =
            isLogSaved.withLockedValue { $0 }
            ? "The database has everything that was stored before."
            : "What was stored last is lost if the service is killed, so stop it with SIGTERM."
        return QueueError(
            .unusable,
            """
            \(file) was removed or moved while the queue \(path) was open. \(fate) Nothing more is stored until the file is back. If it is \
            gone, stop the service in the normal way, and restart it.
            """)
    }

    private static func unsettled(_ path: String, _ fact: String) -> QueueError {
        QueueError(
            .unusable,
            """
            \(fact) while the queue \(path) was being opened. Find out which program does that, and restart the service.
            """)
    }

    private func displaced(_ fact: String) -> QueueError {
        QueueError(
            .unusable,
            """
            \(fact) while the queue \(path) was open. Nothing is stored until the file is back. Move it back. If you can't, stop the \
            service, and restore a backup.
            """)
    }

    static func problem(ofNames facts: stat, path: String) -> QueueError? {
        guard facts.st_nlink > 1 else { return nil }
        return QueueError(
            .unusable,
            """
            \(path) has \(facts.st_nlink) names (hard links). By another name, a second program could overwrite what this one has \
            stored. Nothing is stored until the other names are removed. Find them with: find / -xdev -inum \(facts.st_ino)
            """)
    }

    /// Refuses a file that is mounted by itself, as with `docker run --volume FILE:FILE`. Only Linux tells which files are.
    static func problem(ofMount path: String) -> QueueError? {
        guard let mounts = try? SmallFile(beginningOf: "/proc/self/mountinfo", 4 << 20), let real = realPath(of: path)
        else { return nil }
        // proc(5): the fifth field is the place, in which these characters are octal numbers.
        let place = real.replacing("\\", with: "\\134").replacing(" ", with: "\\040")
            .replacing("\t", with: "\\011").replacing("\n", with: "\\012")
        let isMounted = mounts.bytes.split(separator: UInt8(ascii: "\n")).contains { line in
            line.split(separator: UInt8(ascii: " "), maxSplits: 5).dropFirst(4).first?.elementsEqual(place.utf8) == true
        }
        guard isMounted else { return nil }
        return QueueError(
            .unusable,
            """
            \(path) is mounted without its folder. SQLite keeps the latest changes in files next to it, which would stay behind when this \
            container goes, and which other programs would not see. Mount the folder instead.
            """)
    }
}

/// Which file of the machine it is, whatever its path.
struct FileIdentity: Hashable, Sendable {
    private let device: dev_t
    private let number: ino_t

    init(_ facts: stat) {
        (device, number) = (facts.st_dev, facts.st_ino)
    }

    init?(_ path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        self.init(facts)
    }
}
