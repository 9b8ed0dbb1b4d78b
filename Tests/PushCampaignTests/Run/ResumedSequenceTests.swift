import Foundation
import MockAPNs
import TestSupport
import Testing

@testable import PushCampaign
@testable import PushJSON
@testable import PushProvider

/// What may be different in the second run of a campaign from a program, and what may not.
@Suite(.timeLimit(.minutes(10))) struct ResumedSequenceTests {
    private static func entry(
        _ number: Int = 1, _ change: (inout PushNotification) throws -> Void = { _ in }
    ) throws -> BatchEntry {
        let token = try DeviceToken(String(format: "%064x", number))
        var notification = PushNotification(to: token, topic: "com.example.app", payload: .alert(body: "Hello"))
        try change(&notification)
        return BatchEntry(notification, ref: .integer(number))
    }

    private static func digest(_ entry: BatchEntry) -> UInt64 {
        var digest = QuickDigest()
        entry.notification(index: 0).row?.addIdentity(to: &digest)
        return digest.value
    }

    private struct Activity: Encodable {
        var arrival: Int
    }

    private static func activity(at time: Int, ref: Int = 1) throws -> BatchEntry {
        let now = Date(timeIntervalSince1970: Double(time))
        return try entry(ref) {
            $0.payload = try .updateLiveActivity(contentState: Activity(arrival: time + 600), timestamp: now)
        }
    }

    @Test func `times do not identify a line, everything else does`() throws {
        let usual = Self.digest(try Self.entry())
        #expect(Self.digest(try Self.entry { $0.expiration = .until(secondsSince1970: 1_800_000_000) }) == usual)
        #expect(Self.digest(try Self.entry { $0.expiration = .after(seconds: 5) }) == usual)
        #expect(Self.digest(try Self.entry { $0.id = UUID() }) == usual)
        #expect(Self.digest(try Self.entry { $0.registeredAt = Date() }) == usual)
        let others: [(inout PushNotification) throws -> Void] = [
            { $0.deviceToken = try DeviceToken("00") }, { $0.topic = "com.example.other" },
            { $0.payload = .alert(body: "Goodbye") }, { $0.collapseID = "a" }, { $0.pushType = .background },
            { $0.priority = .powerAware },
        ]
        for change in others { #expect(Self.digest(try Self.entry(1, change)) != usual) }
        #expect(Self.digest(try Self.entry(2)) != usual)
        var other = try Self.entry()
        other.ref = 8
        #expect(Self.digest(other) != usual)
    }

    @Test func `a Live Activity shows what is true when it is sent`() throws {
        #expect(Self.digest(try Self.activity(at: 1_000)) == Self.digest(try Self.activity(at: 2_000)))
        #expect(Self.digest(try Self.activity(at: 1_000)) != Self.digest(try Self.activity(at: 1_000, ref: 2)))
    }

    @Test func `what another run is fed with says all that the line is`() throws {
        let id = UUID()
        let entry = try Self.entry {
            $0.expiration = .after(seconds: 90)
            $0.id = id
        }
        let row = try #require(entry.notification(index: 0).row)
        var reader = RowReader(BatchDefaults(topic: ""))
        let read = reader.notification(row.text, index: 0, line: 1, file: 0)
        #expect(read.row?.skipReason == nil)
        #expect(read.expiration == .after(seconds: 90))
        #expect(read.id == id)
        #expect(read.payload.bytes == entry.notification.payload.bytes)
    }

    @Test func `a run with new times continues, and says which ids are unknown`() async throws {
        let mock = try await MockServer.start(MockConfiguration(), credentials: .ofThisProcess)
        let index = try TemporaryFolder()
        let client = try PushClient.sample(to: mock)
        let id = UUID()
        func entries(_ time: Int) throws -> [BatchEntry] {
            try (1...4).map { number in
                try Self.entry(number) {
                    $0.expiration = .until(secondsSince1970: Int(Date().timeIntervalSince1970) + time)
                    if number == 2 { $0.id = id }
                }
            } + [try Self.activity(at: Int(Date().timeIntervalSince1970) + time, ref: 5)]
        }
        var ids: [String] = []
        do {
            // Killed with three lines marked.
            let folder = try BatchFolder(index.path("out"), facts: [])
            var digest = QuickDigest()
            for (number, entry) in try entries(3600).prefix(3).enumerated() {
                entry.notification(index: number).row?.addIdentity(to: &digest)
            }
            try folder.mark(InputPosition(index: 3, line: 4), digest: digest.value)
            ids = (0..<3).map { folder.campaign.requestID($0).description }
            ids[1] = RequestID(id).description
            folder.leave()
        }
        let folder = try BatchFolder(index.path("out"), facts: [])
        let summary = try await PushBatch(AsyncStream(all: try entries(7200)), through: client, folder: folder).run()
        #expect(summary.unknown == 3 && summary.accepted == 2)
        for (file, count) in [("results.jsonl", 5), ("unknown.jsonl", 3)] {
            let lines = try index.read("out/\(file)").split(separator: UInt8(ascii: "\n")).map(Array.init)
            #expect(lines.count == count)
            let values = lines.compactMap { PushJSONValue(json: $0) }.filter { $0["outcome"] != "accepted" }
            #expect(Set(values.compactMap { $0["apns_id"]?.encoded }) == Set(ids.map { Array("\"\($0)\"".utf8) }))
        }
        // It can be fed in as it is.
        var reader = RowReader(BatchDefaults(topic: ""))
        for line in try index.read("out/unknown.jsonl").split(separator: UInt8(ascii: "\n")) {
            #expect(reader.notification(Array(line), index: 0, line: 1, file: 0).row?.skipReason == nil)
        }
        await mock.stop()
    }

    @Test func `the time of a campaign is kept in its folder when a line was marked`() throws {
        let index = try TemporaryFolder()
        let path = index.path("out")
        #expect(BatchFolder.begun(path) == nil)
        let folder = try BatchFolder(path, facts: [.begun(secondsSince1970: 1_234)])
        #expect(BatchFolder.begun(path) == nil)
        try folder.mark(InputPosition(index: 3, line: 4), digest: 1)
        #expect(BatchFolder.begun(path) == 1_234)
        folder.leave()
    }
}
