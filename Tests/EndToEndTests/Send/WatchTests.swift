import Foundation
import TestSupport
import Testing

@Suite(.takingTurns) struct WatchTests {
    /// A push of `payload.json` that is sent again when the file is saved.
    private func watching(_ flags: [String] = [], _ body: (RunningMock, RunningProgram) async throws -> Void)
        async throws
    {
        try await RunningMock.with { mock in
            try mock.workspace.write(Self.payload(1), to: "payload.json")
            let program = try mock.workspace.startPushsend(
                [
                    "send", RunningMock.token, "--mock", "--state", "mock", "--topic", RunningMock.topic,
                    "--payload", "payload.json", "--watch", "--push-type", "alert", "--priority", "10",
                ] + flags)
            _ = try #require(await program.output.line(0))
            try await body(mock, program)
        }
    }

    private static func payload(_ number: Int) -> String { #"{"aps":{"alert":"\#(number)"}}"# }

    /// A script that replaces the file in one step: nobody sees half of it.
    private static func replacing(with text: String) -> String {
        "printf %s '\(text)' > new && mv new payload.json"
    }

    @Test func `it is sent each time that the file is saved, in any editor's way`() async throws {
        try await watching { mock, program in
            // Written into, as nano does. It has the same length, and is never empty in between.
            try await mock.workspace.prepare("printf %s '\(Self.payload(2))' 1<> payload.json")
            #expect(try await mock.request(2)["payload"]?.string == Self.payload(2))
            // Replaced by another file, as vim and most others do.
            try await mock.workspace.prepare(Self.replacing(with: Self.payload(3)))
            #expect(try await mock.request(3)["payload"]?.string == Self.payload(3))
            // Put aside first, and saved without a change.
            try await mock.workspace.prepare(
                "cp payload.json new && mv payload.json payload.json~ && mv new payload.json")
            #expect(try await mock.request(4)["payload"]?.string == Self.payload(3))
            #expect(try await mock.request(4)["connection"] == 1)
            _ = try #require(await program.output.line(3))

            program.interrupt()
            let ended = await program.end()
            #expect(ended.status == 130)
            #expect(ended.output.split(separator: "\n").count == 4)
            // On a busy machine it may be away for so long that it is missed.
            #expect(
                ended.errorLines.filter { !$0.contains("payload.json no longer exists.") } == [
                    "Watching payload.json: save it to resend, Ctrl-C to stop.", "4 pushes: 4 accepted.",
                ])
        }
    }

    @Test func `a payload that cannot be sent is reported, and the next version is sent`() async throws {
        try await watching { mock, program in
            try await mock.workspace.prepare(Self.replacing(with: #"{"aps":{"alert""#))
            let complaint = try #require(await program.errors.line(1))
            #expect(complaint.hasPrefix("payload.json:1:16: error: "))
            #expect(await program.errors.line(2) == "Nothing was sent. Waiting for payload.json to be saved again.")
            try await mock.workspace.prepare(Self.replacing(with: Self.payload(2)))
            #expect(try await mock.request(2)["payload"]?.string == Self.payload(2))
            // Its answer has come, or it would be interrupted in flight.
            _ = try #require(await program.output.line(1))
            program.interrupt()
            #expect(await program.end().status == 130)
        }
    }

    @Test func `a file that disappears is reported once, and sent when it is back`() async throws {
        try await watching { mock, program in
            try await mock.workspace.prepare("mv payload.json aside")
            #expect(
                await program.errors.line(1)
                    == "pushsend: payload.json no longer exists. It's resent when it's back.")
            try await mock.workspace.prepare("mv aside payload.json")
            #expect(await program.errors.line(2) == "payload.json is back, unchanged.")
            try await mock.workspace.prepare("rm payload.json")
            _ = try #require(await program.errors.line(3))
            try await mock.workspace.prepare(Self.replacing(with: Self.payload(2)))
            #expect(try await mock.request(2)["payload"]?.string == Self.payload(2))
            // Its answer has come, or it would be interrupted in flight.
            _ = try #require(await program.output.line(1))
            program.interrupt()
            let ended = await program.end()
            #expect(ended.errorLines.last == "2 pushes: 2 accepted.")
            #expect(ended.errorLines.count == 5)
        }
    }

    @Test(arguments: [["-m", "x"], ["--payload", "-"], ["--payload", "{}"], []])
    func `there has to be a file to watch`(flags: [String]) async throws {
        let ended = try await Workspace().pushsend(["send", RunningMock.token, "--mock", "--watch"] + flags)
        expectRefusal(ended, 64, "--watch", "--payload FILE")
    }
}
