internal import GRDB
internal import GRDBSQLite

extension QueueError {
    static func sqlite(_ code: Int32, _ message: String, _ path: String) -> QueueError {
        switch code & 0xFF {
        case SQLITE_FULL:
            QueueError(
                .diskFull,
                """
                The disk of the queue \(path) is full, or the queue has reached its maximum size. Nothing was stored. \
                Free some space, then try again.
                """)
        case SQLITE_IOERR:
            QueueError(
                .inputOutput,
                """
                The queue \(path) can't be read or written: \(message) (SQLite code \(code)). This step wasn't \
                confirmed. Check the disk and its free space, then try again.
                """)
        case SQLITE_TOOBIG:
            QueueError(
                .tooLarge,
                """
                A value is too large for the queue \(path): SQLite accepts at most 1 GB. Nothing was stored. Shorten \
                the value.
                """)
        case SQLITE_BUSY, SQLITE_LOCKED: busy(path)
        case SQLITE_INTERRUPT: cancelled(path)
        case SQLITE_MISUSE: closed(path)
        case SQLITE_NOTADB: foreign(path)
        case SQLITE_CORRUPT: damaged(path, message)
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_CANTOPEN, SQLITE_AUTH:
            QueueError(
                .unwritable,
                """
                The queue \(path) can't be opened for writing: \(message). Give this user permission to write to the file and \
                its folder.
                """)
        default:
            QueueError(
                .defect,
                """
                SQLite refused a statement on the queue \(path): \(message) (code \(code)). Nothing was stored. \
                Please report this.
                """)
        }
    }

    static func from(_ error: any Error, _ path: String) -> QueueError {
        if let error = error as? QueueError { return error }
        if error is CancellationError { return cancelled(path) }
        guard let error = error as? DatabaseError else {
            return QueueError(.defect, "The queue \(path) failed: \(error). Please report this.")
        }
        return sqlite(error.extendedResultCode.rawValue, error.message ?? "no message", path)
    }

    static func busy(_ path: String) -> QueueError {
        QueueError(
            .busy,
            """
            Another process keeps the queue \(path) locked. Nothing was stored. Stop the process that holds the lock, \
            for example a backup or a SQLite shell, then try again.
            """)
    }

    static func foreign(_ path: String) -> QueueError {
        QueueError(
            .foreign,
            """
            \(path) isn't a queue of this library: another program created it. It wasn't changed. Give the path of another file; a \
            new one is created.
            """)
    }

    static func damaged(_ path: String, _ message: String) -> QueueError {
        QueueError(
            .damaged,
            """
            The queue \(path) is damaged: \(message). Keep the file, and its -wal file if there is one. Restore a backup, or \
            recover it with the command .recover of the sqlite3 shell.
            """)
    }

    static func newer(_ path: String, _ found: Int64, _ known: Int) -> QueueError {
        QueueError(
            .newerVersion,
            """
            The queue \(path) has the format \(found), but this program knows formats up to \(known). It wasn't changed. Use the newer \
            version of the program, or restore a backup from before the upgrade.
            """)
    }

    static func notDurable(_ path: String, _ found: String) -> QueueError {
        QueueError(
            .notDurable,
            """
            The queue \(path) would lose confirmed data if the power failed: \(found). Put the file on a local disk.
            """)
    }

    static func cancelled(_ path: String) -> QueueError {
        QueueError(.cancelled, "Reading the queue \(path) was cancelled. Nothing was changed.")
    }

    static func closed(_ path: String) -> QueueError {
        QueueError(.closed, "The queue \(path) was closed. Reopen it.")
    }
}
