import Logging
import NIOConcurrencyHelpers
import PushQueue
import TestSupport
import Testing

@testable import pushserve

@Suite struct TerminalTests {
    @Test func `a time has milliseconds and is in UTC`() {
        #expect(TimeText.rfc3339(QueueTime(milliseconds: 1_795_262_400_007)) == "2026-11-21T12:00:00.007Z")
        #expect(TimeText.rfc3339(QueueTime(milliseconds: 0)) == "1970-01-01T00:00:00.000Z")
    }

    @Test(arguments: [
        (1, "1 second"), (119, "119 seconds"), (120, "2 minutes"), (7200, "2 hours"), (172_800, "2 days"),
    ])
    func `a span has its largest unit`(seconds: Int, text: String) {
        #expect(TimeText.span(.seconds(seconds)) == text)
    }

    @Test func `a table has columns as wide as their longest value, and numbers to the right`() {
        var table = TextTable(["app", "jobs"], numbers: [1])
        table.add(["shop", "7"])
        table.add(["a", "12345"])
        #expect(table.lines == ["app    jobs", "shop      7", "a     12345"])
    }

    @Test func `a table shows no characters that control a terminal`() {
        var table = TextTable(["app"])
        table.add(["a\u{1B}[2J"])
        #expect(table.lines == ["app", "a\u{FFFD}[2J"])
    }

    @Test func `the version is that of pushsend`() {
        let text = Repository.text("Sources/pushsend/Terminal/PushsendVersion.swift")
        #expect(text.contains("number = \"\(PushserveVersion.number)\""))
    }

    // MARK: The log

    private func logged(_ format: ServiceLog.Format, _ level: Logger.Level = .info) -> [String] {
        let lines = NIOLockedValueBox<[String]>([])
        let logger = Logger(label: "delivery") { label in
            ServiceLog(label: label, format: format, level: level) { line in lines.withLockedValue { $0.append(line) } }
        }
        logger.debug("not shown")
        logger.notice("The app\nsends.", metadata: ["reason": "a\u{1B}b", "app": "shop"])
        return lines.withLockedValue { $0 }
    }

    @Test func `a line of the log is one line, with its metadata in order`() throws {
        let lines = logged(.text)
        #expect(lines.count == 1)
        #expect(lines.first?.dropFirst(24) == " notice delivery: The app\u{FFFD}sends. app=shop reason=a\u{FFFD}b")
    }

    @Test func `a line of the JSON log is an object`() throws {
        let line = try #require(logged(.json).first)
        #expect(line.hasPrefix(#"{"app":"shop","level":"notice","logger":"delivery","message":"The app"#))
        #expect(!line.contains("\n"))
    }
}
