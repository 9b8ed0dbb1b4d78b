import PushPlatform
import TestSupport
import Testing

@testable import PushCampaign
@testable import PushJSON
@testable import PushProvider

/// The folder of a campaign, whenever the process ends.
struct BatchFolderTests {
    private static let facts = [PushCampaignFact("payload", "1", "the payload")]

    private static func result(
        _ index: Int, _ outcome: PushOutcome?, wasMarked: Bool = false
    ) throws -> BatchResult {
        let text = Array("{\"token\":\"00\",\"ref\":\(index)}".utf8)
        let row = BatchRow(
            index: index, line: index + 1, file: 0, text: text, ref: 20..<text.count - 1, token: 10..<12,
            skipReason: outcome == nil ? .interrupted : nil
        ).with(skipReason: outcome == nil ? .interrupted : nil, wasMarked: wasMarked)
        let notification = try PushNotification.sample()
        let push = outcome ?? .accepted(PushOutcome.Acceptance(apnsID: "", uniqueID: nil, trace: trace))
        return BatchResult(row, notification, push)
    }

    private static let trace = PushOutcome.Trace(queued: .zero, inFlight: .milliseconds(3), attempts: 1, connection: 1)

    private static func outcome(_ index: Int) -> PushOutcome? {
        switch index % 5 {
        case 0: nil
        case 1: .accepted(PushOutcome.Acceptance(apnsID: "a-\(index)", uniqueID: nil, trace: trace))
        case 2: .notSent(PushOutcome.NotSent(cause: .deadline, phase: .queue, description: "Late.", trace: trace))
        case 3: .notSent(PushOutcome.NotSent(cause: .shutdown, phase: .queue, description: "Shut.", trace: trace))
        default:
            .unknown(
                PushOutcome.Unknown(
                    cause: .connectionLost, phase: .wait, apnsID: "u", description: "Lost.", trace: trace))
        }
    }

    @Test func `a campaign of before its beginning was noted is of any time, and of one payload`() {
        let begun = PushCampaignFact.begun(secondsSince1970: 5)
        let old = CampaignHead(id: .random(), facts: Self.facts)
        #expect(old.difference([begun] + Self.facts) == nil)
        #expect(old.difference([begun, PushCampaignFact("payload", "2", "the payload")])?.fact.name == "payload")
        #expect(old.difference([begun, PushCampaignFact("topic", "a", "the topic")])?.fact.name == "topic")
        let new = CampaignHead(id: .random(), facts: [begun] + Self.facts)
        #expect(new.difference([begun] + Self.facts) == nil)
        #expect(new.difference([.begun(secondsSince1970: 6)] + Self.facts)?.fact.name == "begun")
    }

    @Test func `what was rejected for a reason that may pass is ready to be fed in`() throws {
        var pages = BatchPages(files: ["lines"])
        for (index, rejection) in [
            PushOutcome.Rejection.sample(429), .sample(400, .badDeviceToken), .sample(503),
        ].enumerated() {
            pages.add(try Self.result(index, .rejected(rejection)))
        }
        let again = String(decoding: pages.again, as: UTF8.self).split(separator: "\n")
        #expect(again == ["{\"token\":\"00\",\"ref\":0}", "{\"token\":\"00\",\"ref\":2}"])
    }

    @Test(arguments: [
        #"{"token":"00"}"#, #"{"apns_id":null,"token":"00"}"#, #"{"token":"00", "apns_\u0069d" : null }"#,
    ])
    func `what is unknown is ready to be fed in, with the id that it was sent with`(line: String) throws {
        var reader = RowReader(BatchDefaults(topic: "", template: try PayloadTemplate(json: "{}".utf8)))
        let sent = reader.notification(Array(line.utf8), index: 0, line: 1, file: 0)
        let id = UUID()
        let outcome = PushOutcome.unknown(
            PushOutcome.Unknown(
                cause: .connectionLost, phase: .wait, apnsID: "\(RequestID(id))", description: "Lost.",
                trace: Self.trace))
        var pages = BatchPages(files: ["lines"])
        pages.add(BatchResult(try #require(sent.row), sent, outcome))
        let again = reader.notification(Array(pages.unknown.dropLast()), index: 0, line: 1, file: 0)
        #expect(again.row?.skipReason == nil && again.id == id)
    }

    @Test func `what may have gone out in an earlier run stays unknown when it is given up`() throws {
        let passing = PushOutcome.rejected(.sample(503))
        let final = PushOutcome.rejected(.sample(400, .badDeviceToken))
        for (outcome, isUnknown) in [(passing, true), (try #require(Self.outcome(2)), true), (final, false)] {
            var result = try Self.result(0, outcome)
            #expect(result.givenUp.end == result.end)
            result = try Self.result(0, outcome, wasMarked: true)
            #expect((result.givenUp.end == .unknown) == isUnknown)
        }
    }

    private static func contents(_ folder: String, _ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
    }

    private static let names = ["gone", "again.jsonl", "unknown.jsonl", "journal", "results.jsonl"]

    @Test func `killed at any byte of what it writes, journal and results agree`() throws {
        let index = try TemporaryFolder()
        let folder = index.path("whole")
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
                try whole.mark(InputPosition(index: start + 5, offset: start * 10, line: start + 6), digest: 1)
                try note(["journal"])
                var pages = BatchPages(files: ["a"])
                for index in (start..<start + 5).reversed() {
                    pages.add(try Self.result(index, Self.outcome(index)))
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
            let path = index.path("cut")
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
            let stored = String(decoding: try Self.contents(path, "results.jsonl"), as: UTF8.self)
            let lines = stored.split(separator: "\n").compactMap { PushJSONValue(json: Array($0.utf8))?["line"] }
            let known = (0..<25).filter { again.replay.line($0) == .ended }.map { PushJSONValue.integer($0 + 1) }
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
        let index = try TemporaryFolder()
        let path = index.path("out")
        func add(_ numbers: [Int]) throws {
            let folder = try BatchFolder(path, facts: Self.facts)
            try folder.mark(InputPosition(index: 10), digest: 0)
            var pages = BatchPages(files: ["a"])
            for number in numbers { pages.add(try Self.result(number, Self.outcome(1))) }
            try folder.commit(pages)
        }
        try add([0, 1])
        let results = URL(filePath: "\(path)/results.jsonl")
        let journal = URL(filePath: "\(path)/journal")
        let size = try Data(contentsOf: results).count
        // Killed while it wrote the results of another block.
        var bytes = Array(try Data(contentsOf: journal))
        JournalBlock.outcomes([.init(index: 3, end: .accepted)], OutputSizes(results: size + 100)).write(to: &bytes)
        try Data(bytes + [9, 0, 0, 0, 1]).write(to: journal)
        try (Data(contentsOf: results) + Data("{\"torn".utf8)).write(to: results)
        try add([2])
        let folder = try BatchFolder(path, facts: Self.facts)
        #expect((0..<4).map(folder.replay.line) == [.ended, .ended, .ended, .interrupted])
        let stored = String(decoding: try Self.contents(path, "results.jsonl"), as: UTF8.self)
        #expect(stored.split(separator: "\n").count == 3)
        #expect(!stored.contains("torn"))
    }

    @Test func `results that are shorter than the journal knows are refused`() throws {
        let index = try TemporaryFolder()
        let path = index.path("out")
        do {
            let folder = try BatchFolder(path, facts: Self.facts)
            var pages = BatchPages(files: ["a"])
            pages.add(try Self.result(0, Self.outcome(1)))
            try folder.commit(pages)
            folder.leave()
        }
        try Data().write(to: URL(filePath: "\(path)/results.jsonl"))
        let error = #expect(throws: BatchFolderError.self) { try BatchFolder(path, facts: Self.facts) }
        #expect(error?.code == .damaged)
        #expect(throws: Never.self) { try BatchFolder(path, facts: Self.facts, startsAnew: true) }
    }

    /// A run that ends without a word: some lines have their outcomes, and others are under way.
    private static func run(_ path: String, _ indices: Range<Int>, meanwhile: () throws -> Void = {}) throws {
        let folder = try BatchFolder(path, facts: facts)
        try folder.mark(InputPosition(index: indices.upperBound + 5, line: indices.upperBound + 6), digest: 1)
        for index in indices {
            var pages = BatchPages(files: ["a"])
            pages.add(try result(index, outcome(index)))
            try folder.commit(pages)
            if index == indices.lowerBound + 4 { try meanwhile() }
        }
    }

    @Test func `a journal that was cut anywhere is refused, and the results stay`() throws {
        let index = try TemporaryFolder()
        let path = index.path("out")
        try Self.run(path, 0..<10)
        let journal = URL(filePath: "\(path)/journal")
        let whole = try Data(contentsOf: journal)
        let results = try Self.contents(path, "results.jsonl")
        for length in 0..<whole.count {
            try whole.prefix(length).write(to: journal)
            #expect(throws: BatchFolderError.self, "\(length)") { try BatchFolder(path, facts: Self.facts) }
            #expect(try Self.contents(path, "results.jsonl") == results)
            // An empty one is none.
            #expect(length == 0 || (try? Data(contentsOf: journal).count) == length)
        }
        // What nobody can read may still be mended.
        let unreadable = Data(count: 100_000) + whole
        try unreadable.write(to: journal)
        #expect(throws: BatchFolderError.self) { try BatchFolder(path, facts: Self.facts) }
        #expect(try Data(contentsOf: journal) == unreadable)
        try whole.write(to: journal)
        #expect(try BatchFolder(path, facts: Self.facts).linesBefore == 8)
    }

    @Test func `a journal that lacks only what let lines go out is refused too`() throws {
        let index = try TemporaryFolder()
        let path = index.path("out")
        try Self.run(path, 0..<0)
        let journal = URL(filePath: "\(path)/journal")
        try Data(contentsOf: journal).dropLast().write(to: journal)
        let error = #expect(throws: BatchFolderError.self) { try BatchFolder(path, facts: Self.facts) }
        #expect(error?.code == .damaged)
        #expect(error?.description.contains("be sent twice") == true)
    }

    enum Taking: CaseIterable {
        case deleted, moved, emptied, cut, replaced

        func take(_ file: String) throws {
            let url = URL(filePath: file)
            switch self {
            case .deleted: try FileManager.default.removeItem(at: url)
            case .moved: try FileManager.default.moveItem(atPath: file, toPath: "\(file).taken")
            case .emptied, .cut:
                try Data(contentsOf: url).prefix(self == .cut ? 13 : 0).write(to: url)
            case .replaced:
                try FileManager.default.removeItem(at: url)
                try Data("mine".utf8).write(to: url)
            }
        }
    }

    @Test(arguments: Taking.allCases, [false, true])
    func `lists that are taken away start again, between two runs and during one`(how: Taking, isDuring: Bool) throws {
        let index = try TemporaryFolder()
        let path = index.path("out")
        let lists = ["again.jsonl", "unknown.jsonl"]
        func take() throws {
            for list in lists { try how.take("\(path)/\(list)") }
        }
        try Self.run(path, 0..<10, meanwhile: isDuring ? take : {})
        if !isDuring { try take() }
        try Self.run(path, 10..<20)
        for list in lists {
            let lines = String(decoding: try Self.contents(path, list), as: UTF8.self).split(separator: "\n")
            let whole = lines.map { PushJSONValue(json: Array($0.utf8)) }
            #expect(!whole.contains(nil), "\(how) \(isDuring) \(list): \(lines)")
            // One line of each five is in again.jsonl, two are in unknown.jsonl.
            #expect(whole.count == (list == "again.jsonl" ? 1 : 2) * (isDuring ? 3 : 2))
        }
        if how == .moved {
            let taken = try Self.contents(path, "again.jsonl.taken").count { $0 == UInt8(ascii: "\n") }
            #expect(taken == (isDuring ? 1 : 2))
        }
        #expect(throws: Never.self) { try BatchFolder(path, facts: Self.facts) }
    }

    @Test func `lines of lists without an outcome in the journal are cut off, also in a restarted list`() throws {
        let index = try TemporaryFolder()
        let path = index.path("out")
        try Self.run(path, 0..<10) { try FileManager.default.removeItem(atPath: "\(path)/again.jsonl") }
        let again = URL(filePath: "\(path)/again.jsonl")
        let before = try Data(contentsOf: again)
        try (before + Data("{\"token\":\"00\"}\n{\"tok".utf8)).write(to: again)
        _ = try BatchFolder(path, facts: Self.facts)
        #expect(try Data(contentsOf: again) == before)
    }

    @Test(arguments: [false, true]) func `nothing more goes out when the folder is gone`(isMoved: Bool) throws {
        let index = try TemporaryFolder()
        let path = index.path("out")
        let folder = try BatchFolder(path, facts: Self.facts)
        try folder.mark(InputPosition(index: 1), digest: 0)
        #expect(folder.isInPlace)
        if isMoved {
            try FileManager.default.moveItem(atPath: path, toPath: index.path("moved"))
        } else {
            try FileManager.default.removeItem(atPath: path)
        }
        #expect(!folder.isInPlace)
        #expect(throws: SystemError.absent) { try folder.mark(InputPosition(index: 2), digest: 0) }
        // What is under way keeps its outcome: a folder that was moved can be brought back.
        var pages = BatchPages(files: ["a"])
        pages.add(try Self.result(0, Self.outcome(1)))
        try folder.commit(pages)
        if isMoved {
            try FileManager.default.moveItem(atPath: index.path("moved"), toPath: path)
            folder.leave()
            #expect(try BatchFolder(path, facts: Self.facts).linesBefore == 1)
        }
    }

    @Test(arguments: ["journal", "results.jsonl"])
    func `a file that is truncated during a run stops it, and no gap is filled up`(name: String) throws {
        let index = try TemporaryFolder()
        let path = index.path("out")
        let folder = try BatchFolder(path, facts: Self.facts)
        var ledger = BatchLedger(
            folder: folder, files: ["a"], options: BatchOptions(), gate: BatchGate(window: 10), retry: .standard,
            breaker: nil)
        func end() -> BatchStop.Code? { ledger.close(isCancelled: true, isMismatched: false).summary.stop?.code }
        try folder.mark(InputPosition(index: 2), digest: 0)
        _ = ledger.add([try Self.result(0, Self.outcome(1))], isStopping: false)
        let before = end()
        #expect(before == .asked)
        try Data().write(to: URL(filePath: "\(path)/\(name)"))
        #expect(folder.isInPlace)
        #expect(throws: SystemError.truncated) { try folder.mark(InputPosition(index: 3), digest: 0) }
        _ = ledger.add([try Self.result(1, Self.outcome(1))], isStopping: false)
        let after = end()
        #expect(after == .output)
        folder.leave()
        #expect(try Self.contents(path, name).isEmpty)
        #expect(throws: BatchFolderError.self) { try BatchFolder(path, facts: Self.facts) }
    }

    @Test func `each advice to start again says which lines are sent twice`() {
        let error = SystemError(number: 13)
        let difference = CampaignHead.Difference(fact: Self.facts[0], known: "1")
        let errors: [BatchFolderError] = [
            .busy("out"), .unusable("out", error), .damaged("out"), .olderJournal("out"), .resultsLost("out/r", 1, 2),
            .withoutJournal("out/r"), .another("out", difference), .noRoom("out", error), .used("out"),
        ]
        for error in errors where error.description.contains("--") {
            let says = ["twice", "sent again", "were sent before"].contains { error.description.contains($0) }
            #expect(says, "\(error)")
        }
    }

    @Test func `lines are JSON, whatever is in them`() throws {
        let text = Array(#"{"token":"00","ref":"a\"\u00e4"}"#.utf8)
        let row = BatchRow(
            index: 3, line: 9, file: 1, text: text, ref: 20..<text.count - 1, token: 10..<12,
            skipReason: .invalid("\"x\"\n"))
        let notification = try PushNotification.sample()
        let result = BatchResult(row, notification, .invalid([]))
        var lines = BatchResultLines(files: ["a", "b \"c\""])
        lines.add(result)
        let json = try #require(PushJSONValue(json: Array(lines.bytes.dropLast())))
        #expect(
            json == [
                "line": 9, "file": "b \"c\"", "ref": "a\"ä", "token": "00", "outcome": "not_sent", "reason": "invalid",
                "detail": "\"x\"\n",
            ])
        #expect(result.ref == "a\"ä")
    }
}
