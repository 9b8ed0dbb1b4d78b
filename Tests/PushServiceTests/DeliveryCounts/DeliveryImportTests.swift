import Foundation
import NIOConcurrencyHelpers
import PushDelivery
import PushJSON
import PushProvider
import PushQueue
import PushQueuePostgres
import TestSupport
import Testing

@testable import PushService

/// The import of Apple's delivery counts, from a server that plays Apple's export.
@Suite struct DeliveryImportTests {
    private static func day(_ back: Int) -> String { DeliveryCounts.day(back, before: .now) }

    @Test(arguments: PostgresServer.isInstalled ? [false, true] : [false])
    func `a day that comes again is replaced, the first import is of 30 days, and a year is kept`(
        postgres: Bool
    ) async throws {
        let ground = try await DeliveryGround(postgres: postgres)
        let (export, imports) = (ground.export, ground.imports())
        for old in [400, 367, 366] {
            try await DeliveryCounts(day: Self.day(old), types: ["alert": ["delivered": 1]]).store(ground.queue)
        }
        // Another app, whose name begins with the same letters.
        try await DeliveryCounts(day: Self.day(4), types: [:]).store(ground.queue, "shop2")
        export.set("alert,Delivered,\(Self.day(2)),90", "alert,Discarded,\(Self.day(2)),5", "voip,New,\(Self.day(1)),1")
        await imports.round()
        #expect(try await ground.days().map(\.day) == [Self.day(366), Self.day(2), Self.day(1)])
        #expect(try await ground.days("shop2").count == 1)
        #expect(try await ground.days()[1].types == ["alert": ["delivered": 90, "discarded": 5]])
        #expect(export.requests.value.map(\.token) == ["s3cr3t-token"])
        #expect(export.requests.value[0].body.contains(#""startDate":"\#(Self.day(30))""#))
        // Nothing is due before the night.
        await imports.round()
        #expect(export.requests.value.count == 1)

        export.set("alert,Delivered,\(Self.day(2)),70")
        try await ground.makeDue()
        try ground.folder.write("renewed\n", to: "export.token")
        await imports.round()
        #expect(export.requests.value.map(\.token) == ["s3cr3t-token", "renewed"])
        #expect(try await ground.days().last { $0.day == Self.day(2) }?.types == ["alert": ["delivered": 70]])
        #expect(try await ground.days().contains { $0.day == Self.day(1) })
        // The first of Apple's days may be cut off.
        #expect(export.requests.value[1].body.contains(#""startDate":"\#(Self.day(29))""#))
        await ground.queue.close()
    }

    @Test func `the days that are asked for are those of the queue's clock`() async throws {
        let ground = try await DeliveryGround()
        ground.export.set("alert,Delivered,\(Self.day(1)),7")
        await ground.imports().round()
        ground.advance(by: .seconds(10 * 86_400))
        await ground.imports().round()
        let asked = ground.export.requests.value.map(\.body)
        #expect(asked.count == 2 && asked[1].contains(#""startDate":"\#(Self.day(19))""#), "\(asked)")
        #expect(asked.last?.contains(#""endDate":"\#(Self.day(-9))""#) == true)
        await ground.queue.close()
    }

    @Test func `a day that is no longer kept is removed, although no import works`() async throws {
        let ground = try await DeliveryGround()
        ground.export.status.withLockedValue { $0 = 401 }
        for (app, old) in [("shop", 400), ("shop", 300), ("removed", 367)] {
            try await DeliveryCounts(day: Self.day(old), types: [:]).store(ground.queue, app)
        }
        await ground.imports().round()
        #expect(try await ground.days().map(\.day) == [Self.day(300)])
        #expect(try await ground.days("removed").isEmpty)
        await ground.queue.close()
    }

    @Test func `days that were not asked for are left out, and a wrong clock does not end the imports`() async throws {
        let ground = try await DeliveryGround()
        ground.export.set(
            "alert,Delivered,\(Self.day(40)),1", "alert,Delivered,\(Self.day(2).dropLast())x,1",
            "alert,Delivered,2090-01-01,1", "alert,Delivered,\(Self.day(2)),1")
        await ground.imports().round()
        #expect(try await ground.days().map(\.day) == [Self.day(2)])
        let wrong = QueueTime.now + .seconds(900 * 86_400)
        try await ground.change { ($0.due, $0.busy, $0.imported) = (wrong, wrong, wrong) }
        await ground.imports().round()
        #expect(ground.export.requests.value.count == 2)
        #expect(try await ground.state().failure == nil)
        await ground.queue.close()
    }

    @Test func `while Apple makes the export, the same one is looked at again, and fails only after six hours`()
        async throws
    {
        let ground = try await DeliveryGround()
        let export = ground.export
        export.state.withLockedValue { $0 = "PROCESSING" }
        let imports = ground.imports()
        await imports.round()
        await imports.round()
        #expect(export.looks.value == 1, "It is looked at again 20 seconds later, at the earliest.")
        // The pauses grow to ten minutes.
        for (number, pause) in [21, 21, 31, 601, 601].enumerated() {
            ground.advance(by: .seconds(pause))
            // Any worker goes on, also one that has just started.
            await (number.isMultiple(of: 2) ? ground.imports() : imports).round()
            #expect(export.looks.value == number + 2)
            #expect(export.requests.value.count == 1 && ground.log.lines.isEmpty)
        }
        #expect(try await ground.state().failure == nil)
        ground.advance(by: .seconds(6 * 3600))
        await imports.round()
        #expect(try await ground.state().failure?.contains("still making the export") == true)
        #expect(ground.log.lines.count { $0.contains("can't be imported") } == 1)
        // Then it is requested anew, and the counts are those of the days that were asked for.
        export.state.withLockedValue { $0 = "SUCCESS" }
        export.set("alert,Delivered,\(Self.day(1)),7")
        ground.advance(by: .seconds(301))
        await imports.round()
        let state = try await ground.state()
        #expect(export.requests.value.count == 2 && state.failure == nil && state.imported != nil)
        #expect(try await ground.days().count == 1)
        await ground.queue.close()
    }

    @Test func `apps whose exports never come hold up no other one`() async throws {
        let ground = try await DeliveryGround()
        let slow = (1...20).map { "a\($0)" }
        ground.export.neverReady.withLockedValue { $0 = Set(slow.map { "com.example.\($0)" }) }
        ground.export.set("alert,Delivered,\(Self.day(1)),7")
        let imports = ground.imports(slow + ["shop"])
        // Each round ends although nothing is ready, and looks at a few apps at least; those that were looked at are due later.
        var rounds = 0
        while try await ground.days().isEmpty, rounds < 21 {
            await imports.round()
            rounds += 1
        }
        #expect(try await ground.days().count == 1, "\(rounds)")
        #expect(try await ground.state("a1").failure == nil)
        await ground.queue.close()
    }

    @Test(arguments: [
        (401, "SUCCESS", "", "Make one in CloudKit Console"), (429, "SUCCESS", "", "Try again later"),
        (302, "SUCCESS", "", "answered 302"), (400, "SUCCESS", "", "check team, app"),
        (503, "SUCCESS", "", "answered 503"),
        (200, "FAILED", "", "couldn't make the export"), (200, "EXPIRED", "", "Request a new one"),
        (200, "SUCCESS", "alert,Delivered,yesterday", "can't be read in line 2"),
        (200, "SUCCESS", "alert,Delivered,DAY,99999999999999999999", "can't be read in line 2"),
        (200, "SUCCESS", "alert,Delivered,DAY,9223372036854775807", "can't be read in line 2"),
        (200, "SUCCESS", "\(String(repeating: "x", count: 65)),Delivered,DAY,1", "can't be what Apple counts"),
    ])
    func `a failure is logged once with the way out, and tried again later, until it works`(
        status: Int, state: String, line: String, words: String
    ) async throws {
        let ground = try await DeliveryGround()
        let (export, imports) = (ground.export, ground.imports())
        export.status.withLockedValue { $0 = status }
        export.state.withLockedValue { $0 = state }
        export.set(line.replacing("DAY", with: Self.day(1)))
        for times in 1...4 {
            await imports.round()
            let found = try await ground.state()
            #expect(found.failures == times && found.failure?.contains(words) == true, "\(found)")
            await imports.round()
            #expect(export.requests.value.count == times, "It waits.")
            ground.advance(by: .seconds(5 * 3600))
        }
        #expect(try await ground.days().isEmpty)
        #expect(ground.log.lines.count { $0.contains("can't be imported") } == 1, "\(ground.log.lines)")
        #expect(!ground.log.lines.contains { $0.contains("s3cr3t") })

        export.status.withLockedValue { $0 = 200 }
        export.state.withLockedValue { $0 = "SUCCESS" }
        export.set("alert,Delivered,\(Self.day(1)),7")
        await imports.round()
        let last = try await ground.state()
        #expect(last.failure == nil && last.failures == 0)
        #expect(try await ground.days().count == 1)
        await ground.queue.close()
    }

    @Test(arguments: [403, 404, 410])
    func `a download that has expired is requested again`(status: Int) async throws {
        let ground = try await DeliveryGround()
        ground.export.set("alert,Delivered,\(Self.day(1)),7")
        ground.export.download.withLockedValue { $0 = status }
        let imports = ground.imports()
        await imports.round()
        #expect(
            try await ground.state().failure == "The download has expired (status \(status)). Request the report again."
        )
        ground.export.download.withLockedValue { $0 = 200 }
        ground.advance(by: .seconds(301))
        await imports.round()
        #expect(ground.export.requests.value.count == 2)
        #expect(try await ground.days().count == 1)
        await ground.queue.close()
    }

    @Test(arguments: [("", "one word"), ("two words", "one word"), (nil, "doesn't exist")])
    func `a file without a token fails before Apple is asked`(text: String?, words: String) async throws {
        let ground = try await DeliveryGround()
        if let text {
            try ground.folder.write(text, to: "export.token")
        } else {
            try FileManager.default.removeItem(atPath: ground.folder.path("export.token"))
        }
        await ground.imports().round()
        let failure = try #require(try await ground.state().failure)
        #expect(failure.contains(words) && !failure.contains(ground.folder.url.lastPathComponent), "\(failure)")
        #expect(ground.log.lines.contains { $0.contains(ground.folder.path("export.token")) })
        #expect(ground.export.requests.value.isEmpty)
        await ground.queue.close()
    }

    @Test func `an app whose server does not answer holds up no other one, and a stop ends it`() async throws {
        let ground = try await DeliveryGround()
        ground.export.silent.withLockedValue { $0 = "com.example.news" }
        ground.export.set("alert,Delivered,\(Self.day(1)),7")
        let imports = ground.imports(["news", "shop"])
        let round = Task { await imports.round() }
        _ = try await ground.export.requests.wait(for: "both requests") { $0.count == 2 }
        while try await ground.days().isEmpty { await Task.yield() }
        // The next import of the other app does not wait for the slow one.
        while ground.export.requests.value.count < 3 {
            try await ground.makeDue()
            await imports.round()
        }
        round.cancel()
        await round.value
        // The next worker begins at once.
        ground.export.silent.withLockedValue { $0 = "" }
        await ground.imports(["news", "shop"]).round()
        #expect(try await ground.days("news").count == 1)
        #expect(ground.export.requests.value.count == 4)
        await ground.queue.close()
    }

    @Test(arguments: 0..<50) func `the next import is in the next night`(hour: Int) {
        let now = QueueTime(milliseconds: 1_790_000_000_000) + .seconds(hour * 3600)
        let next = DeliveryImports.nextNight(after: now)
        #expect(next > now && next - now < .seconds(26 * 3600))
        #expect((4..<6).contains(next.milliseconds / 3_600_000 % 24))
    }

    @Test func `a damaged record ends nothing`() async throws {
        let big = "9223372036854775807"
        try await RunningService.with(apps: try await DeliveryGround().apps().settings()) { service in
            for (kind, key, text) in [
                (
                    "delivery_counts", "shop/\(Self.day(1))",
                    #"{"alert":{"delivered":\#(big),"stored":\#(big),"new":-1}}"#
                ),
                ("delivery_counts", "shop/\(Self.day(2))", "[1"), ("delivery_counts", "shop/", #"{"alert":7}"#),
                ("delivery_import", "shop", #"{"due":\#(big),"imported":-\#(big),"newest":{"a":\#(big),"b":\#(big)}}"#),
            ] {
                _ = try await service.queue.store(Array(text.utf8), kind: kind, key: key, ifVersion: nil)
            }
            let key = try await service.key(["shop"], [.read])
            for path in ["/v1/delivery?days=366", "/v1/status"] {
                #expect(try await service.ask("GET", path, key: key).status == 200)
            }
            await DeliveryImports(
                queue: service.queue, apps: try await DeliveryGround().apps(), logger: .silent
            ).round()
        }
    }

    @Test func `a file that breaks off is no export, wherever it does`() async throws {
        let ground = try await DeliveryGround()
        ground.export.set("alert,Delivered,\(Self.day(1)),1234", "alert,Delivered,\(Self.day(2)),5678")
        let whole = ground.export.file.withLockedValue { $0.utf8.count }
        for left in [0, 2, 5, "alert,Delivered,\(Self.day(2)),5678".utf8.count] {
            ground.export.cut.withLockedValue { $0 = whole - left }
            try await ground.makeDue()
            await ground.imports().round()
            #expect(try await ground.state().failure?.contains("broke off") == true, "\(left)")
            #expect(try await ground.days().isEmpty, "\(left)")
        }
    }

    @Test func `a file without one of the days is no export, and an empty one is`() async throws {
        let ground = try await DeliveryGround()
        ground.export.set("alert,Delivered,11/27/2026,7")
        try await ground.makeDue()
        await ground.imports().round()
        #expect(try await ground.state().failure != nil)
        ground.export.set()
        try await ground.makeDue()
        await ground.imports().round()
        let state = try await ground.state()
        #expect(state.failure == nil && state.newest.isEmpty, "\(state)")
    }

    @Test func `an app that is purged keeps no counts`() async throws {
        let ground = try await DeliveryGround()
        ground.export.set("alert,Delivered,\(Self.day(1)),7")
        await ground.imports().round()
        try await DeliveryCounts.forget(app: "shop", ground.queue)
        #expect(try await ground.days().isEmpty)
        #expect(try await ground.queue.record(kind: DeliveryImportState.kind, key: "shop") == nil)
        await ground.queue.close()
    }
}
