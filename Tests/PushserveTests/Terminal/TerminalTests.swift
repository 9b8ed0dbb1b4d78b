import Logging
import NIOConcurrencyHelpers
import PushCommandLine
import PushQueue
import TestSupport
import Testing

@testable import pushserve

@Suite struct TerminalTests {
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

    @Test func `the version has the commit if the build knew it`() {
        #expect(ProgramVersion.withCommit("") == ProgramVersion.number)
        #expect(ProgramVersion.withCommit("1a2b3c4d5e+") == "\(ProgramVersion.number) (1a2b3c4d5e+)")
    }

    @Test func `the changelog has a section for the version`() {
        #expect(Repository.text("CHANGELOG.md").contains("\n## \(ProgramVersion.number)\n"))
    }

    @Test func `each exit code is explained in the help as in the documentation`() {
        let page = Repository.text("docs/service.md")
        for (status, meaning) in ExitCodes.all {
            #expect(page.contains("\n| \(status.code) | \(meaning) |\n"), "\(status.code)")
        }
        let table = page.split(separator: "| code | meaning |\n").last?.split(separator: "\n\n").first
        #expect(table?.split(separator: "\n").count == ExitCodes.all.count + 1)
    }

    // MARK: The log

    private func logged(_ format: ServiceLog.Format, _ level: Logger.Level = .info) -> [String] {
        let lines = NIOLockedValueBox<[String]>([])
        let logger = Logger(label: "delivery") { label in
            ServiceLog(label: label, format: format, level: level) { line in lines.withLockedValue { $0.append(line) } }
        }
        logger.debug("not shown")
        logger.notice("The app\nsends.", metadata: ["reason": "a\u{1B}b", "app": "shop", "name": "x app=other"])
        return lines.withLockedValue { $0 }
    }

    @Test func `a line of the log is one line, with its metadata in order`() throws {
        let lines = logged(.text)
        #expect(lines.count == 1)
        #expect(
            lines.first?.dropFirst(24)
                == " notice delivery: The app\u{FFFD}sends. app=shop name=\"x app=other\" reason=a\u{FFFD}b")
    }

    @Test func `a line of the JSON log is an object`() throws {
        let line = try #require(logged(.json).first)
        #expect(line.hasPrefix(#"{"app":"shop","level":"notice","logger":"delivery","message":"The app"#))
        #expect(!line.contains("\n"))
    }

    @Test func `a log that nobody reads holds up nobody, and the lines that are lost are counted`() {
        let (written, gate) = (NIOLockedValueBox(""), ConditionLock(value: false))
        let lines = LogLines { bytes in
            gate.lock(whenValue: true)
            gate.unlock()
            written.withLockedValue { $0 += String(decoding: bytes, as: UTF8.self) }
        }
        let line = String(repeating: "x", count: 1023)
        // The first one is being written, the others wait.
        for _ in 0..<3000 { lines.write(line) }
        #expect(!lines.finish(within: .milliseconds(10)))
        gate.lock()
        gate.unlock(withValue: true)
        #expect(lines.finish(within: .seconds(60)))
        let text = written.withLockedValue { $0 }
        let kept = text.split(separator: "\n").count { $0 == line }
        let dropped = text.split(separator: "\n").compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }
        #expect(kept > 1000 && kept + dropped.reduce(0, +) == 3000, "\(kept) \(dropped)")
        lines.write("later")
        #expect(lines.finish(within: .seconds(60)))
        #expect(written.withLockedValue { $0 }.hasSuffix("\nlater\n"))
    }

    @Test func `jobs of an app that is not configured are found`() {
        var (some, none) = (QueueCounts(), QueueCounts())
        (some.waiting, some.started, none.accepted) = (1, 2, 9)
        let found = LeftOverJobs.find(["old": some, "shop": some, "gone": none], configured: ["shop"])
        #expect(found.map(\.app) == ["old"] && found.map(\.jobs) == [3])
        #expect(LeftOverJobs.fact("old", 1).hasPrefix("1 job waits for the app \"old\""))
    }
}
