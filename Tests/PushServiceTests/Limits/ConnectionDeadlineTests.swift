import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import PushService

/// The time is that of the test.
struct ConnectionDeadlineTests {
    private func channel() throws -> EmbeddedChannel {
        var limits = ServiceLimits()
        (limits.headTime, limits.bodyTime, limits.bodyPace) = (.seconds(60), .seconds(30), 1024)
        let channel = EmbeddedChannel(handler: ConnectionDeadlines(limits))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        channel.read()
        let head = HTTPRequest(method: .post, scheme: "http", authority: "localhost", path: "/")
        try channel.writeInbound(HTTPRequestPart.head(head))
        return channel
    }

    private func sendLine(_ channel: EmbeddedChannel) throws {
        try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "{}\n")))
        // The service waits for more.
        channel.read()
    }

    @Test func `a few bytes do not move the deadline of a body`() throws {
        let channel = try channel()
        for _ in 0..<2 {
            try sendLine(channel)
            channel.embeddedEventLoop.advanceTime(by: .seconds(14))
        }
        #expect(channel.isActive)
        try sendLine(channel)
        channel.embeddedEventLoop.advanceTime(by: .seconds(14))
        #expect(!channel.isActive)
    }

    @Test func `a slow stream whose lines are answered stays open`() throws {
        let channel = try channel()
        for _ in 0..<10 {
            try sendLine(channel)
            try channel.writeOutbound(HTTPResponsePart.body(ByteBuffer(string: "{}\n")))
            channel.embeddedEventLoop.advanceTime(by: .seconds(20))
        }
        #expect(channel.isActive)
        _ = try channel.finish()
    }
}
