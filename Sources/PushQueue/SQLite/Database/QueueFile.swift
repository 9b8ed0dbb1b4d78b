import PushPlatform

/// The files of a queue: only their owner may read them.
enum QueueFile {
    private static let mode: mode_t = 0o600

    /// Creates the file if it does not exist, and checks that it can be used. An existing file is not opened: closing it again
    /// would release the locks that SQLite has on it in this process (POSIX, fcntl).
    ///
    /// - Throws: ``QueueError`` if the file or its folder cannot be used for writing, with what is wrong.
    static func prepare(_ path: String) throws(QueueError) {
        try refuseLeftOverLog(path)
        let created = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        if created >= 0 {
            giveToOwnerOfFolder(created, path)
            close(created)
        } else if errno != EEXIST {
            throw cannotOpen(path, errno)
        }
        var status = stat()
        guard stat(path, &status) == 0 else { throw cannotOpen(path, errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw cannotOpen(path, EISDIR)
        default: throw cannotOpen(path, ENXIO)
        }
        if let problem = QueueFiles.problem(ofNames: status, path: path) ?? QueueFiles.problem(ofMount: path) {
            throw problem
        }
        guard faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) == 0 else { throw cannotOpen(path, errno) }
        try requireWritableFolder(path)
    }

    /// Refuses to create a database where the log of one lies: the database was moved or removed, and the log has its latest commits.
    /// SQLite would remove it.
    private static func refuseLeftOverLog(_ path: String) throws(QueueError) {
        var (database, log) = (stat(), stat())
        guard stat(path, &database) != 0, errno == ENOENT, stat(path + "-wal", &log) == 0, log.st_size > 0 else {
            return
        }
        throw QueueError(
            .unusable,
            """
            There is no queue \(path), but \(path)-wal has the latest changes of one. Move the queue back next to it. \
            For a new queue, move \(path)-wal away.
            """)
    }

    /// If root creates the file in another user's folder, that user becomes the owner, for example the service after root's first
    /// command.
    private static func giveToOwnerOfFolder(_ file: Int32, _ path: String) {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        var status = stat()
        guard geteuid() == 0, stat(folder, &status) == 0, status.st_uid != 0 else { return }
        _ = fchown(file, status.st_uid, status.st_gid)
    }

    /// Removes the permissions of other users. SQLite gives `-wal` and `-shm` the mode of the file.
    static func restrict(_ path: String) throws(QueueError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw cannotOpen(path, errno) }
        if status.st_mode & 0o777 != mode, chmod(path, mode) != 0 {
            throw QueueError(
                .unwritable,
                """
                Other users can read the queue \(path), and its mode can't be changed: \(text(errno)). Run as the user who \
                owns the file, or set its mode to 0600.
                """)
        }
        for suffix in ["-wal", "-shm"] { chmod(path + suffix, mode) }
    }

    /// SQLite creates files beside the database.
    private static func requireWritableFolder(_ path: String) throws(QueueError) {
        let probe = "\(path)-probe-\(UInt32.random(in: 0...UInt32.max))"
        let file = open(probe, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard file >= 0 else {
            let error = errno
            throw QueueError(
                error == ENOSPC ? .diskFull : .unwritable,
                """
                The queue \(path) can't be used, because no file can be created in its folder: \(text(error)). SQLite \
                needs files next to it. \
                \(error == ENOSPC ? "Free some space" : "Give this user permission to write to the folder").
                """)
        }
        close(file)
        unlink(probe)
    }

    private static func cannotOpen(_ path: String, _ error: Int32) -> QueueError {
        switch error {
        case ENOENT, ENOTDIR:
            QueueError(
                .unusable,
                """
                The queue \(path) can't be created, because its folder doesn't exist. Create the folder, or correct the path.
                """)
        case EISDIR:
            QueueError(
                .unusable, "\(path) is a folder. Give the path of a file in it, for example \(path)/queue.db.")
        case EACCES, EPERM, EROFS:
            QueueError(
                .unwritable,
                """
                The queue \(path) can't be opened for writing: \(text(error)). Give this user permission to write to the file and \
                its folder.
                """)
        case ENOSPC, EDQUOT:
            QueueError(.diskFull, "The queue \(path) can't be created: \(text(error)). Free some space.")
        case ENXIO: QueueError(.unusable, "\(path) isn't a regular file. Give the path of a file for the queue.")
        default:
            QueueError(
                .unusable, "The queue \(path) can't be opened: \(text(error)). Correct that, or give another path.")
        }
    }

    private static func text(_ error: Int32) -> String {
        String(cString: strerror(error))
    }
}
