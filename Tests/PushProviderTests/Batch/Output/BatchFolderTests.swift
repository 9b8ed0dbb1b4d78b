import Testing

@testable import PushProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The folder of a campaign, whenever the process ends.
struct BatchFolderTests {
    private static let facts = [CampaignFact("payload", "1", "the payload")]

    private static func result(_ place: Int, _ outcome: PushOutcome?) throws -> BatchResult {
        let text = Array("{\"token\":\"00\",\"ref\":\(place)}".utf8)
        let row = BatchRow(
            place: place, line: place + 1, file: 0, text: text, ref: 20..<text.count - 1, token: 10..<12,
            verdict: outcome == nil ? .interrupted : nil)
        let notification = try PushNotification.sample()
        let push = outcome ?? .accepted(Acceptance(apnsID: "", uniqueID: nil, trace: trace))
        return BatchResult(PushResult(index: place, notification: notification, outcome: .success(push)), row)
    }

    private static let trace = PushTrace(queued: .zero, inFlight: .milliseconds(3), attempts: 1, connection: 1)

    private static func outcome(_ place: Int) -> PushOutcome? {
        switch place % 5 {
        case 0: nil
        case 1: .accepted(Acceptance(apnsID: "a-\(place)", uniqueID: nil, trace: trace))
        case 2: .notSent(NotSent(cause: .deadline, phase: .queue, description: "Late.", trace: trace))
        case 3: .notSent(NotSent(cause: .shutdown, phase: .queue, description: "Shut.", trace: trace))
        default:
            .unknown(
                UnknownOutcome(cause: .connectionLost, phase: .wait, apnsID: "u", description: "Lost.", trace: trace))
        }
    }

    @Test func `what was rejected for a reason that may pass is ready to be fed in`() throws {
        var pages = BatchPages(files: ["lines"])
        for (place, rejection) in [
            Rejection.sample(429), .sample(400, .badDeviceToken), .sample(503),
        ].enumerated() {
            pages.add(try Self.result(place, .rejected(rejection)), id: nil)
        }
        let again = String(decoding: pages.again, as: UTF8.self).split(separator: "\n")
        #expect(again == ["{\"token\":\"00\",\"ref\":0}", "{\"token\":\"00\",\"ref\":2}"])
    }

    private static func contents(_ folder: String, _ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
    }

    private static let names = ["results.jsonl", "gone", "again.jsonl", "unknown.jsonl", "journal"]

    @Test func `killed at any byte of what it writes, journal and results agree`() throws {
        let place = try KeyFolder()
        let folder = place.path("whole")
        // What a run writes, in its order: the name of a file, and what is put behind it.
        var writes: [(name: String, bytes: [UInt8])] = []
        var before: [String: Int] = [:]
        func note(_ names: [String]) throws {
            for name in names {
                let all = try Self.contents(folder, name)
                let new = Array(all[before[name, default: 0]...])
                before[name] = all.count
                if !new.isEmpty { writes.append((name, new)) }
            }
        }
        do {
            let whole = try BatchFolder(folder, facts: Self.facts)
            for start in stride(from: 0, to: 20, by: 5) {
                try whole.mark(InputPosition(place: start + 5, offset: start * 10, line: start + 6), digest: 1)
                try note(["journal"])
                var pages = BatchPages(files: ["a"])
                for place in (start..<start + 5).reversed() {
                    pages.add(try Self.result(place, Self.outcome(place)), id: whole.campaign.requestID(place))
                }
                try whole.commit(pages)
                try note(Self.names)
            }
            try whole.end(lines: 20)
            try note(["journal"])
        }
        let total = writes.reduce(0) { $0 + $1.bytes.count }
        var finished = 0
        for cut in 0...total {
            let path = place.path("cut")
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            defer { try? FileManager.default.removeItem(atPath: path) }
            var files: [String: [UInt8]] = [:]
            var left = cut
            for write in writes {
                files[write.name, default: []] += write.bytes.prefix(left)
                left -= min(left, write.bytes.count)
            }
            for (name, bytes) in files { try Data(bytes).write(to: URL(filePath: "\(path)/\(name)")) }
            let again = try BatchFolder(path, facts: Self.facts)
            let told = String(decoding: try Self.contents(path, "results.jsonl"), as: UTF8.self)
            let lines = told.split(separator: "\n").compactMap { JSONValue(json: Array($0.utf8))?["line"] }
            let known = (0..<25).filter { again.replay.line($0) == .ended }.map { JSONValue.integer($0 + 1) }
            #expect(Set(lines) == Set(known) && lines.count == known.count, "\(cut)")
            let counts = again.replay.counts
            for (name, end) in [("again.jsonl", JournalEnd.notSent), ("unknown.jsonl", .unknown)] {
                let count = try Self.contents(path, name).count { $0 == UInt8(ascii: "\n") }
                #expect(count == counts[end, default: 0], "\(cut) \(name)")
            }
            if again.replay.lines != nil { finished += 1 }
        }
        #expect(finished == 1)
    }

    @Test func `it goes on behind what it had cut off`() throws {
        let place = try KeyFolder()
        let path = place.path("out")
        func add(_ numbers: [Int]) throws {
            let folder = try BatchFolder(path, facts: Self.facts)
            try folder.mark(InputPosition(place: 10), digest: 0)
            var pages = BatchPages(files: ["a"])
            for number in numbers { pages.add(try Self.result(number, Self.outcome(1)), id: nil) }
            try folder.commit(pages)
        }
        try add([0, 1])
        let journal = URL(filePath: "\(path)/journal")
        var bytes = try Data(contentsOf: journal)
        bytes += [9, 0, 0, 0, 1]
        try bytes.write(to: journal)
        let results = URL(filePath: "\(path)/results.jsonl")
        try (Data(contentsOf: results) + Data("{\"torn".utf8)).write(to: results)
        try add([2])
        let folder = try BatchFolder(path, facts: Self.facts)
        #expect((0..<4).map(folder.replay.line) == [.ended, .ended, .ended, .interrupted])
        let told = String(decoding: try Self.contents(path, "results.jsonl"), as: UTF8.self)
        #expect(told.split(separator: "\n").count == 3)
        #expect(!told.contains("torn"))
    }

    @Test func `results that are shorter than the journal knows are refused`() throws {
        let place = try KeyFolder()
        let path = place.path("out")
        do {
            let folder = try BatchFolder(path, facts: Self.facts)
            var pages = BatchPages(files: ["a"])
            pages.add(try Self.result(0, Self.outcome(1)), id: nil)
            try folder.commit(pages)
        }
        try Data().write(to: URL(filePath: "\(path)/results.jsonl"))
        let error = #expect(throws: BatchFolderError.self) { try BatchFolder(path, facts: Self.facts) }
        #expect(error?.code == .damaged)
        #expect(throws: Never.self) { try BatchFolder(path, facts: Self.facts, startsAnew: true) }
    }

    @Test func `lines are JSON, whatever is in them`() throws {
        let text = Array(#"{"token":"00","ref":"a\"\u00e4"}"#.utf8)
        let row = BatchRow(
            place: 3, line: 9, file: 1, text: text, ref: 20..<text.count - 1, token: 10..<12,
            verdict: .invalid("\"x\"\n"))
        let notification = try PushNotification.sample()
        let result = BatchResult(
            PushResult(index: 0, notification: notification, outcome: .failure(.invalid([]))), row)
        var lines = BatchResultLines(files: ["a", "b \"c\""])
        lines.add(result)
        let json = try #require(JSONValue(json: Array(lines.bytes.dropLast())))
        #expect(
            json == [
                "line": 9, "file": "b \"c\"", "ref": "a\"ä", "token": "00", "outcome": "not_sent", "reason": "invalid",
                "detail": "\"x\"\n",
            ])
        #expect(result.ref == "a\"ä")
    }
}
