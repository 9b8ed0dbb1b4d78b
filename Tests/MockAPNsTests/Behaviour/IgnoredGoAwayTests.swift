import MockAPNs
import PushWire
import Testing

/// Clients that go on after a GOAWAY.
@Suite(.timeLimit(.minutes(10))) struct IgnoredGoAwayTests {
    /// HEADERS of stream 5: POST, https, the path /, and localhost. Our client itself opens no stream after a GOAWAY.
    private static let headers: [UInt8] =
        [0, 0, 14, 1, 5, 0, 0, 0, 5, 0x83, 0x87, 0x84, 0x01, 0x09] + Array("localhost".utf8)

    /// The rules that a client breaks that opens a stream after a GOAWAY. Its first stream keeps the connection open; the answer to
    /// the second one comes after the wait.
    private static func violations(after wait: Duration) async throws -> [String] {
        let first = MockFault(when: MockFault.Matcher(request: 1), steps: [.noAnswer])
        let second = MockFault(when: MockFault.Matcher(request: 2), steps: [.goAway(.newest), .wait(wait), .judge])
        var found: [String] = []
        try await MockServer.withFaults(first, second, adjust: { $0.variants.streamsBeforeAuthentication = 100 }) {
            mock in
            let client = try await WireClient.connect(to: mock)
            try await client.wait { !$0.settings.isEmpty }
            for _ in 1...2 { try await client.open() }
            try await client.wait { $0.ends.count == 1 }
            try await client.perform { try $0.sendRaw(headers) }
            await client.close()
            _ = try await mock.connectionRecord(1, within: .seconds(120)) { $0.end != nil }
            found = mock.violations.map(\.id)
        }
        return found
    }

    @Test func `a stream long after the GOAWAY breaks the rule`() async throws {
        #expect(try await Self.violations(after: .milliseconds(1100)) == ["ignored-goaway"])
    }
}
