import Foundation
import PushCommandLine
import TestSupport
import Testing

@testable import pushsend

/// What a flag such as --save, --report or --dump may name besides a regular file.
@Suite(.timeLimit(.minutes(10))) struct SavedFileTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("out")
    }

    private func save(force: Bool) -> String? {
        do {
            try SavedFile(path: path, replaces: force).write(Array("saved".utf8))
            return nil
        } catch {
            return (error as? CommandFailure)?.message ?? "\(error)"
        }
    }

    @Test func `a pipe that nobody reads is refused, and nothing waits for a reader`() throws {
        #expect(mkfifo(path, 0o600) == 0)
        #expect(save(force: true)?.contains("it is a pipe that nobody reads; start its reader first") == true)
        #expect(throws: CommandFailure.self) { try ResultFile(path, of: "--dump") }
        // As --report opens it, which reads a file, too.
        #expect(SavedFile.open(path, O_RDWR | O_APPEND, 0o644) == -1)
    }

    @Test func `a pipe that somebody reads is written, and may be slow`() throws {
        #expect(mkfifo(path, 0o600) == 0)
        let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        let file = SavedFile.open(path, O_WRONLY | O_TRUNC, 0o644)
        #expect(file >= 0 && fcntl(file, F_GETFL) & O_NONBLOCK == 0)
        #expect(SavedFile.write(Array("saved".utf8), to: file) == 0)
        close(file)
        var bytes = [UInt8](repeating: 0, count: 10)
        #expect(read(reader, &bytes, bytes.count) == 5 && bytes.starts(with: "saved".utf8))
    }

    @Test(arguments: [true, false]) func `a folder is named as one`(force: Bool) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(save(force: force)?.contains("(it is a folder): give another path.") == true)
    }

    @Test func `a link to a missing file is named as one, and files and devices are overwritten`() throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "none")
        #expect(save(force: true)?.contains("it is a link to a missing file") == true)
        try folder.write("something longer", to: "none")
        #expect(save(force: false)?.contains("exists already") == true)
        #expect(save(force: true) == nil)
        #expect(try folder.text("none") == "saved")
        #expect(throws: Never.self) { try SavedFile(path: "/dev/null", replaces: true).write([0x61]) }
    }

    @Test func `an appended file is still appended to`() throws {
        try folder.write("a", to: "out")
        let file = SavedFile.open(path, O_RDWR | O_APPEND, 0o644)
        #expect(SavedFile.write([0x62], to: file) == 0)
        close(file)
        #expect(try folder.text("out") == "ab")
    }
}
