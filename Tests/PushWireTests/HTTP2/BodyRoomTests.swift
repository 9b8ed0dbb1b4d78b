import TestSupport
import Testing

@testable import PushWire

/// How much of further bodies goes out at once.
@Suite struct BodyRoomTests {
    private let body = [UInt8](repeating: 0x61, count: 4000)

    @Test func `what is handed in takes room, framed or not`() throws {
        let client = try Endpoint.connectedClient()
        #expect(client.session.bodyRoom == 65_535)
        for tag in 0..<3 { _ = try client.open(body: body, tag: tag) }
        #expect(client.session.bodyRoom == 65_535 - 12_000)
        _ = try client.send()
        #expect(client.session.bodyRoom == 65_535 - 12_000)
    }

    @Test func `beyond the window there is none, and an update gives it back`() throws {
        let client = try Endpoint.connectedClient()
        for tag in 0..<20 { _ = try client.open(body: body, tag: tag) }
        #expect(client.session.bodyRoom == 65_535 - 80_000)
        _ = try client.send()
        #expect(client.session.bodyRoom == 65_535 - 80_000)
        try client.receive(.windowUpdate(0, by: 32_768))
        _ = try client.send()
        #expect(client.session.bodyRoom == 65_535 + 32_768 - 80_000)
    }

    @Test func `what ends unframed gives its room back`() throws {
        let client = try Endpoint.connectedClient()
        for tag in 0..<20 { _ = try client.open(body: body, tag: tag) }
        _ = try client.send()
        // The last four have nothing out yet, but for what was left of the window.
        for tag in 17..<20 { client.session.reset(Int32(tag) * 2 + 1) }
        _ = try client.send()
        #expect(client.session.bodyRoom == 65_535 - 17 * 4000)
        client.endAllStreams()
    }

    @Test func `a request without a body takes none`() throws {
        let client = try Endpoint.connectedClient()
        _ = try client.open()
        #expect(client.session.bodyRoom == 65_535)
    }
}
