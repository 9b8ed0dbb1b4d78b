import APNSVocabulary
import PushCommandLine
import PushPlatform
import PushQueue
import PushWire

/// Writes the file of an export. Until everything is on the disk, the file has the name of a part, so that a file with its own name is whole.
///
/// `@unchecked Sendable` is correct: the task of the command uses it, and while that task waits for the export, only the thread that reads the
/// queue does.
final class ExportWriter: @unchecked Sendable {
    private let path: String
    private let descriptor: Int32
    private let digest = RunningFingerprint()
    private var buffer: [UInt8] = []
    private var isOpen = true
    private var shown = ShownProgress()
    private var jobs = 0
    private(set) var counts: [ExportPart: Int] = [:]

    /// How much is written at once, in bytes.
    private static let bufferSize = 1 << 20

    /// Creates the part. A part that an interrupted export has left is written anew.
    init(_ path: String) throws(CommandFailure) {
        (self.path, descriptor) = (path, try Self.openPart(path))
    }

    private static func openPart(_ path: String) throws(CommandFailure) -> Int32 {
        guard !path.isEmpty else { throw .usage("Give the name of the file to write.") }
        guard path != "-" else {
            throw .usage(
                """
                An export can't go to standard output, because it gets its name only when it's complete. Give the name \
                of a file instead of "-". A file that is really called "-" is "./-".
                """)
        }
        if access(path, F_OK) == 0 {
            throw Self.cannotCreate(path, "it exists already. Give another name, or remove it")
        }
        let part = Self.part(path)
        // Without O_NONBLOCK, it would wait for the reader of a pipe with the name.
        let descriptor = open(part, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 || errno == ENXIO else { throw Self.cannotCreate(part, String(cString: strerror(errno))) }
        // Somebody else's file would show them the device tokens, and another one would lose its content.
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_nlink == 1
        else {
            close(descriptor)
            throw Self.cannotCreate(part, "the name is taken by something that isn't a file of yours")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw Self.cannotCreate(path, "another process is writing it")
        }
        guard fchmod(descriptor, 0o600) == 0, ftruncate(descriptor, 0) == 0 else {
            let error = errno
            close(descriptor)
            throw Self.cannotCreate(part, String(cString: strerror(error)))
        }
        return descriptor
    }

    deinit { abandon() }

    private static func part(_ path: String) -> String { path + ".part" }

    private static func cannotCreate(_ path: String, _ reason: String) -> CommandFailure {
        CommandFailure(.cannotCreate, "\(path.printable) can't be created: \(reason).")
    }

    func begin(_ head: ExportLine.Head) {
        jobs = head.jobs
        ExportLine.write(head, to: &buffer)
    }

    func add(_ row: ExportRow) throws(QueueError) {
        counts[row.part, default: 0] += 1
        ExportLine.write(row, to: &buffer)
        guard buffer.count >= Self.bufferSize else { return }
        shown.show("Wrote \(counts[.job] ?? 0) of \(jobs) jobs.")
        try flush()
    }

    /// Writes the last line. Afterwards, everything is on the disk.
    func finish() throws(QueueError) {
        try flush()
        guard let digest = digest.finish() else {
            throw QueueError(.defect, "OpenSSL can't compute SHA-256. Please report this.")
        }
        ExportLine.write(ExportLine.Foot(counts: counts, digest: digest), to: &buffer)
        try write()
        guard fsync(descriptor) == 0 else { throw failure(errno) }
    }

    /// Gives the file its name.
    func publish() throws(QueueError) {
        guard rename(Self.part(path), path) == 0 else { throw failure(errno) }
        isOpen = false
        close(descriptor)
        let folder = open(path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".", O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }

    /// Removes the part.
    func abandon() {
        guard isOpen else { return }
        isOpen = false
        unlink(Self.part(path))
        close(descriptor)
    }

    private func flush() throws(QueueError) {
        buffer.withUnsafeBytes { digest.add($0) }
        try write()
    }

    private func write() throws(QueueError) {
        var written = 0
        while written < buffer.count {
            let count = buffer.withUnsafeBytes { bytes in
                systemWrite(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
            }
            if count < 0, errno != EINTR { throw failure(errno) }
            written += max(count, 0)
        }
        buffer.removeAll(keepingCapacity: true)
    }

    private func failure(_ error: Int32) -> QueueError {
        QueueError(
            error == ENOSPC || error == EDQUOT ? .diskFull : .inputOutput,
            """
            \(path.printable) can't be written: \(String(cString: strerror(error))). The queue stays sealed. Correct that, then run the \
            command again.
            """)
    }
}
