import MockAPNs
import NIOCore
import PushProvider
import PushWire
import Testing

/// Limits of the mock that are easier to meet from inside than for a client from outside.
@Suite(.timeLimit(.minutes(10))) struct LimitTests {
    /// Of a client that takes nothing from its socket, the mock reads nothing more; then its time is over.
    @Test func `a client that does not read its socket loses its connection and its place, others are served`()
        async throws
    {
        let fault = MockFault(
            when: MockFault.Matcher(deviceToken: try DeviceToken("abcd")),
            steps: [.answer(MockFault.Answer(status: 400, body: .filled(1 << 20)))])
        try await MockServer.withFaults(fault) {
            $0.limits.unreadTime = .milliseconds(300)
            $0.limits.connections = 1
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
            while try await mock.outcome().summary != "accepted" {}
            await client.close()
        }
    }

    /// Each of two clients stays below the bound; the one that ends is not the one that went beyond it.
    @Test func `bodies that do not end are bounded over all connections, and the largest part of them has to go`()
        async throws
    {
        let withheld = MockFault(at: .connectionEstablished, steps: [.withhold([.windowUpdates])])
        try await MockServer.withFaults(withheld) {
            $0.variants.streamsBeforeAuthentication = 100
            $0.limits.unfinishedBytes = 100_000
        } body: { mock in
            let unending = String(repeating: "x", count: 100_000)
            let large = try await WireClient.connect(to: mock)
            try await large.wait { !$0.settings.isEmpty }
            // As much of it as the window of the connection lets through.
            try await large.openTogether(1, body: unending)
            let small = try await WireClient.connect(to: mock)
            try await small.wait { !$0.settings.isEmpty }
            try await small.openTogether(1, body: String(repeating: "x", count: 25_000))
            try await small.wait { $0.ends.count == 1 }
            try await small.openTogether(1, body: unending)
            _ = try await mock.connectionRecord(1, within: .seconds(120)) { $0.end != nil }
            let seen = try await large.wait { !$0.goAways.isEmpty }
            #expect(seen.goAways.map(\.errorCode) == [HTTP2ErrorCode.enhanceYourCalm.rawValue])
            #expect(String(decoding: seen.goAways[0].debugData, as: UTF8.self).contains("unfinished-bytes"))
            #expect(mock.connectionRecords[1].end == nil)
            try await mock.expectOutcome("accepted")
            await large.close()
            await small.close()
        }
    }

    /// What has ended does not count any more: the same again and again is never too much.
    @Test(arguments: [false, true])
    func `a body that comes to no end and is given up makes room`(byItsConnection: Bool) async throws {
        let withheld = MockFault(at: .connectionEstablished, steps: [.withhold([.windowUpdates])])
        try await MockServer.withFaults(withheld) {
            $0.variants.streamsBeforeAuthentication = 100
            $0.limits.unfinishedBytes = 100_000
        } body: { mock in
            for number in 1...5 {
                let client = try await WireClient.connect(to: mock)
                try await client.wait { !$0.settings.isEmpty }
                let streams = try await client.openTogether(1, body: String(repeating: "x", count: 100_000))
                _ = try await mock.connectionRecord(number, within: .seconds(120)) {
                    $0.framesReceived[.data] ?? 0 >= 4
                }
                if !byItsConnection, let stream = streams.first { try await client.reset(stream, .cancel) }
                await client.close()
                let record = try await mock.connectionRecord(number, within: .seconds(120)) { $0.end != nil }
                #expect(record.end?.side == .client)
                #expect(record.resetCount == (byItsConnection ? 0 : 1))
            }
        }
    }

    @Test func `a fault may take longer than a client may`() async throws {
        try await MockServer.withFaults(MockFault(steps: [.wait(.milliseconds(500))])) {
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
