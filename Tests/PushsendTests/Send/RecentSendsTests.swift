import Dispatch
import Foundation
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import pushsend

/// A loop of a shell around `send` is noticed, and nothing depends on it.
@Suite struct RecentSendsTests {
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = try TemporaryFolder()
        try withExtendedLifetime(folder) { try body(folder.url.path()) }
    }

    private func sends(in folder: String) -> RecentSends { RecentSends(path: folder + "/state/pushsend/sends") }

    private func setTime(_ sends: RecentSends, _ seconds: Int) throws {
        let date = Date(timeIntervalSince1970: TimeInterval(seconds))
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: sends.path)
    }

    @Test func `runs that come soon one after the other are counted, in a folder that is made`() throws {
        try withFolder { folder in
            let sends = sends(in: folder)
            #expect((1...7).map { _ in sends.add() } == [1, 2, 3, 4, 5, 6, 7])
            let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/state/pushsend")
            #expect(attributes[.posixPermissions] as? Int == 0o700)
        }
    }

    @Test(arguments: [(10, 4), (11, 1), (0, 4), (-1, 4), (-11, 1), (3600, 1)])
    func `the count starts again after a pause, and when the clock was set back`(age: Int, number: Int) throws {
        try withFolder { folder in
            let sends = sends(in: folder)
            for _ in 1...3 { _ = sends.add() }
            try setTime(sends, 1_000_000)
            #expect(sends.add(now: 1_000_000 + age) == number)
        }
    }

    @Test func `those at the same time have numbers of their own`() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let sends = RecentSends(path: folder.path("home/sends"))
        _ = sends.add()
        // Outside Swift's pool: between two of them, no other test may run for as long as a pause.
        let numbers = try await Blocking.run {
            let numbers = NIOLockedValueBox<[Int?]>([])
            DispatchQueue.concurrentPerform(iterations: 200) { _ in
                let number = sends.add()
                numbers.withLockedValue { $0.append(number) }
            }
            return numbers.withLockedValue { $0 }
        }
        #expect(Set(numbers).count == 200)
        #expect(!numbers.contains(nil))
    }

    @Test func `the file does not grow for ever`() throws {
        try withFolder { folder in
            let sends = sends(in: folder)
            _ = sends.add()
            try Data(repeating: 0x2E, count: RecentSends.maximum).write(to: URL(filePath: sends.path))
            #expect(sends.add() == 1)
        }
    }

    @Test(arguments: ["mkfifo", "ln -s /dev/full", "mkdir"])
    func `what is in the place of the file is left alone`(command: String) async throws {
        try withFolder { folder in
            let sends = sends(in: folder)
            try FileManager.default.createDirectory(
                atPath: folder + "/state/pushsend", withIntermediateDirectories: true)
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", "\(command) \"$0\"", sends.path]
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            #expect(sends.add() == nil)
        }
    }

    @Test func `another file that is linked in its place stays as it is`() throws {
        try withFolder { folder in
            let sends = sends(in: folder)
            try FileManager.default.createDirectory(
                atPath: folder + "/state/pushsend", withIntermediateDirectories: true)
            let other = folder + "/other"
            try Data("kept".utf8).write(to: URL(filePath: other))
            try FileManager.default.createSymbolicLink(atPath: sends.path, withDestinationPath: other)
            #expect(sends.add() == nil)
            #expect(try Data(contentsOf: URL(filePath: other)) == Data("kept".utf8))
        }
    }

    @Test func `where no folder can be made, nothing is known`() throws {
        try withFolder { folder in
            try Data().write(to: URL(filePath: folder + "/state"))
            #expect(sends(in: folder).add() == nil)
        }
    }

    @Test func `it is said at the fifth, and then seldom`() {
        let due = (1...1000).filter(RecentSends.isNoteDue)
        #expect(due == [5] + Array(stride(from: 100, through: 1000, by: 100)))
    }
}
