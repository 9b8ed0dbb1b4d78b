import MockAPNs
import PushWire
import Testing

/// Frames after which a connection has to end.
@Suite(.timeLimit(.minutes(10))) struct IllegalFrameTests {
    /// HEADERS with the end of its stream: POST, https, the path /, and localhost.
    private static func headers(on stream: UInt8) -> [UInt8] {
        [0, 0, 14, 1, 5, 0, 0, 0, stream, 0x83, 0x87, 0x84, 0x01, 0x09] + Array("localhost".utf8)
    }

    /// The rules that a client breaks, and what it did, after its request on stream 1 was answered.
    private static func violations(sending frame: [UInt8]) async throws -> [MockViolation] {
        var found: [MockViolation] = []
        try await MockServer.withFaults { mock in
            let client = try await WireClient.connect(to: mock)
            try await client.wait { !$0.settings.isEmpty }
            try await client.open()
            try await client.wait { $0.ends.count == 1 }
            try await client.perform { try $0.sendRaw(frame) }
            let record = try await mock.connectionRecord(1, within: .seconds(120)) { $0.end != nil }
            #expect(record.end?.how.contains("the client violated HTTP/2") == true)
            await client.close()
            found = mock.violations
        }
        return found
    }

    @Test func `a second request on a finished stream breaks a rule`() async throws {
        let violations = try await Self.violations(sending: Self.headers(on: 1))
        #expect(violations.map(\.id) == ["illegal-frame"])
        #expect(
            violations.first?.detail
                == "a frame on stream 1, which the client had ended or reset before (RFC 9113 section 5.1)")
    }

    @Test func `so do data on a finished stream, and data on a stream that was never opened`() async throws {
        for stream: UInt8 in [1, 99] {
            let violations = try await Self.violations(sending: [0, 0, 1, 0, 1, 0, 0, 0, stream, 0x78])
            #expect(violations.map(\.id) == ["illegal-frame"])
        }
    }
}
