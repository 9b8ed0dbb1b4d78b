import Foundation
import MockAPNs
import PushPlatform
import TestSupport
import Testing

@testable import PushProvider

/// What can happen to an APNs client, over real sockets: each fault in turn, and what must hold in all of them.
@Suite(.timeLimit(.minutes(10))) struct FaultRowTests {
    private static let turns = Turns(8)

    @Test(arguments: FaultRun.all) func `each notification ends once, and as the server says`(run: FaultRun)
        async throws
    {
        _ = try await Self.turns.take { try await FaultTrial.perform(run) }
    }

    @Test func `no row is forgotten`() {
        let numbers = FaultRow.all.map(\.number)
        #expect(Set(numbers).count == numbers.count)
        let first = Set(numbers.compactMap { Int($0) })
        // It takes a process of its own: see below.
        #expect(first == Set(1...87).subtracting([84]))
        #expect(Set(numbers).isSuperset(of: ["p1", "p2", "p3", "p4"]))
    }
}

/// Row 84: a process that is out of file descriptors sends again when it has some.
@Suite struct DescriptorRowTests {
    @Test(.timeLimit(.minutes(10))) func `84 out of file descriptors`() async {
        await #expect(processExitsWith: .success) { try await DescriptorRow.perform() }
    }
}

enum DescriptorRow {
    struct Unexpected: Error {
        var words: String
    }

    /// In a process of its own, whose other threads would otherwise be without descriptors too.
    static func perform() async throws {
        let mock = try await MockServer.start(credentials: .ofThisProcess, logger: .silent)
        let log = CapturedLog()
        let client = try PushClient.sample(to: mock, logger: log.logger) { $0.retry = .quick }
        let usual = try limit(to: nil)
        let sendings = try await client.start(6, timeout: .seconds(60))
        try await log.wait(for: "three times without a descriptor") { lines in
            lines.count { $0.contains("no file descriptor left") } >= 3
        }
        // It has waited between them, and has not looked again and again.
        guard log.lines.count(where: { $0.contains("no file descriptor left") }) < 50 else {
            throw Unexpected(words: "it does not wait")
        }
        _ = try limit(to: usual)
        for sending in sendings {
            let summary = try await sending.summary
            guard summary == "accepted" else { throw Unexpected(words: summary) }
        }
        guard mock.arrivals.count == 6, mock.connectionCount == 1 else { throw Unexpected(words: "sent twice") }
    }

    /// How many descriptors there may be; as many as are open without a number. Returns how many there could be before.
    private static func limit(to count: rlim_t?) throws -> rlim_t {
        var limit = rlimit()
        let resource = SystemLimit.openFiles.resource
        guard getrlimit(resource, &limit) == 0 else { throw Unexpected(words: "getrlimit") }
        let before = limit.rlim_cur
        let next = dup(0)
        close(next)
        limit.rlim_cur = count ?? rlim_t(next)
        guard setrlimit(resource, &limit) == 0 else { throw Unexpected(words: "setrlimit") }
        return before
    }
}

/// The whole table, with the outcome of each push, if `FAULT_TABLE` asks for it.
@Suite(.enabled(if: FaultTable.isWanted)) struct FaultTableTests {
    @Test(.timeLimit(.minutes(10))) func `the table`() async throws {
        let turns = Turns(8)
        let records = try await withThrowingTaskGroup(of: FaultRecord.self) { group in
            for run in FaultRun.all {
                group.addTask { try await turns.take { try await FaultTrial.perform(run) } }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        print(FaultTable.text(records))
    }
}

enum FaultTable {
    static let isWanted = ProcessInfo.processInfo.environment["FAULT_TABLE"] != nil

    static func text(_ records: [FaultRecord]) -> String {
        var lines: [String] = []
        for record in records.sorted(by: { $0.sortKey < $1.sortKey }) {
            let outcomes = record.outcomes.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            let (number, words) = (record.run.row.number, record.run.row.words)
            let isAgain = record.run.guarantee == .atLeastOnce
            let what = isAgain ? "  the same, at least once" : words
            lines.append(
                "| \(padded(isAgain ? "" : number, 4)) \(record.run.row.kind.letter)  \(padded(what, 63)) "
                    + "\(record.connections) \(record.connections == 1 ? "connection: " : "connections:") "
                    + outcomes.joined(separator: "; "))
        }
        let rows = Set(records.map(\.run.row.listNumber))
        lines.append(
            "| \(rows.count) rows of the list in \(Set(records.map(\.run.row.number)).count) forms and "
                + "\(records.count) runs; row 84 runs in a process of its own.")
        return lines.joined(separator: "\n")
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}

extension FaultRow {
    /// Its number in the list of faults, without the letter of its form: `17`, `p1`.
    fileprivate var listNumber: Substring {
        let start = number.prefix { !$0.isNumber }
        return number.prefix(start.count + number.dropFirst(start.count).prefix { $0.isNumber }.count)
    }
}

extension FaultRecord {
    /// By number, then by letter, at most once first; proxies stand behind row 16, as in the list.
    fileprivate var sortKey: String {
        let number = run.row.listNumber
        let letter = run.row.number.dropFirst(number.count)
        let zeros = String(repeating: "0", count: 3 - number.count)
        let shown = number.hasPrefix("p") ? "016\(number)" : "\(zeros)\(number)  "
        return "\(shown)\(letter.isEmpty ? " " : letter)\(run.guarantee == .atLeastOnce ? 1 : 0)"
    }
}

extension FaultRow.Kind {
    /// As the list of faults has it.
    fileprivate var letter: String {
        switch self {
        case .returned: "R "
        case .unknown: "U "
        case .connectionBreaks: "C "
        case .harmless: "OK"
        case .terminal: "T "
        case .clientStops: "P "
        }
    }
}
