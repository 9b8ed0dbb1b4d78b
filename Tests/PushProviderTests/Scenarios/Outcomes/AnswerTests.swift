import Foundation
import MockAPNs
import PushWire
import TestSupport
import Testing

@testable import PushProvider

@Suite(.timeLimit(.minutes(10))) struct AnswerTests {
    // MARK: What the mock says

    @Test func `an acceptance has the notification's id and the one of Apple's console`() async throws {
        let mock = try await MockServer.start(credentials: .ofThisProcess)
        let client = try PushClient.sample(to: mock)
        let id = UUID()
        let acceptance = try await client.send(.sample { $0.id = id })
        let arrival = try await mock.arrival(1, within: .seconds(120))
        #expect(acceptance.apnsID == id.uuidString.lowercased())
        #expect(acceptance.uniqueID == arrival.verdict.uniqueID)
        #expect(acceptance.uniqueID != nil)
        #expect(acceptance.trace.connection == 1)
        #expect(acceptance.trace.attempts == 1)
        #expect(arrival.deviceToken == DeviceToken.sampleHex)
        #expect(arrival.payload == #"{"aps":{"alert":{"body":"Hello"}}}"#)
        await mock.stop()
    }

    @Test func `a dead device token is rejected with the time of its death`() async throws {
        let mock = try await MockServer.start(credentials: .ofThisProcess)
        let client = try PushClient.sample(to: mock)
        mock.unregister(
            try DeviceToken(DeviceToken.sampleHex), since: Date(timeIntervalSince1970: 1_454_948_015.25))
        let error = await #expect(throws: PushOutcome.self) { try await client.send(.sample()) }
        let rejection = try #require(error?.rejection)
        #expect(error?.name == "rejected")
        #expect(rejection.status == 410)
        #expect(rejection.reason == .unregistered)
        #expect(rejection.timestampMilliseconds == 1_454_948_015_250)
        #expect(rejection.body == Array(#"{"reason":"Unregistered","timestamp":1454948015250}"#.utf8))
        #expect(rejection.isFinal)
        #expect(try #require(error).description.contains(try #require(rejection.explanation).advice))
        await mock.stop()
    }

    @Test func `a 503 is not final`() async throws {
        let mock = try await MockServer.start(credentials: .ofThisProcess)
        let client = try PushClient.sample(to: mock)
        mock.answerNext(status: 503, reason: .serviceUnavailable)
        guard case .rejected(let rejection) = try await client.outcome(of: .sample()) else {
            Issue.record("not rejected")
            return
        }
        #expect(rejection.status == 503)
        #expect(rejection.reason == .serviceUnavailable)
        #expect(!rejection.isFinal)
        #expect(try await client.outcome(of: .sample()).summary == "accepted")
        await mock.stop()
    }

    @Test func `what breaks a rule never leaves the client`() async throws {
        let mock = try await MockServer.start(credentials: .ofThisProcess)
        let client = try PushClient.sample(to: mock)
        let outcome = await client.outcome(of: try .sample { $0.payload = PushPayload(json: "{") })
        #expect(outcome.name == "invalid")
        #expect(mock.connectionCount == 0)
        await mock.stop()
    }

    // MARK: What other servers say

    private func rejection(_ status: Int, _ body: String) async throws -> PushOutcome.Rejection? {
        let server = try await ScriptedServer.start(.answering(status, body: body))
        let client = try PushClient.sample(to: server)
        guard case .rejected(let rejection) = try await client.outcome(of: .sample()) else { return nil }
        return rejection
    }

    @Test func `an unknown reason is kept with its body`() async throws {
        let body = #"{"reason":"NotInventedYet","hint":1}"#
        let rejection = try #require(try await rejection(499, body))
        #expect(rejection.status == 499)
        #expect(rejection.reason == RejectionReason(rawValue: "NotInventedYet"))
        #expect(rejection.explanation == nil)
        #expect(rejection.body == Array(body.utf8))
    }

    @Test func `a body that is not JSON is kept`() async throws {
        let body = "<html><body>502 Bad Gateway</body></html>"
        let rejection = try #require(try await rejection(502, body))
        #expect(rejection.status == 502)
        #expect(rejection.reason == nil)
        #expect(rejection.body == Array(body.utf8))
        #expect(!rejection.isFinal)
    }

    @Test func `an answer may come in many DATA frames`() async throws {
        let padding = String(repeating: "x", count: 40_000)
        let body = #"{"padding":"\#(padding)","reason":"BadTopic"}"#
        let rejection = try #require(try await rejection(400, body))
        #expect(rejection.reason == .badTopic)
        #expect(rejection.body.count == body.utf8.count)
    }

    @Test func `a body without end is cut and the answer counts`() async throws {
        let rejection = try #require(try await rejection(400, String(repeating: "x", count: 200_000)))
        #expect(rejection.status == 400)
        #expect(rejection.body.count == 65_536)
    }

    // MARK: In which form

    @Test func `interim answers come before the final one`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(onRequest: { request in
                [
                    .frame(Frame.status(100, on: request.streamID)),
                    .frame(Frame.status(103, on: request.streamID)),
                    .answer(request.streamID, 200, headers: ["apns-id": "the-id"]),
                ]
            }))
        let client = try PushClient.sample(to: server)
        let acceptance = try await client.send(.sample())
        #expect(acceptance.apnsID == "the-id")
    }

    @Test func `an answer may come before the request is fully sent`() async throws {
        // Headers may be sent and nothing of a body.
        let server = try await ScriptedServer.start(
            ServerScript(settings: HTTP2Settings(maxConcurrentStreams: 1, initialWindowSize: 0)))
        let client = try PushClient.sample(to: server)
        for streamID: Int32 in [1, 3] {
            let sending = try await client.start(.sample())
            let connection = try await server.connection(1)
            try await connection.record.wait(for: "HEADERS") { $0.opened.last == streamID }
            try await connection.perform(
                .frame(Frame.status(413, on: streamID)),
                .frame(Frame.data(#"{"reason":"PayloadTooLarge"}"#, on: streamID, flags: Frame.endStream)))
            #expect(try await sending.summary == "rejected 413 PayloadTooLarge")
            // The rest of the request is not sent, and its place is free.
            let record = try await connection.record.wait(for: "RST_STREAM") { $0.resets[streamID] != nil }
            #expect(record.resets[streamID] == .noError)
            #expect(record.requests.isEmpty)
        }
    }
}
