internal import NIOConcurrencyHelpers
import PushPlatform

/// Finds out which owners of leases are still running. A process locks a byte of a file beside the queue for each owner whose jobs it
/// takes; the kernel releases the lock when the process ends, however it ends.
///
/// These are locks of an open file (`F_OFD_SETLK`), so two queues in one process do not disturb each other. They are
/// shared, so two processes may use the same name by mistake; then neither of them counts as dead while one lives.
final class OwnerLocks: Sendable {
    /// The path of the file. It stays empty.
    let path: String
    /// The lock of the service on the database, which stays when someone removes the file of the owners.
    private let database: DatabaseLock?
    private let state = NIOLockedValueBox(State())

    private struct State {
        /// The open file; -1 before the first owner.
        var file: Int32 = -1
        var lockedOwners: Set<String> = []
        var isService = false
        /// All owners of this process. They live, also while the file cannot be opened.
        var own: Set<String> = []

        mutating func release() {
            if file >= 0 {
                OwnerLocks.unlock(file)
                PushPlatform.close(file)
            }
            (file, lockedOwners) = (-1, [])
        }
    }

    /// - Parameter queue: The path of the queue. SQLite keeps its own files beside the file that a link points to,
    ///   and so does this.
    init(queue: String) {
        path = (realPath(of: queue) ?? queue) + "-owners"
        database = DatabaseLock(queue)
    }

    deinit { close() }

    /// Makes an owner known as living, until this process ends or calls ``close()``. Do it before the owner takes a
    /// job: a process that finds the job without the lock gives it to another owner.
    ///
    /// - Throws: ``QueueError`` if the file cannot be used.
    func hold(_ owner: String) throws(QueueError) {
        guard Self.isPossible else { return }
        let error = state.withLockedValue { state in
            state.own.insert(owner)
            return takeLocks(&state)
        }
        guard error == 0 else { throw cannotLock(error) }
    }

    /// Locks the bytes of all owners of this process, and the byte of the service. If the file was removed, it
    /// creates a new one.
    ///
    /// - Returns: 0, or the error of the system.
    private func takeLocks(_ state: inout State) -> Int32 {
        if !isInPlace(state.file) { state.release() }
        if state.file < 0 {
            state.file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard state.file >= 0 else { return errno }
            if state.isService {
                var lock = Self.serviceLock
                guard fcntl(state.file, Self.setLock, &lock) == 0 else {
                    let error = errno
                    // With the file open, the next call would not ask for the lock.
                    state.release()
                    return error
                }
            }
        }
        for owner in state.own.subtracting(state.lockedOwners) {
            var lock = Self.lock(F_RDLCK, owner)
            guard fcntl(state.file, Self.setLock, &lock) == 0 else { return errno }
            state.lockedOwners.insert(owner)
        }
        return 0
    }

    private func cannotLock(_ error: Int32) -> QueueError {
        QueueError(
            error == ENOSPC ? .diskFull : .unwritable,
            """
            The lock file \(path) can't be locked: \(String(cString: strerror(error))). Put it on a local disk, and \
            give this user permission to read and write it.
            """)
    }

    /// Locks the queue for this service: only one can use it. The lock lasts until this process ends or calls ``close()``.
    ///
    /// - Throws: ``QueueError`` if another service has it, or the file cannot be used.
    func holdService() throws(QueueError) {
        guard Self.isPossible else { return }
        let error = state.withLockedValue { state in
            var error = database?.take() ?? 0
            if error == 0 { error = takeLocks(&state) }
            guard error == 0 else { return error }
            var lock = Self.serviceLock
            guard fcntl(state.file, Self.setLock, &lock) == 0 else { return errno }
            state.isService = true
            return 0
        }
        switch error {
        case 0: return
        case EAGAIN, EACCES:
            throw QueueError(
                .busy,
                """
                Another service uses or moves the queue \(path.dropLast("-owners".count)). Only one service at a time \
                can use a queue in a file. Stop the other service, or use a separate database file for this one.
                """)
        default: throw cannotLock(error)
        }
    }

    /// If that cannot be found out, the owner counts as living.
    func isDead(_ owner: String) -> Bool {
        guard Self.isPossible else { return false }
        return state.withLockedValue { state in
            if state.own.contains(owner) { return false }
            let file = state.file >= 0 && isInPlace(state.file) ? state.file : open(path, O_RDWR | O_CLOEXEC)
            guard file >= 0 else { return false }
            defer { if file != state.file { PushPlatform.close(file) } }
            var lock = Self.lock(F_WRLCK, owner)
            return fcntl(file, Self.getLock, &lock) == 0 && Int32(lock.l_type) == F_UNLCK
        }
    }

    /// Releases the locks: the owners of this queue count as dead.
    func close() {
        state.withLockedValue { state in
            state.release()
            (state.own, state.isService) = ([], false)
        }
        database?.close()
    }

    /// Whether the file is still the one at the path. If it was removed, other processes use another one.
    private func isInPlace(_ file: Int32) -> Bool {
        var opened = stat()
        return file >= 0 && fstat(file, &opened) == 0 && FileIdentity(opened) == FileIdentity(path)
    }

    /// Removes all locks of an open file. Closing it is not enough: a child process that has not yet begun its program has it
    /// open, too.
    static func unlock(_ file: Int32) {
        var all = lock(F_UNLCK, at: 0, length: 0)
        _ = fcntl(file, OwnerLocks.setLock, &all)
    }

    /// The byte of an owner is a hash of its name (FNV-1a). If two owners share a byte, neither counts as dead while one lives.
    private static func lock(_ kind: Int32, _ owner: String) -> flock {
        let hash = owner.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return lock(kind, at: off_t(hash >> 2))
    }

    /// A length of 0 means all bytes from the offset on.
    private static func lock(_ kind: Int32, at offset: off_t, length: off_t = 1) -> flock {
        var lock = flock()
        (lock.l_type, lock.l_whence) = (Int16(kind), Int16(SEEK_SET))
        (lock.l_start, lock.l_len) = (offset, length)
        return lock
    }

    /// The lock on the byte of the service. No owner uses this byte, and in the database, SQLite uses only bytes near 1 GiB.
    static var serviceLock: flock { lock(F_WRLCK, at: off_t.max - 1) }

    // Linux's F_OFD_GETLK and F_OFD_SETLK, which not every C library shows.
    private static let getLock: Int32 = 36
    static let setLock: Int32 = 37

    #if os(Linux)
        private static let isPossible = true
    #else
        // Elsewhere, leases run out.
        private static let isPossible = false
    #endif
}
