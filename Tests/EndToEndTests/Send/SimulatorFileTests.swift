import TestSupport
import Testing

/// Files that `xcrun simctl push` takes.
@Suite(.takingTurns) struct SimulatorFileTests {
    /// A file, and what of it is sent.
    struct File: Sendable, CustomTestStringConvertible {
        var text: String
        var sent: String

        var testDescription: String { text }
    }

    private static let bundle = #""Simulator Target Bundle""#

    static let files = [
        File(text: #"{\#(bundle):"com.example.sim","aps":{"alert":"x"}}"#, sent: #"{"aps":{"alert":"x"}}"#),
        File(
            text: "{\n  \"aps\" : { \"badge\" : 1 },\n  \(bundle) : \"com.example.sim\"\n}\n",
            sent: "{\n  \"aps\" : { \"badge\" : 1 }\n}\n"),
        File(
            text: #"{"aps":{"alert":"x"},\#(bundle):"com.example.sim","n":1.50,"big":12345678901234567890}"#,
            sent: #"{"aps":{"alert":"x"},"n":1.50,"big":12345678901234567890}"#),
        File(
            text:
                #"{"a":{\#(bundle):"inner"},"t":"\"},{","\u0053imulator Target Bundle":"com.example.sim","aps":{"alert":"x"}}"#,
            sent: #"{"a":{\#(bundle):"inner"},"t":"\"},{","aps":{"alert":"x"}}"#),
    ]

    @Test(arguments: files)
    func `the topic comes from the bundle id, which is not sent, and the rest stays byte for byte`(
        _ file: File
    ) async throws {
        try await RunningMock.with { mock in
            try mock.workspace.write(file.text, to: "payload.apns")
            let ended = try await mock.workspace.pushsend(
                "send", RunningMock.token, "--mock", "--state", "mock", "--payload", "payload.apns")
            #expect(ended.status == 0, "\(ended.errors)")
            let line = try await mock.request(1)
            #expect(line["topic"] == "com.example.sim")
            #expect(line["payload"]?.string == file.sent)
        }
    }

    @Test func `--topic wins, with a note when it is another one`() async throws {
        try await RunningMock.with { mock in
            let payload = Self.files[0].text
            let other = try await mock.send("--payload", payload, "--push-type", "alert", "--priority", "10")
            #expect(other.status == 0)
            #expect(
                other.errors
                    == "note: the topic is com.example.app, as given; the payload file is for com.example.sim\n")
            let same = try await mock.send(
                "--payload", payload, "--push-type", "alert", "--priority", "10", "--topic", "com.example.sim")
            #expect(same.errors == "")
            #expect(
                try await [mock.request(1)["topic"], mock.request(2)["topic"]] == [
                    "com.example.app", "com.example.sim",
                ])
        }
    }

    @Test func `a bundle id that is no text is no topic`() async throws {
        let ended = try await Workspace().pushsend(
            "send", RunningMock.token, "--mock", "--payload", #"{\#(Self.bundle):7,"aps":{"alert":"x"}}"#)
        expectRefusal(ended, 64, "--topic")
    }
}
