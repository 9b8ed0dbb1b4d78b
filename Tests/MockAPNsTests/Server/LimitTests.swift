import MockAPNs
import NIOCore
import PushProvider
import PushWire
import Testing

/// Limits of the mock that are easier to meet from inside than for a client from outside.
@Suite(.timeLimit(.minutes(5))) struct LimitTests {
    /// Of a client that takes nothing from its socket, the mock reads nothing more; then its time is over.
    @Test func `a client that does not read its socket loses its connection, others are served`() async throws {
        let fault = Fault(
            when: FaultMatcher(deviceToken: try DeviceToken("abcd")),
            steps: [.answer(FaultAnswer(status: 400, body: .filled(1 << 20)))])
        try await MockServer.withFaults(fault) {
            $0.limits.unreadTime = .milliseconds(300)
        } body: { mock in
            let client = try await WireClient.connect(to: mock)
            try await client.wait { !$0.settings.isEmpty }
            try await client.open()
            try await client.wait { $0.ends.count == 1 }
            try await client.stopReading()
            try await client.openWindows()
            try await client.openTogether(24, token: "abcd")
            let record = try await mock.connectionRecord(1, within: .seconds(120)) { $0.end != nil }
            #expect(record.end?.side == .mock)
            #expect(record.end?.how.contains("unread-time") == true)
            try await mock.expectOutcome("accepted")
            await client.close()
        }
    }

    @Test func `a fault may take longer than a client may`() async throws {
        try await MockServer.withFaults(Fault(steps: [.wait(.milliseconds(500))])) {
            $0.limits.requestTime = .milliseconds(50)
            $0.limits.unreadTime = .milliseconds(50)
        } body: { mock in
            let client = try await WireClient.connect(to: mock)
            try await client.wait { !$0.settings.isEmpty }
            try await client.open()
            try await client.wait { $0.ends.count == 1 }
            #expect(client.seen.goAways.isEmpty)
            await client.close()
        }
    }
}

extension WireClient {
    fileprivate func stopReading() async throws {
        try await channel.setOption(.autoRead, value: false).get()
    }

    /// Grants the mock all the room that HTTP/2 can grant: SETTINGS with INITIAL_WINDOW_SIZE, and WINDOW_UPDATE.
    fileprivate func openWindows() async throws {
        let settings: [UInt8] = [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0x7F, 0xFF, 0xFF, 0xFF]
        let update: [UInt8] = [0, 0, 4, 8, 0, 0, 0, 0, 0, 0x7F, 0, 0, 0]
        try await perform { wire in try (settings + update).withUnsafeBytes { try wire.tls.seal($0) } }
    }
}
