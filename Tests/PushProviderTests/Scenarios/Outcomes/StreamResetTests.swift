import PushWire
import TestSupport
import Testing

@testable import PushProvider

@Suite(.timeLimit(.minutes(10))) struct StreamResetTests {
    /// The outcome of a send whose stream ends with these steps, while another one on the same connection continues.
    private func outcome(_ steps: @escaping (Int32) -> [ServerStep]) async throws -> PushOutcome {
        let server = try await ScriptedServer.start()
        let client = try PushClient.sample(to: server)
        try await client.authenticate(at: server)
        let sending = try await client.start(.sample())
        let other = try await client.start(.sample())
        let connection = try await server.connection(1)
        let request = try await connection.request(2)
        _ = try await connection.request(3)
        for step in steps(request.streamID) { try await connection.perform(step) }
        let outcome = try await sending.value
        try await connection.answerOpen(200)
        #expect(try await other.value.connection == 1)
        #expect(try await other.summary == "accepted")
        return outcome
    }

    @Test func `refused it was not sent`() async throws {
        let outcome = try await outcome { [.reset($0, .refusedStream)] }
        #expect(outcome.summary == "not sent: refused, wait")
    }

    @Test(arguments: [HTTP2ErrorCode.internalError, .cancel, .enhanceYourCalm, .noError, .protocolError])
    func `a reset before the answer leaves the outcome unknown`(code: HTTP2ErrorCode) async throws {
        let outcome = try await outcome { [.reset($0, code)] }
        #expect(outcome.summary == "unknown: stream_reset, wait")
        #expect(outcome.sentence == "the server reset the stream (\(code)).")
    }

    @Test(arguments: [HTTP2ErrorCode.internalError, .refusedStream, .cancel])
    func `reset after the status the status counts`(code: HTTP2ErrorCode) async throws {
        let accepted = try await outcome { [.frame(Frame.status(200, on: $0)), .reset($0, code)] }
        #expect(accepted.summary == "accepted")
        let rejected = try await outcome {
            [
                .frame(Frame.status(400, on: $0)),
                .frame(Frame.data(#"{"reason":"BadTop"#, on: $0)), .reset($0, code),
            ]
        }
        #expect(rejected.summary == "rejected 400 -")
    }

    @Test func `a reset after an interim answer leaves the outcome unknown`() async throws {
        let outcome = try await outcome {
            [.frame(Frame.status(103, on: $0)), .reset($0, .internalError)]
        }
        #expect(outcome.summary == "unknown: stream_reset, wait")
    }

    @Test func `a stream that was reset is free for the next`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(
                settings: .streams(1),
                onRequest: {
                    $0.number % 2 == 0 ? [.reset($0.streamID, .refusedStream)] : [.answer($0.streamID, 200)]
                }))
        let client = try PushClient.sample(to: server)
        let sendings = try await client.start(4)
        let expected = ["accepted", "not sent: refused, wait", "accepted", "not sent: refused, wait"]
        #expect(try await sendings.summaries == expected)
    }
}
