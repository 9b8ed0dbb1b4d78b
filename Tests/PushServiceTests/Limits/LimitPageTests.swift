import PushHTTP
import PushQueue
import TestSupport
import Testing

@testable import PushService

/// The limits that docs/service-operations.md states, compared with those of the program.
struct LimitPageTests {
    private static let limits = ServiceLimits()

    @Test(arguments: [
        ("memory for clients", "\(limits.memory >> 20) MiB"),
        ("connections (`connections`", grouped(limits.connections)),
        ("unfinished pushes (`queue_depth`", grouped(limits.queueDepth)),
        ("entries of the audit", grouped(QueueOptions().mostAuditEntries)),
        ("new logins per second", "\(Int(limits.loginsPerSecond))"),
        ("pushes to devices of users", grouped(EntryExpansion.most)),
        ("JSON values in a body", grouped(ServiceLimits.jsonValues)),
        ("body of a request", "\(limits.bodyBytes >> 20) MiB"),
        ("line of a stream", "\(limits.lineBytes >> 10) KiB"),
        ("time of `?wait=`", "\(seconds(limits.longestWait)) s"),
        ("time until an answer", "\(seconds(limits.answerTime)) s; `/readyz` \(seconds(limits.readyTime)) s"),
        ("time until the head of a request", "\(seconds(limits.headTime)) s"),
        ("time for 1 KiB of a body", "\(seconds(limits.bodyTime)) s"),
        ("time in which a client reads nothing", "\(seconds(limits.readingTime)) s"),
    ])
    func `a limit on the page is that of the program`(name: String, value: String) throws {
        let page = Repository.text("docs/service-operations.md")
        let row = try #require(page.split(separator: "\n").first { $0.hasPrefix("| \(name)") }, "\(name)")
        let cells = row.split(separator: "|").map { $0.drop { $0 == " " } }
        #expect(cells.dropFirst().prefix(2).contains { $0.hasPrefix(value) }, "\(row)")
    }

    @Test func `no more clients are connected than the process may open files for`() {
        #expect(Self.limits.connections(ofFiles: nil, others: 200) == 10_000)
        #expect(Self.limits.connections(ofFiles: 65_536, others: 200) == 10_000)
        #expect(Self.limits.connections(ofFiles: 1024, others: 200) == 824)
        #expect(Self.limits.connections(ofFiles: 64, others: 200) <= 0)
    }

    private static func seconds(_ duration: Duration) -> Int { Int(duration.components.seconds) }

    private static func grouped(_ number: Int) -> String {
        var text = String(number)
        for index in stride(from: text.count - 3, to: 0, by: -3) {
            text.insert(",", at: text.index(text.startIndex, offsetBy: index))
        }
        return text
    }
}
