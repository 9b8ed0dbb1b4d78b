import Logging
import MockAPNs
import TestSupport
import Testing

@testable import PushProvider
@testable import PushWire

/// Frames in a log.
@Suite(.timeLimit(.minutes(10))) struct FrameDescriptionTests {
    private func frame(
        _ type: UInt8 = 1, flags: UInt8 = 0, stream: Int32 = 1, _ content: TracedFrame.Content = .opaque,
        _ direction: TracedFrame.Direction = .sent
    ) -> TracedFrame {
        TracedFrame(direction: direction, type: type, flags: flags, streamID: stream, length: 17, content: content)
    }

    private func fields(_ name: String, _ value: String) -> String {
        guard
            case .array(let lines)? = FrameDescription.metadata(frame(1, .fields([.init(name: name, value: value)])))[
                "fields"]
        else { return "" }
        return lines.map { "\($0)" }.joined()
    }

    @Test(arguments: [
        (UInt8(0), "DATA"), (1, "HEADERS"), (3, "RST_STREAM"), (4, "SETTINGS"), (7, "GOAWAY"), (9, "CONTINUATION"),
        (16, "type 16"), (255, "type 255"),
    ])
    func `a frame is named as the RFC does`(type: UInt8, name: String) {
        #expect(FrameDescription.message(frame(type)) == "sent \(name)")
        #expect(FrameDescription.message(frame(type, .opaque, .received)) == "received \(name)")
        #expect(FrameDescription.message(frame(0, .preface)) == "sent PREFACE")
    }

    @Test(arguments: [
        (UInt8(1), UInt8(5), "END_STREAM END_HEADERS"), (0, 1, "END_STREAM"), (4, 1, "ACK"), (6, 1, "ACK"),
        (0, 0x41, "END_STREAM 0x40"), (3, 1, "0x1"),
    ])
    func `flags are named`(type: UInt8, flags: UInt8, words: String) {
        #expect(FrameDescription.metadata(frame(type, flags: flags))["flags"] == .string(words))
    }

    @Test func `device tokens and provider tokens are shortened wherever they stand`() {
        let token = DeviceToken.sampleHex
        #expect(fields(":path", "/3/device/\(token)") == ":path: /3/device/740f4707…78ad")
        #expect(fields(":path", "/3/device/\(token)/") == ":path: /3/device/740f4707…78ad/")
        let secret = "eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ.eyJpc3MiOiJERUYxMjNHSElKIn0"
        #expect(
            fields("authorization", "bearer \(secret)") == "authorization: bearer eyJhbG… (\(secret.count) characters)")
        #expect(fields("Authorization", "hunter2") == "Authorization: … (7 characters)")
        #expect(fields("authorization", "Basic dXNlcjpwYXNz") == "authorization: … (18 characters)")
        #expect(fields("cookie", "session=1") == "cookie: … (9 characters)")
    }

    @Test func `what a peer says cannot forge a line`() {
        #expect(!fields("x\n", "y\u{1B}[2J\r\n").contains { $0.isNewline || $0 == "\u{1B}" })
        let goAway = HTTP2GoAway(lastStreamID: 5, errorCode: 11, debugData: Array("a\nb".utf8))
        let metadata = FrameDescription.metadata(frame(7, .goAway(goAway)))
        #expect(metadata["last_stream"] == "5")
        #expect(metadata["code"] == "ENHANCE_YOUR_CALM")
        #expect(metadata["text"] == "a\u{FFFD}b")
    }

    @Test func `settings and windows are reported with their values`() {
        let settings = FrameDescription.metadata(
            frame(4, .settings([.init(id: 3, value: 1000), .init(id: 77, value: 1)])))["settings"]
        #expect(settings == .array(["MAX_CONCURRENT_STREAMS: 1000", "setting 77: 1"]))
        #expect(FrameDescription.metadata(frame(8, .windowUpdate(65535)))["window"] == "+65535")
        #expect(FrameDescription.metadata(frame(3, .reset(8)))["code"] == "CANCEL")
    }

    // MARK: Of a client

    @Test func `a log at the level trace has each frame both ways, and no secret`() async throws {
        let server = try await ScriptedServer.start(
            .answering(410, body: #"{"reason":"Unregistered","timestamp":1700000000000}"#))
        let log = CapturedLog()
        let client = try PushClient.sample(to: server, logger: log.logger)
        _ = try await client.outcome(of: .sample())
        await client.shutdown()
        let lines = log.lines.filter { $0.hasPrefix("trace ") }
        for words in [
            "sent PREFACE", "sent SETTINGS", "received SETTINGS", "sent HEADERS", "sent DATA", "received HEADERS",
            "received DATA", "sent GOAWAY",
        ] {
            #expect(lines.contains { $0.hasPrefix("trace \(words) ") }, "\(words): \(lines)")
        }
        let request = try #require(lines.first { $0.hasPrefix("trace sent HEADERS ") })
        for words in [":path: /3/device/740f4707…78ad", "apns-topic: com.example.app", "authorization: bearer eyJ"] {
            #expect(request.contains(words), "\(request)")
        }
        #expect(lines.contains { $0.hasPrefix("trace received HEADERS ") && $0.contains(":status: 410") })
        #expect(
            !lines.contains { $0.contains(DeviceToken.sampleHex) || $0.contains("Unregistered") || $0.contains("aps") })
    }

    @Test func `a log at any other level has none`() async throws {
        let server = try await ScriptedServer.start(.answering(200))
        let log = CapturedLog()
        var logger = log.logger
        logger.logLevel = .debug
        let client = try PushClient.sample(to: server, logger: logger)
        _ = try await client.outcome(of: .sample())
        #expect(!log.lines.contains { $0.hasPrefix("trace ") })
    }
}
