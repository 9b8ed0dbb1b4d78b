import Logging
import Testing

@testable import pushsend

@Suite struct FrameLogTests {
    @Test func `a frame is a line, and its contents are below`() {
        let facts: Logger.Metadata = [
            "connection": "1", "stream": "3", "length": "187", "flags": "END_HEADERS",
            "fields": [":method: POST", "apns-topic: com.example.app"],
        ]
        #expect(
            FrameLog.lines("sent HEADERS", facts, after: .milliseconds(12)) == [
                "[   0.012] 1 > HEADERS stream 3, 187 bytes, END_HEADERS", "             :method: POST",
                "             apns-topic: com.example.app",
            ])
    }

    @Test func `a GOAWAY has its code, the last stream and its text`() {
        let facts: Logger.Metadata = [
            "stream": "0", "length": "30", "code": "NO_ERROR", "last_stream": "7", "text": "bye",
        ]
        #expect(
            FrameLog.lines("received GOAWAY", facts, after: .milliseconds(123_456)) == [
                "[ 123.456] < GOAWAY stream 0, 30 bytes, NO_ERROR, last stream 7, bye"
            ])
    }

    // Not checked by the compiler: a log handler must be Sendable, and only one thread of one test touches this one.
    private final class Lines: @unchecked Sendable {
        var levels: [Logger.Level] = []
    }

    private struct Recorder: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.critical

        subscript(metadataKey key: String) -> Logger.MetadataValue? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.levels.append(event.level) }
    }

    @Test(arguments: [(Logger.Level.debug, 3), (.critical, 1)])
    func `what is no frame goes where it went before, from its own level on`(level: Logger.Level, count: Int) {
        let lines = Lines()
        let logger = Logger(label: "test") { _ in FrameLog(others: Recorder(lines: lines, logLevel: level)) }
        #expect(logger.logLevel == .trace)
        logger.debug("a")
        logger.info("b")
        logger.critical("c")
        #expect(lines.levels.count == count)
    }
}
