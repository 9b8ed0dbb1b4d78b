import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import PushHTTP

/// The test is the reader of the body.
@Suite struct BodyGatheringTests {
    /// A request whose head has arrived.
    private struct Ground {
        let channel = EmbeddedChannel()
        let client: ConnectedClients.Client

        init() throws {
            let clients = ConnectedClients(maximum: 10)
            try channel.pipeline.syncOperations.addHandlers([ClientWatch(clients), BodyGathering(clients)])
            client = try #require(clients.client(on: channel))
            client.beginRequest()
            try channel.writeInbound(
                HTTPRequestPart.head(HTTPRequest(method: .post, scheme: "http", authority: "localhost", path: "/")))
            _ = try channel.readInbound(as: HTTPRequestPart.self)
        }

        func arrive(_ texts: String...) throws {
            for text in texts { try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: text))) }
        }

        func ask() {
            client.wantBody()
            channel.embeddedEventLoop.run()
        }

        /// What has reached the reader since the last time.
        func read() throws -> [String] {
            var read: [String] = []
            while let part = try channel.readInbound(as: HTTPRequestPart.self) {
                switch part {
                case .head: read.append("head")
                case .body(let buffer): read.append(String(buffer: buffer))
                case .end: read.append("end")
                }
            }
            return read
        }
    }

    @Test func `parts that come while the reader is busy are one part`() throws {
        let ground = try Ground()
        ground.client.gatherBody()
        ground.ask()
        try ground.arrive("a", "b", "c")
        #expect(try ground.read() == ["a"])
        ground.ask()
        #expect(try ground.read() == ["bc"])
        ground.ask()
        #expect(try ground.read() == [])
        try ground.arrive("d", "e")
        #expect(try ground.read() == ["d"])
        try ground.channel.writeInbound(HTTPRequestPart.end(nil))
        #expect(try ground.read() == [])
        ground.ask()
        #expect(try ground.read() == ["e", "end"])
    }

    @Test func `the end of a body with nothing before it comes at once`() throws {
        let ground = try Ground()
        ground.client.gatherBody()
        ground.ask()
        try ground.arrive("a")
        try ground.channel.writeInbound(HTTPRequestPart.end(nil))
        #expect(try ground.read() == ["a", "end"])
    }

    @Test func `other requests get each part as it comes`() throws {
        let ground = try Ground()
        try ground.arrive("a", "b")
        #expect(try ground.read() == ["a", "b"])
    }

    @Test func `what comes after the answer goes to the server, which asks for nothing`() throws {
        let ground = try Ground()
        ground.client.gatherBody()
        try ground.arrive("a")
        #expect(try ground.read() == [])
        try ground.channel.writeOutbound(HTTPResponsePart.end(nil))
        #expect(try ground.read() == ["a"])
        try ground.arrive("b", "c")
        try ground.channel.writeInbound(HTTPRequestPart.end(nil))
        #expect(try ground.read() == ["b", "c", "end"])
    }

    @Test func `the reader gets what came before the connection ended`() throws {
        let ground = try Ground()
        ground.client.gatherBody()
        try ground.arrive("a", "b")
        ground.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(try ground.read() == ["ab"])
        try ground.arrive("c")
        ground.channel.pipeline.fireErrorCaught(HTTPParserError())
        #expect(try ground.read() == ["c"])
        #expect(throws: HTTPParserError.self) { try ground.channel.throwIfErrorCaught() }
        try ground.arrive("d")
        ground.channel.pipeline.fireChannelInactive()
        #expect(try ground.read() == ["d"])
    }

    private struct HTTPParserError: Error {}

    @Test func `while a part waits for its reader, the socket is not read`() throws {
        let ground = try Ground()
        let reads = ReadCount()
        try ground.channel.pipeline.syncOperations.addHandler(reads, position: .first)
        ground.client.gatherBody()
        ground.channel.read()
        #expect(reads.count == 1)
        try ground.arrive("xy")
        ground.channel.read()
        #expect(reads.count == 1)
        ground.ask()
        #expect(reads.count == 2)
        #expect(try ground.read() == ["xy"])
    }

    private final class ReadCount: ChannelOutboundHandler {
        typealias OutboundIn = Never
        private(set) var count = 0

        func read(context: ChannelHandlerContext) {
            count += 1
            context.read()
        }
    }
}
