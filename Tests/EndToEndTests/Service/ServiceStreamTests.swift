import Foundation
import TestSupport
import Testing

/// A Python generator sends each line in a chunk of its own.
@Suite(.takingTurns, .timeLimit(.minutes(60))) struct ServiceStreamTests {
    private static let lines = 1000

    @Test(.enabled(if: BuiltProgram.pythonHas("requests"), "needs requests beside Python"))
    func `lines in chunks of their own share commits`() async throws {
        let python = try #require(BuiltProgram.python)
        try await RunningMock.with { mock in
            let service = try await RunningPushserve(before: mock)
            let key = try await service.key("admin")
            let input = Pipe()
            let client = try mock.workspace.start(
                URL(filePath: python),
                [BuiltProgram.client("service/stream_lines.py"), service.url, key, "\(Self.lines)"],
                from: input.fileHandleForReading)
            #expect(await client.output.line(0) == "begun")
            // The other lines are in the socket before the service reads one of them, however fast it is.
            service.program.signal(SIGSTOP)
            try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
            #expect(await client.output.line(1) == "sent")
            service.program.signal(SIGCONT)
            let ended = await client.end()
            let answer = JSON(parsing: ended.output.split(separator: "\n").last.map(String.init) ?? "")
            #expect(answer["status"]?.integer == 202, "\(ended.output)\(ended.errors)")
            #expect(answer["summary"]?["lines"]?["queued"]?.integer == Self.lines)
            let commits = try #require(answer["commits"]?.integer)
            #expect((1...Self.lines / 10).contains(commits), "\(commits)")
            await service.end()
        }
    }
}
