import TestSupport
import Testing

@testable import PushWire

/// Reading along what both sides of a connection say.
@Suite struct FrameTraceTests {
    private func frames(
        _ bytes: [UInt8], _ direction: TracedFrame.Direction = .received, by trace: FrameTrace? = nil,
        pieces: Int = .max
    ) -> [TracedFrame] {
        let trace = trace ?? FrameTrace(role: .client)
        var frames: [TracedFrame] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            Array(rest.prefix(pieces)).withUnsafeBytes { trace.read($0, direction) }
            rest = rest.dropFirst(pieces)
            frames += trace.takeFrames()
        }
        return frames
    }

    /// What a real client says to a real server.
    private func conversation() throws -> (client: [UInt8], server: [UInt8]) {
        let pair = try SessionPair()
        var (client, server): ([UInt8], [UInt8]) = ([], [])
        func exchange() throws {
            while true {
                let fromClient = try pair.client.send()
                let fromServer = try pair.server.send()
                if fromClient.isEmpty, fromServer.isEmpty { return }
                client += fromClient
                server += fromServer
                try pair.server.receive(bytes: fromClient)
                try pair.client.receive(bytes: fromServer)
            }
        }
        try exchange()
        try pair.client.open(body: Array("{}".utf8))
        try exchange()
        try pair.answerAll(.response(200), body: Array("{}".utf8))
        pair.client.session.goAway(code: .noError, debugData: Array("bye".utf8))
        try exchange()
        return (client, server)
    }

    @Test(arguments: [1, 2, 7, 9, 64, Int.max])
    func `the frames of a conversation are found, however the bytes are cut`(pieces: Int) throws {
        let (client, server) = try conversation()
        let trace = FrameTrace(role: .client)
        let sent = frames(client, .sent, by: trace, pieces: pieces)
        let expected = try #require(Frame.read(client))
        #expect(sent.first?.content == .preface)
        #expect(sent.dropFirst().map(\.type) == expected.map(\.kind.rawValue))
        #expect(sent.dropFirst().map(\.length) == expected.map(\.payload.count))
        #expect(sent.dropFirst().map(\.flags) == expected.map(\.flags))
        #expect(sent.dropFirst().map(\.streamID) == expected.map(\.streamID))
        #expect(sent.allSatisfy { $0.direction == .sent })
        let fields = sent.compactMap { if case .fields(let fields) = $0.content { fields } else { nil } }
        #expect(fields.first?.first == TracedFrame.Field(name: ":method", value: "POST"))
        #expect(
            sent.contains { $0.content == .goAway(.init(lastStreamID: 0, errorCode: 0, debugData: Array("bye".utf8))) })
        let received = frames(server, .received, by: trace, pieces: pieces)
        let answer = received.compactMap { if case .fields(let fields) = $0.content { fields } else { nil } }
        #expect(answer.first?.first == TracedFrame.Field(name: ":status", value: "200"))
        #expect(received.filter { $0.type == 0 }.map(\.length) == [2])
    }

    @Test func `settings, resets and windows are reported with their values`() {
        let settings = Frame(kind: .settings, payload: [0, 3, 0, 0, 3, 0xE8, 0, 4, 0, 1, 0, 0])
        let reset = Frame(kind: .resetStream, streamID: 5, payload: [0, 0, 0, 7])
        let window = Frame(kind: .windowUpdate, payload: [0x80, 0, 1, 0])
        let traced = frames(settings.bytes + reset.bytes + window.bytes)
        #expect(
            traced.map(\.content) == [
                .settings([.init(id: 3, value: 1000), .init(id: 4, value: 65536)]), .reset(7), .windowUpdate(256),
            ])
    }

    /// `:status: 200` from the static table.
    private static let status: [UInt8] = [0x88]

    @Test func `fields are found behind padding and priority, and across frames`() {
        let padded = Frame(
            kind: .headers, flags: 0x2C, streamID: 1, payload: [2, 0, 0, 0, 0, 9] + Self.status + [0, 0])
        let begun = Frame(kind: .headers, flags: 0, streamID: 3, payload: Self.status)
        let ended = Frame(kind: .continuation, flags: 4, streamID: 3, payload: Self.status)
        let one = [TracedFrame.Field(name: ":status", value: "200")]
        let traced = frames(padded.bytes + begun.bytes + ended.bytes)
        #expect(traced.map(\.content) == [.fields(one), .opaque, .fields(one + one)])
    }

    @Test(arguments: [
        Frame(kind: .goAway, payload: [0, 0, 0]), Frame(kind: .resetStream, payload: [1]),
        Frame(kind: .windowUpdate), Frame(kind: .ping, payload: [1]), Frame(kind: .data, payload: [1, 2]),
        Frame(kind: .headers, flags: 4, payload: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
    ])
    func `a frame that cannot be read is reported by its length`(frame: Frame) {
        let traced = frames(frame.bytes)
        #expect(traced.map(\.content) == [.opaque])
        #expect(traced.map(\.length) == [frame.payload.count])
    }

    @Test func `after fields that are none, further ones are not guessed`() {
        let broken = Frame(kind: .headers, flags: 4, payload: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
        let good = Frame(kind: .headers, flags: 4, payload: Self.status)
        #expect(frames(broken.bytes + good.bytes).map(\.content) == [.opaque, .opaque])
    }

    @Test(arguments: [(8, true), (9, false)])
    func `a section goes on in as many frames as nghttp2 reads, and no more`(count: Int, isRead: Bool) {
        let begun = Frame(kind: .headers, flags: 0, streamID: 1, payload: Self.status)
        let further = (1...count).flatMap { number in
            Frame(kind: .continuation, flags: number == count ? 4 : 0, streamID: 1, payload: Self.status).bytes
        }
        let fields = [TracedFrame.Field](repeating: .init(name: ":status", value: "200"), count: count + 1)
        let expected: TracedFrame.Content = isRead ? .fields(fields) : .opaque
        #expect(frames(begun.bytes + further).last?.content == expected)
    }

    @Test func `few bytes that stand for many fields do not fill the memory`() {
        // A field of 4000 bytes for the table, then 20 000 times the same by one byte each.
        let value = [UInt8](repeating: 0x61, count: 4000)
        let field: [UInt8] = [0x40, 1, 0x78, 0x7F, 0xA1, 0x1E] + value
        let payload = field + [UInt8](repeating: 0xBE, count: 12_000)
        let traced = frames(Frame(kind: .headers, flags: 4, payload: payload).bytes)
        guard case .fields(let fields)? = traced.first?.content else {
            Issue.record("\(traced.count) frames")
            return
        }
        #expect(fields.count == 200)
    }

    @Test(arguments: 0..<40) func `any bytes are read to their end`(seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        let bytes = (0..<4000).map { index -> UInt8 in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            // Short frames, so that there are many.
            return index % 9 < 2 ? 0 : UInt8(truncatingIfNeeded: state >> 33)
        }
        let once = frames(bytes)
        #expect(frames(bytes, pieces: 3).map(\.length) == once.map(\.length))
    }
}
