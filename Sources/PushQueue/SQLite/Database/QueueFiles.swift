internal import NIOConcurrencyHelpers
import PushPlatform

/// The files of an open queue, to find out whether their paths still lead to them.
///
/// What is written to a file that no path leads to is gone after a restart. With a second name of the file (a hard link), another
/// program uses another `-wal`, and each overwrites what the other has committed.
final class QueueFiles: Sendable {
    private let path: String
    private let files: [(path: String, identity: FileIdentity)]
    private let report: @Sendable (String) -> Void
    /// When the problem was last reported; `nil` if there is none.
    private let reported = NIOLockedValueBox<ContinuousClock.Instant?>(nil)

    /// The time between two reports of a problem that lasts.
    private static let reportInterval: Duration = .seconds(30)

    /// - Parameters:
    ///   - path: The path of a queue that is open, so that its `-wal` and `-shm` exist.
    ///   - report: Gets the problem when it is found, and again while it lasts.
    /// - Throws: ``QueueError`` if the files are not in their place any more.
    init(_ path: String, report: @escaping @Sendable (String) -> Void) throws(QueueError) {
        (self.path, self.report) = (path, report)
        let real = realpath(path, nil)
        defer { free(real) }
        // SQLite keeps its own files beside the file that a link points to.
        let beside = real.map { String(cString: $0) } ?? path
        files = [path, beside + "-wal", beside + "-shm"].compactMap { file in
            FileIdentity(file).map { (path: file, identity: $0) }
        }
        if let problem { throw problem }
    }

    /// Checks the files, and reports a problem.
    ///
    /// - Returns: What has happened to the files; `nil` if each is in its place.
    func check() -> QueueError? {
        let problem = problem
        let isDue = reported.withLockedValue { reported in
            guard problem != nil else {
                reported = nil
                return false
            }
            let now = ContinuousClock.now
            if let last = reported, last.duration(to: now) < Self.reportInterval { return false }
            reported = now
            return true
        }
        if isDue, let problem { report(problem.description) }
        return problem
    }

    /// What has happened to the files; `nil` if each is in its place.
    var problem: QueueError? {
        if files.first?.path != path { return displaced("\(path) was removed or moved") }
        for file in files {
            var found = stat()
            guard stat(file.path, &found) == 0 else {
                guard errno != ENOENT else { return displaced("\(file.path) was removed or moved") }
                return displaced("\(file.path) was not found (\(String(cString: strerror(errno))))")
            }
            guard FileIdentity(found) == file.identity else { return displaced("\(file.path) was replaced") }
            if let problem = Self.problem(ofNames: found, path: file.path) { return problem }
        }
        return nil
    }

    private func displaced(_ fact: String) -> QueueError {
        QueueError(
            .unusable,
            """
            \(fact) while the queue \(path) was open. Nothing is stored until the file is back. Move it back. If you cannot, stop the \
            service, and restore a backup.
            """)
    }

    /// Refuses a file with a second name.
    static func problem(ofNames facts: stat, path: String) -> QueueError? {
        guard facts.st_nlink > 1 else { return nil }
        return QueueError(
            .unusable,
            """
            \(path) has \(facts.st_nlink) names (hard links). By another name, a second program could overwrite what this one has \
            stored. Nothing is stored until the other names are removed. Find them with: find / -xdev -inum \(facts.st_ino)
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

    /// The file that a path leads to; `nil` if there is none.
    init?(_ path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        self.init(facts)
    }
}
