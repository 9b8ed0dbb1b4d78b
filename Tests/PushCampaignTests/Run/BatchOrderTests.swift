import Foundation
import MockAPNs
import TestSupport
import Testing

@testable import PushCampaign
@testable import PushJSON
@testable import PushProvider

/// Lines of a campaign that replace each other on their device.
@Suite(.timeLimit(.minutes(10))) struct BatchOrderTests {
    private static func entry(_ text: String, _ collapseID: String? = "score") throws -> BatchEntry {
        var notification = try PushNotification.sample { $0.collapseID = collapseID }
        notification.payload = .alert(body: text)
        return BatchEntry(notification)
    }

    /// The texts of the accepted pushes, in order.
    private static func accepted(_ mock: MockServer) -> [String] {
        mock.arrivals.filter(\.verdict.isAccepted).map(\.payload)
    }

    /// Runs a campaign in a folder, and returns the reason of each line by its number.
    private static func run(
        _ entries: [BatchEntry], _ client: PushClient, _ folder: String, _ options: BatchOptions = BatchOptions()
    ) async throws -> (reasons: [Int: String], summary: BatchSummary) {
        let folder = try BatchFolder(folder, facts: [])
        let reasons = Watched<[Int: String]>([:])
        let batch = PushBatch(AsyncStream(all: entries), through: client, folder: folder, options: options)
        let summary = try await batch.run { results, _ in
            for result in results { reasons.change { $0[result.line] = result.reason ?? "accepted" } }
        }
        return (reasons.value, summary)
    }

    @Test(arguments: [nil, "1"])
    func `an older line is not sent again after a newer one, and its result says so`(retryAfter: String?) async throws {
        var fields = ["retry-after": "1"]
        if retryAfter == nil { fields = [:] }
        try await MockServer.with(
            [MockFault(steps: [.answer(status: 503, headers: fields)], times: 1)]
        ) { mock in
            let index = try TemporaryFolder()
            let client = try PushClient.sample(to: mock) { $0.retry = .standard }
            let entries = try [Self.entry("1:0"), Self.entry("2:0"), Self.entry("news", nil)]
            let (reasons, summary) = try await Self.run(entries, client, index.path("out"))
            #expect(reasons == [1: "superseded", 2: "accepted", 3: "accepted"])
            #expect(summary.superseded == 1 && summary.notSent == 0 && summary.again == 0)
            #expect(summary.isFinished && summary.concluded == 3 && summary.errors == 0)
            #expect(mock.arrivals.map(\.payload).filter { $0.contains("1:0") }.count == 1)
            let results = try index.read("out/results.jsonl").split(separator: UInt8(ascii: "\n"))
                .compactMap { PushJSONValue(json: Array($0)) }
            let superseded = results.filter { $0["reason"] == "superseded" }
            #expect(superseded.count == 1 && superseded.first?["outcome"] == "not_sent")
            #expect(superseded.first?["attempts"] == 1)
            #expect(try index.read("out/again.jsonl").isEmpty)
            // What the journal has of it, another run counts.
            let again = try BatchFolder(index.path("out"), facts: [])
            #expect(again.summary.totals["superseded"] == 1 && again.summary.totals["not_sent"] == 0)
        }
    }

    @Test func `lines of one key go one by one and in order, and other lines pass`() async throws {
        try await MockServer.with { mock in
            let index = try TemporaryFolder()
            let client = try PushClient.sample(to: mock)
            var entries: [BatchEntry] = []
            for number in 0..<40 { entries += [try Self.entry("score \(number)"), try Self.entry("news", nil)] }
            let (reasons, summary) = try await Self.run(entries, client, index.path("out"))
            #expect(reasons.count == 80 && summary.accepted == 80)
            let scores = Self.accepted(mock).filter { $0.contains("score") }
            #expect(scores.count == 40)
            for (number, text) in scores.enumerated() { #expect(text.contains("\"score \(number)\"")) }
        }
    }

    /// What an earlier run has left of two lines of a key and one of another.
    enum Left: CaseIterable {
        /// The first was not sent, the second was accepted.
        case newerAccepted
        /// The first was not sent, the second may have been.
        case newerInterrupted
        /// The first was not sent. The second was sent and not accepted, when the run had been stopped.
        case newerReturned
        /// Both may have been sent.
        case bothInterrupted
        /// Neither was sent.
        case neitherSent
    }

    private static func leave(_ left: Left, _ entries: [BatchEntry], _ path: String) throws {
        let folder = try BatchFolder(path, facts: [])
        let notifications = entries.enumerated().map { $0.element.notification(index: $0.offset) }
        var digest = QuickDigest()
        for notification in notifications { notification.row?.addIdentity(to: &digest) }
        try folder.mark(InputPosition(index: entries.count, line: entries.count + 1), digest: digest.value)
        switch left {
        case .newerAccepted:
            var pages = BatchPages(files: [])
            let row = try #require(notifications[1].row)
            let acceptance = PushOutcome.Acceptance(apnsID: "", uniqueID: nil, trace: .sample)
            pages.add(BatchResult(row, notifications[1], .accepted(acceptance)))
            try folder.commit(pages)
            try folder.release([0, 2])
        case .newerInterrupted: try folder.release([0, 2])
        case .newerReturned:
            var newer = notifications[1]
            let row = try #require(newer.row).with(key: try #require(newer.collapseKey(nil)))
            newer.row = row
            let gate = BatchGate(window: 10)
            gate.stop(BatchStop(.asked, "Enough."))
            var ledger = BatchLedger(
                folder: folder, files: [], options: BatchOptions(), gate: gate, retry: .standard, breaker: nil)
            _ = ledger.add([BatchResult(row, newer, .rejected(.sample(503)))], isStopping: false)
            try folder.release([0, 2])
        case .bothInterrupted: try folder.release([2])
        case .neitherSent: try folder.release([0, 1, 2])
        }
        folder.leave()
    }

    @Test(arguments: Left.allCases, [false, true])
    func `after a kill, a line that a later one has replaced is not sent`(
        left: Left, sendsAgain: Bool
    ) async throws {
        try await MockServer.with { mock in
            let index = try TemporaryFolder()
            let client = try PushClient.sample(to: mock) {
                if sendsAgain { ($0.retry.guarantee, $0.retry.attempts) = (.atLeastOnce, 2) }
            }
            let entries = try [Self.entry("1:0"), Self.entry("2:0"), Self.entry("other", "other")]
            try Self.leave(left, entries, index.path("out"))
            var options = BatchOptions()
            options.isAtLeastOnce = sendsAgain
            let (reasons, summary) = try await Self.run(entries, client, index.path("out"), options)
            let second = sendsAgain ? "accepted" : "interrupted"
            let expected: [Int: String] =
                switch left {
                case .newerAccepted: [1: "superseded", 3: "accepted"]
                case .newerInterrupted: [1: "superseded", 2: second, 3: "accepted"]
                case .newerReturned: [1: "superseded", 2: "accepted", 3: "accepted"]
                case .bothInterrupted: [1: "interrupted", 2: second, 3: "accepted"]
                case .neitherSent: [1: "accepted", 2: "accepted", 3: "accepted"]
                }
            #expect(reasons == expected)
            #expect(summary.isFinished)
            let scores = Self.accepted(mock).filter { $0.contains(":0") }.map { $0.contains("1:0") ? 1 : 2 }
            #expect(scores == expected.filter { $0.key < 3 && $0.value == "accepted" }.keys.sorted())
        }
    }

    // MARK: The gate

    private static func line(_ index: Int) throws -> PushNotification {
        var line = try PushNotification.sample { $0.collapseID = "score" }
        line.row = BatchRow(index: index, line: index + 1, file: 0, text: [])
        return line
    }

    @Test func `lines that wait for their key count as not sent after a stop`() throws {
        let gate = BatchGate(window: 10)
        let key = try PushNotification.sample { $0.collapseID = "score" }.collapseKey(nil)
        let lines = try (0..<4).map { try Self.line($0) }
        gate.marked(4, bytes: 0, releasable: [0, 1, 2, 3])
        #expect(gate.give(0, key: key) == .granted)
        #expect(gate.give(1, key: key) { lines[1] } == .kept)
        #expect(gate.give(2) == .granted)
        gate.stop(BatchStop(.asked, "Enough."))
        #expect(gate.leftovers().sorted() == [1, 3])
        #expect(gate.returnedLines().isEmpty)
    }

    @Test func `a line that is about to be sent again is superseded by a later one that was accepted meanwhile`()
        async throws
    {
        let gate = BatchGate(window: 10)
        let key = try #require(try PushNotification.sample { $0.collapseID = "score" }.collapseKey(nil))
        let lines = try (0..<2).map { try Self.line($0) }
        gate.marked(2, bytes: 0, releasable: [0, 1])
        #expect(gate.give(0, key: key) == .granted)
        let rests = BatchGate.KeyedLine(index: 0, key: key, wasStarted: true)
        #expect(gate.putBack(lines[0], after: BatchGate.Pause(time: .zero), keyed: rests))
        #expect(gate.give(1, key: key) == .granted)
        guard case .sendAgain = await gate.next(4, isAtEnd: true) else {
            Issue.record("Nothing is sent.")
            return
        }
        gate.concluded(1, bytes: 0, keyed: [BatchGate.KeyedLine(index: 1, key: key, wasStarted: true)])
        #expect(gate.give(0, key: key) == .superseded)
    }

    @Test func `a line that is not taken back after a stop supersedes an older one`() throws {
        let gate = BatchGate(window: 10)
        let key = try #require(try PushNotification.sample { $0.collapseID = "score" }.collapseKey(nil))
        let lines = try (0..<2).map { try Self.line($0) }
        gate.marked(2, bytes: 0, releasable: [0, 1])
        for index in 0..<2 {
            #expect(gate.give(index, key: key) == .granted)
            if index == 1 { gate.stop(BatchStop(.asked, "Enough.")) }
            let line = BatchGate.KeyedLine(index: index, key: key, wasStarted: true)
            #expect(gate.putBack(lines[index], after: BatchGate.Pause(time: .seconds(60)), keyed: line) == (index == 0))
        }
        #expect(gate.returnedLines().map(\.row?.skipReason) == [.superseded])
    }

    @Test func `a line that the client could not start supersedes nothing`() async throws {
        let gate = BatchGate(window: 10)
        let key = try #require(try PushNotification.sample { $0.collapseID = "score" }.collapseKey(nil))
        let lines = try (0..<2).map { try Self.line($0) }
        func keyed(_ index: Int, _ wasStarted: Bool) -> BatchGate.KeyedLine {
            BatchGate.KeyedLine(index: index, key: key, wasStarted: wasStarted)
        }
        gate.marked(2, bytes: 0, releasable: [0, 1])
        #expect(gate.give(0, key: key) == .granted)
        #expect(gate.give(1, key: key) { lines[1] } == .kept)
        #expect(gate.putBack(lines[0], after: BatchGate.Pause(time: .zero), keyed: keyed(0, true)))
        // The second line has its turn, and does not reach a connection.
        guard case .sendAgain = await gate.next(4, isAtEnd: true) else {
            Issue.record("Nothing is sent.")
            return
        }
        #expect(gate.give(1, key: key) == .granted)
        #expect(gate.putBack(lines[1], after: BatchGate.Pause(time: .seconds(900)), keyed: keyed(1, false)))
        #expect(gate.give(0, key: key) == .granted)
        gate.concluded(1, bytes: 0, keyed: [keyed(0, true)])
        #expect(gate.give(1, key: key) == .granted)
    }

    // MARK: The check

    @Test func `a check counts the lines that replace each other`() throws {
        let ids = ["a", "b", "a", nil, "c", nil, "a", "b"]
        for comparesLines in [true, false] {
            var check = BatchCheck(lints: false, comparesLines: comparesLines, with: nil, secondsSince1970: 0)
            for (index, id) in ids.enumerated() { check.add(try Self.entry("Hello", id).notification(index: index)) }
            #expect(check.lines == 8)
            #expect((check.replacing, check.duplicates) == (comparesLines ? (5, 7) : (0, 0)))
        }
    }
}
