import PushDelivery
import PushJSON
import PushQueue
import TestSupport
import Testing

@testable import PushHTTP
@testable import PushService

/// The limits that docs/service-operations.md states, compared with those of the program.
struct LimitPageTests {
    private static let limits = ServiceLimits()
    private static let (eventStreams, waits) = (Kind.eventStream.maximum, Kind.wait.maximum)
    private typealias Kind = AnswersInProgress.Kind

    private static let (streams, asking) = (limits.memory / LineStream.held, Recipients.maximumWaiting)

    /// The value of each row: for all, and for one key or address. Other tests hold those without a number of the program.
    private static let rows: [(name: String, value: String, share: String)] = [
        ("memory for clients", "\(limits.memory >> 20) MiB", "\(limits.memory >> 21) MiB for a key"),
        ("memory that isn't counted: per connection", "12 KiB", ""),
        ("unread answers of a connection", "1", ""),
        ("streams of lines and uploads", grouped(streams), half(streams)),
        ("entries of lists", "\(grouped(limits.memory / APIRequest.entryBytes / 1000 * 1000));", ""),
        ("connections (`connections`", grouped(limits.connections), "\(half(limits.connections)) for a key"),
        ("unfinished pushes (`queue_depth`", grouped(limits.queueDepth), ""),
        ("event streams", grouped(eventStreams), half(eventStreams)),
        ("requests that wait for an outcome", grouped(waits), half(waits)),
        ("tests of webhooks", grouped(Kind.webhookTest.maximum), half(Kind.webhookTest.maximum)),
        ("requests that wait for an app's", grouped(asking), "\(half(asking)) for a key"),
        (
            "counts of an app's audiences", grouped(Recipients.maximumCounts),
            "\(half(Recipients.maximumCounts)) for a key"
        ),
        ("entries of the audit", grouped(QueueOptions().maximumAuditEntries), ""),
        ("logins to the page", grouped(Sessions.maximum), half(Sessions.maximum)),
        ("new logins per second", "", "\(Int(limits.loginsPerSecond))"),
        ("bodies and groups of lines", "one for each core", "half"),
        ("header fields", "\(RequestCutting.maximumLines - 1)", ""),
        ("JSON values in a body", grouped(ServiceLimits.jsonValues), ""),
        ("levels of JSON in a body", "\(JSONReader.deepest)", ""),
        ("pushes in an array", grouped(SendRoutes.maximumEntries), ""),
        ("pushes to devices of users", grouped(EntryExpansion.maximum), ""),
        ("body of a request", "\(limits.bodyBytes >> 20) MiB", ""),
        ("line of a stream", "\(limits.lineBytes >> 10) KiB", ""),
        ("time of `?wait=`", "\(seconds(limits.longestWait)) s", ""),
        ("time until an answer", "\(seconds(limits.answerTime)) s; `/readyz` \(seconds(limits.readyTime)) s", ""),
        ("time until the head of a request", "\(seconds(limits.headTime)) s", ""),
        ("time for 1 KiB of a body", "\(seconds(limits.bodyTime)) s", ""),
        ("time in which a client reads nothing", "\(seconds(limits.readingTime)) s", ""),
    ]

    @Test func `each limit on the page is that of the program`() throws {
        let table = Repository.text("docs/service-operations.md").split(separator: "\n")
            .drop { !$0.hasPrefix("| limit | all | one key or address") }.dropFirst(2).prefix { $0.hasPrefix("|") }
        #expect(table.count == Self.rows.count)
        for (row, expected) in zip(table, Self.rows) {
            let cells = row.dropFirst().split(separator: "|").map { $0.drop { $0 == " " } }
            #expect(cells[0].hasPrefix(expected.name), "\(row)")
            #expect(cells[1].hasPrefix(expected.value) && cells[2].hasPrefix(expected.share), "\(row)")
        }
    }

    @Test func `no more clients are connected than the process may open files for`() {
        #expect(Self.limits.connections(ofFiles: nil, others: 200) == 10_000)
        #expect(Self.limits.connections(ofFiles: 65_536, others: 200) == 10_000)
        #expect(Self.limits.connections(ofFiles: 1024, others: 200) == 824)
        #expect(Self.limits.connections(ofFiles: 64, others: 200) <= 0)
    }

    private static func seconds(_ duration: Duration) -> Int { Int(duration.components.seconds) }

    private static func half(_ number: Int) -> String { grouped(number / 2) }

    private static func grouped(_ number: Int) -> String {
        var text = String(number)
        for index in stride(from: text.count - 3, to: 0, by: -3) {
            text.insert(",", at: text.index(text.startIndex, offsetBy: index))
        }
        return text
    }
}
