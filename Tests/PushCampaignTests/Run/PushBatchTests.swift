import Foundation
import MockAPNs
import TestSupport
import Testing

@testable import PushCampaign
@testable import PushJSON
@testable import PushProvider

/// Campaigns of sequences and files, within one process.
@Suite(.timeLimit(.minutes(10))) struct PushBatchTests {
    /// So many lines, each with a token of its own.
    private struct Entries: AsyncSequence, Sendable {
        var count: Int
        var read = Watched(0)

        struct Iterator: AsyncIteratorProtocol {
            var entries: Entries
            var index = 0

            mutating func next() async throws -> BatchEntry? {
                guard index < entries.count else { return nil }
                index += 1
                let number = index
                entries.read.change { $0 = number }
                let hex = String(number, radix: 16)
                let token = try DeviceToken(String(repeating: "0", count: 64 - hex.count) + hex)
                return BatchEntry(
                    PushNotification(to: token, topic: "com.example.app", payload: .alert(body: "Hello")),
                    ref: .integer(number))
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator(entries: self) }
    }

    @Test func `a sequence goes in, and a result comes out for each`() async throws {
        try await MockServer.with { mock in
            let client = try PushClient.sample(to: mock)
            let refs = Watched<[PushJSONValue]>([])
            let summary = try await PushBatch(Entries(count: 300), through: client).run { results, _ in
                for result in results {
                    guard case .push(.accepted) = result.outcome, let ref = result.ref else { continue }
                    refs.change { $0.append(ref) }
                }
            }
            #expect(summary.accepted == 300)
            #expect(summary.isFinished)
            #expect(Set(refs.value) == Set((1...300).map(PushJSONValue.integer)))
        }
    }

    @Test func `stopped, it ends what is under way; run again, it sends the rest`() async throws {
        try await MockServer.with { mock in
            let index = try TemporaryFolder()
            let client = try PushClient.sample(to: mock)
            let facts = [PushCampaignFact("input", "1", "the input")]
            var options = BatchOptions()
            options.window = 40
            var sent = 0
            for run in 0..<100 {
                let folder = try BatchFolder(index.path("out"), facts: facts)
                #expect(folder.linesBefore == sent)
                let batch = PushBatch(Entries(count: 500), through: client, folder: folder, options: options)
                let summary = try await batch.run { _, _ in
                    if run < 3 { batch.stop(BatchStop(.asked, "Enough.")) }
                }
                sent += summary.concluded
                #expect(summary.accepted == summary.concluded)
                #expect(summary.stop?.code == (run < 3 ? .asked : nil))
                if summary.isFinished { break }
            }
            #expect(sent == 500)
            #expect(mock.arrivalCount == 500)
            #expect(Set(mock.arrivals.map(\.deviceToken)).count == 500)
        }
    }

    @Test func `a sequence that ends early has no last line, and a longer one goes on`() async throws {
        try await MockServer.with { mock in
            let index = try TemporaryFolder()
            let client = try PushClient.sample(to: mock)
            let facts = [PushCampaignFact("input", "1", "the input")]
            for count in [0, 30, 80] {
                let folder = try BatchFolder(index.path("out"), facts: facts)
                #expect(!folder.isFinished)
                let summary = try await PushBatch(Entries(count: count), through: client, folder: folder).run()
                #expect(summary.before + summary.accepted == count)
            }
            #expect(Set(mock.arrivals.map(\.deviceToken)).count == 80)
            #expect(mock.arrivalCount == 80)
        }
    }

    @Test func `the lines of a sequence are marked by the handful`() async throws {
        try await MockServer.with { mock in
            let index = try TemporaryFolder()
            let client = try PushClient.sample(to: mock)
            let folder = try BatchFolder(index.path("out"), facts: [])
            let summary = try await PushBatch(Entries(count: 3000), through: client, folder: folder).run()
            #expect(summary.accepted == 3000)
            let again = try BatchFolder(index.path("out"), facts: [])
            var rest = try OutputFile(index.path("out/journal")).contents()[...]
            var marks = 0
            while case .block(let block, let length) = JournalBlock.read(rest) {
                if case .mark = block { marks += 1 }
                rest = rest.dropFirst(length)
            }
            #expect(marks > 0 && marks < 1000)
            // Read again, each of them is checked and passed over.
            let second = try await PushBatch(Entries(count: 3001), through: client, folder: again).run()
            #expect(second.before == 3000 && second.accepted == 1)
        }
    }

    @Test func `a sequence that waits for the outcome of each line before it gives the next is not held up`()
        async throws
    {
        try await MockServer.with { mock in
            let client = try PushClient.sample(to: mock)
            let token = try DeviceToken(DeviceToken.sampleHex)
            let (entries, more) = AsyncStream.makeStream(of: BatchEntry.self)
            let left = Watched(20)
            @Sendable func give() {
                more.yield(
                    BatchEntry(PushNotification(to: token, topic: "com.example.app", payload: .alert(body: "Hello"))))
            }
            give()
            let summary = try await PushBatch(entries, through: client).run { results, _ in
                for _ in results {
                    left.change { $0 -= 1 }
                    if left.value > 0 { give() } else { more.finish() }
                }
            }
            #expect(summary.accepted == 20)
        }
    }

    @Test func `what a sequence throws comes out after the lines before it`() async throws {
        struct Mine: Error {}
        try await MockServer.with { mock in
            let client = try PushClient.sample(to: mock)
            let token = try DeviceToken(DeviceToken.sampleHex)
            let entries = AsyncThrowingStream<BatchEntry, any Error> { stream in
                for _ in 0..<3 {
                    stream.yield(
                        BatchEntry(
                            PushNotification(to: token, topic: "com.example.app", payload: .alert(body: "Hello"))))
                }
                stream.finish(throwing: Mine())
            }
            await #expect(throws: Mine.self) { try await PushBatch(entries, through: client).run() }
            #expect(mock.arrivalCount == 3)
        }
    }

    @Test func `a folder that was opened once serves one run`() async throws {
        try await MockServer.with { mock in
            let index = try TemporaryFolder()
            let client = try PushClient.sample(to: mock)
            let folder = try BatchFolder(index.path("out"), facts: [PushCampaignFact("input", "1", "the input")])
            _ = try await PushBatch(Entries(count: 3), through: client, folder: folder).run()
            await #expect(throws: BatchFolderError.self) {
                try await PushBatch(Entries(count: 3), through: client, folder: folder).run()
            }
            #expect(mock.arrivalCount == 3)
        }
    }

    @Test func `no more is read than the window`() async throws {
        let server = try await ScriptedServer.start(ServerScript(settings: .streams(100)))
        let client = try PushClient.sample(to: server)
        try await client.authenticate(at: server)
        var options = BatchOptions()
        options.window = 8
        let index = try TemporaryFolder()
        let folder = try BatchFolder(index.path("out"), facts: [])
        let entries = Entries(count: 100)
        let batch = PushBatch(entries, through: client, folder: folder, options: options)
        let running = Task { try await batch.run() }
        let connection = try await server.connection(1)
        for number in 2...8 { _ = try await connection.request(number) }
        #expect(entries.read.value <= 8)
        running.cancel()
        let summary = try await running.value
        #expect((7...8).contains(summary.unknown))
        #expect(summary.stop?.code == .asked)
        #expect(entries.read.value <= 9)
    }

    @Test func `what is not sent for the credentials goes out with the next run`() async throws {
        try await MockServer.with(
            [MockFault(steps: [.answer(status: 403, reason: .invalidProviderToken)], times: 1000)]
        ) { mock in
            let index = try TemporaryFolder()
            let client = try PushClient.sample(to: mock)
            let folder = try BatchFolder(index.path("out"), facts: [])
            let summary = try await PushBatch(Entries(count: 2000), through: client, folder: folder).run()
            #expect(summary.stop?.code == .credentials)
            #expect(summary.released > 0)
            #expect(summary.notSent == 0)
            #expect(!summary.isFinished)
        }
    }

    @Test func `no server listens: the run ends soon, and every line is left for the next run`() async throws {
        let port = try HeldPort()
        let client = try PushClient.sample(.local(port: port.number)) { $0.retry.retriesConnecting = false }
        let index = try TemporaryFolder()
        let folder = try BatchFolder(index.path("out"), facts: [])
        var options = BatchOptions()
        options.outageWait = .zero
        // Of a file, the first lines are read together, however long that takes.
        try index.write((0x100000..<0x100000 + 100_000).map { "\(String($0, radix: 16))\n" }.joined().utf8, to: "lines")
        let template = try PayloadTemplate(json: #"{"aps":{"alert":"a"}}"#.utf8)
        let batch = PushBatch(
            files: [index.path("lines")], BatchDefaults(topic: "com.example.app", template: template),
            through: client, folder: folder, options: options, now: Date(timeIntervalSince1970: 0))
        let summary = try await batch.run()
        #expect(summary.stop?.code == .unreachable)
        #expect(summary.concluded == 0)
        #expect(summary.released >= 20)
        withExtendedLifetime(port) {}
    }

    @Test func `a line that breaks a rule is not sent, and the rule is reported once`() async throws {
        try await MockServer.with { mock in
            let client = try PushClient.sample(to: mock) { $0.checksNotifications = false }
            let payloads = [#"{"aps":{"alert":"a"}}"#, #"{"aps":{"alert":"a","badge":"1"}}"#]
            let token = try DeviceToken(DeviceToken.sampleHex)
            let entries = AsyncStream<BatchEntry> { stream in
                for payload in payloads + payloads {
                    stream.yield(
                        BatchEntry(
                            PushNotification(
                                to: token, topic: "com.example.app",
                                payload: PushPayload(json: payload))))
                }
                stream.finish()
            }
            let batch = PushBatch(entries, through: client)
            let summary = try await batch.run()
            #expect(summary.accepted == 2)
            #expect(summary.invalid == 2)
            #expect(batch.findings.map(\.finding.rule) == ["badge-number"])
            #expect(batch.findings.map(\.lines) == [2])
            #expect(mock.arrivalCount == 2)
        }
    }

    @Test func `a rule that all lines break ends the campaign`() async throws {
        try await MockServer.with { mock in
            let client = try PushClient.sample(to: mock)
            let index = try TemporaryFolder()
            try index.write(
                (1...5000).map { "{\"token\":\"00\",\"vars\":{\"n\":\"\($0)\"}}\n" }.joined().utf8, to: "lines")
            let template = try PayloadTemplate(json: #"{"aps":{"alert":"a","badge":"{{n}}"}}"#.utf8)
            let batch = PushBatch(
                files: [index.path("lines")], BatchDefaults(topic: "com.example.app", template: template),
                through: client, now: Date(timeIntervalSince1970: 0))
            let summary = try await batch.run()
            #expect(summary.stop?.code == .lint)
            #expect(summary.invalid == 1000)
            #expect(summary.released == 0)
            #expect(mock.arrivalCount == 0)
        }
    }

    /// A sequence of lines that all have one token.
    private static func twins(_ payloads: [String]) throws -> AsyncStream<BatchEntry> {
        let token = try DeviceToken(DeviceToken.sampleHex)
        return AsyncStream { stream in
            for payload in payloads {
                var notification = PushNotification(
                    to: token, topic: "com.example.app", payload: PushPayload(json: payload))
                notification.priority = PushPriority(rawValue: 3)
                stream.yield(BatchEntry(notification))
            }
            stream.finish()
        }
    }

    @Test func `what the client does not refuse keeps its twins back`() async throws {
        try await MockServer.with { mock in
            let client = try PushClient.sample(to: mock) { $0.checksNotifications = false }
            var options = BatchOptions()
            options.skipsDuplicates = true
            options.lints = false
            let lines = try Self.twins(Array(repeating: #"{"aps":{"alert":"a"}}"#, count: 3))
            let summary = try await PushBatch(lines, through: client, options: options).run()
            #expect(summary.duplicates == 2)
            #expect(mock.arrivalCount == 1)
        }
    }

    /// The first line breaks a rule, the second went out, or did not, when the run was killed.
    @Test(arguments: [false, true])
    func `after a kill between mark and outcome, refused lines delay no others`(sendsAgain: Bool) async throws {
        try await MockServer.with { mock in
            let index = try TemporaryFolder()
            let token = try DeviceToken(DeviceToken.sampleHex)
            let entries = [#"{"aps":{"alert":"a","badge":-1}}"#, #"{"aps":{"alert":"a"}}"#, #"{"aps":{"alert":"b"}}"#]
                .map {
                    BatchEntry(PushNotification(to: token, topic: "com.example.app", payload: PushPayload(json: $0)))
                }
            do {
                let folder = try BatchFolder(index.path("out"), facts: [])
                var digest = QuickDigest()
                for (number, entry) in entries[..<2].enumerated() {
                    entry.notification(index: number).row?.addIdentity(to: &digest)
                }
                try folder.mark(InputPosition(index: 2, line: 3), digest: digest.value)
                folder.leave()
            }
            var options = BatchOptions()
            options.skipsDuplicates = true
            options.isAtLeastOnce = sendsAgain
            let client = try PushClient.sample(to: mock) {
                if sendsAgain { ($0.retry.guarantee, $0.retry.attempts) = (.atLeastOnce, 2) }
            }
            let folder = try BatchFolder(index.path("out"), facts: [])
            let lines = AsyncStream { stream in
                for entry in entries { stream.yield(entry) }
                stream.finish()
            }
            let reasons = Watched<[Int: String]>([:])
            let summary = try await PushBatch(lines, through: client, folder: folder, options: options).run {
                results, _ in
                for result in results { reasons.change { $0[result.line] = result.reason ?? "accepted" } }
            }
            #expect(reasons.value == [1: "interrupted", 2: sendsAgain ? "accepted" : "interrupted", 3: "duplicate"])
            #expect(summary.unknown == (sendsAgain ? 1 : 2))
            #expect(mock.arrivalCount == (sendsAgain ? 1 : 0))
        }
    }

    @Test func `a line that an earlier run refused for its time delays no others`() async throws {
        try await MockServer.with { mock in
            let index = try TemporaryFolder()
            let late = #"{"token":"00","expires":1}"#
            try index.write("\(late)\n{\"token\":\"00\"}\n".utf8, to: "lines")
            let first = try BatchFolder(index.path("out"), facts: [])
            let row = BatchRow(index: 0, line: 1, file: 0, text: Array(late.utf8), skipReason: .invalid("Late."))
            var (digest, pages) = (QuickDigest(), BatchPages(files: ["lines"]))
            row.addIdentity(to: &digest)
            try first.mark(InputPosition(index: 1, offset: late.utf8.count + 1, line: 2), digest: digest.value)
            pages.add(BatchResult(row, .ofRow(row), .invalid([])))
            try first.commit(pages)
            first.leave()
            var options = BatchOptions()
            options.skipsDuplicates = true
            let template = try PayloadTemplate(json: #"{"aps":{"alert":"a"}}"#.utf8)
            let batch = PushBatch(
                files: [index.path("lines")], BatchDefaults(topic: "com.example.app", template: template),
                through: try PushClient.sample(to: mock), folder: try BatchFolder(index.path("out"), facts: []),
                options: options)
            #expect(try await batch.run().accepted == 1)
        }
    }

    @Test func `a sample by chance goes on with the same lines`() async throws {
        try await MockServer.with { mock in
            let client = try PushClient.sample(to: mock)
            let index = try TemporaryFolder()
            try index.write((0..<600).map { "\(String($0 + 0x1000, radix: 16))\n" }.joined().utf8, to: "lines")
            var options = BatchOptions()
            options.window = 8
            options.sample = .random(300)
            let template = try PayloadTemplate(json: #"{"aps":{"alert":"a"}}"#.utf8)
            var runs = 0
            var isFinished = false
            while !isFinished, runs < 300 {
                let folder = try BatchFolder(index.path("out"), facts: [])
                let batch = PushBatch(
                    files: [index.path("lines")], BatchDefaults(topic: "com.example.app", template: template),
                    through: client, folder: folder, options: options, now: Date(timeIntervalSince1970: 0))
                isFinished = try await batch.run { _, _ in batch.stop(BatchStop(.asked, "Enough.")) }.isFinished
                runs += 1
            }
            // Lines of another sample would repeat some of those that were sent before one of the interruptions.
            #expect(runs > 5)
            #expect(mock.arrivalCount == 300)
            #expect(Set(mock.arrivals.map(\.deviceToken)).count == 300)
        }
    }

    @Test func `an error of the caller ends it, and comes out`() async throws {
        struct Mine: Error {}
        try await MockServer.with { mock in
            let client = try PushClient.sample(to: mock)
            await #expect(throws: Mine.self) {
                try await PushBatch(Entries(count: 50), through: client).run { _, _ in throw Mine() }
            }
        }
    }
}
