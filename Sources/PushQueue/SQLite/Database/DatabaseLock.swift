internal import NIOConcurrencyHelpers
import PushPlatform

/// The lock of the service on the file of the database itself. It holds whatever names the file has, and nobody can remove it with
/// another file.
///
/// To close a file gives up all locks that SQLite has on it in this process (POSIX, fcntl). So it is closed only when no queue
/// of this process uses the file.
final class DatabaseLock: Sendable {
    private struct Users {
        var count = 0
        var unlockedFiles: [Int32] = []
    }

    private static let users = NIOLockedValueBox<[FileIdentity: Users]>([:])

    private struct State {
        /// The file that has the lock; -1 without one.
        var file: Int32 = -1
        var isClosed = false
    }

    private let path: String
    private let identity: FileIdentity
    private let state = NIOLockedValueBox(State())

    /// Creates the lock of a queue, and does not take it.
    ///
    /// - Parameter path: The path of the database; `nil` if it does not exist.
    init?(_ path: String) {
        guard let identity = FileIdentity(path) else { return nil }
        (self.path, self.identity) = (path, identity)
        Self.users.withLockedValue { $0[identity, default: Users()].count += 1 }
    }

    deinit { close() }

    /// Takes the lock.
    ///
    /// - Returns: 0, or the error of the system: `EAGAIN` if another service has the lock.
    func take() -> Int32 {
        state.withLockedValue { state in
            guard state.file < 0 else { return 0 }
            let file = open(path, O_RDWR | O_CLOEXEC)
            guard file >= 0 else { return errno }
            var lock = OwnerLocks.serviceLock
            guard fcntl(file, OwnerLocks.setLock, &lock) == 0 else {
                let error = errno
                Self.users.withLockedValue { $0[identity]?.unlockedFiles.append(file) }
                return error
            }
            state.file = file
            return 0
        }
    }

    /// Releases the lock. SQLite must have closed the file of this queue.
    func close() {
        state.withLockedValue { state in
            if state.isClosed { return }
            state.isClosed = true
            Self.users.withLockedValue { all in
                guard var users = all[identity] else { return }
                if state.file >= 0 {
                    OwnerLocks.unlock(state.file)
                    users.unlockedFiles.append(state.file)
                    state.file = -1
                }
                users.count -= 1
                if users.count == 0 { for file in users.unlockedFiles { PushPlatform.close(file) } }
                all[identity] = users.count == 0 ? nil : users
            }
        }
    }
}
