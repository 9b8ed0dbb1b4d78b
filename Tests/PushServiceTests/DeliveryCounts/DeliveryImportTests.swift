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
    /// What the server answers, and how often it was asked for an export.
    private final class Export: Sendable {
        /// The status of the answer to a request; 200 for an export.
        let status = NIOLockedValueBox(200)
        let state = NIOLockedValueBox("SUCCESS")
        let file = NIOLockedValueBox("")
        /// After how many bytes the file breaks off.
        let cut = NIOLockedValueBox<Int?>(nil)
        /// The app whose request gets no answer.
        let silent = NIOLockedValueBox("")
        /// The bodies of the requests for an export, and the tokens.
        let requests = Watched<[(body: String, token: String)]>([])

        func steps(_ request: ServedRequest) -> [ServerStep] {
            func answer(_ status: Int, _ body: String = "") -> [ServerStep] {
                [.answer(request.streamID, status, body: body)]
            }
            let (path, root) = (request.fields[":path"] ?? "", "https://\(request.fields[":authority"] ?? "")")
            if path == "/status" {
                let state = state.withLockedValue { $0 }
                return answer(200, #"{"status":"\#(state)","downloadDetails":{"dataUrl":"\#(root)/data"}}"#)
            }
            if path == "/data" {
                let (file, id) = (file.withLockedValue { $0 }, request.streamID)
                guard let cut = cut.withLockedValue({ $0 }) else { return answer(200, file) }
                return [
                    .frame(.status(200, on: id)),
                    .frame(Frame(kind: .data, streamID: id, payload: Array(file.utf8.prefix(cut)))),
                    .frame(Frame(kind: .resetStream, streamID: id, payload: [0, 0, 0, 2])),
                ]
            }
            let token = request.fields["x-apple-cloudkit-management-token"] ?? ""
            requests.change { $0.append((request.body, token)) }
            let silent = silent.withLockedValue { $0 }
            if !silent.isEmpty, path.contains(silent) { return [] }
            return answer(status.withLockedValue { $0 }, #"{"statusUrl":"\#(root)/status"}"#)
        }

        func set(_ lines: String...) {
            file.withLockedValue { $0 = (["Push Type,Status,Date (UTC),Count"] + lines).joined(separator: "\n") }
        }
    }

    /// A queue, whose clock a test moves if it is a file, a server, and an app whose counts are imported.
    private struct Ground: Sendable {
        let export = Export()
        let server: ScriptedServer
        let folder: TemporaryFolder
        let queue: any QueueBackend
        let offset: NIOLockedValueBox<Duration>
        let log = CapturedLog()

        init(postgres: Bool = false) async throws {
            let export = export
            server = try await ScriptedServer.start(ServerScript(onRequest: { export.steps($0) }))
            folder = try TemporaryFolder()
            try folder.write("s3cr3t-token\nand more\n", to: "export.token")
            let offset = NIOLockedValueBox(Duration.zero)
            self.offset = offset
            if postgres {
                let server = try #require(try PostgresServer.shared())
                queue = try await PostgresQueue(PostgresAddress(server.address(schema: server.newSchema())))
            } else {
                var options = SQLiteQueue.Options()
                options.queue.clock = { .now + offset.withLockedValue { $0 } }
                queue = try SQLiteQueue(folder.path("queue.sqlite"), options: options)
            }
        }

        func makeDue() async throws {
            try await change { ($0.due, $0.busy) = (.earliest, .earliest) }
        }

        func change(_ body: (inout DeliveryImportState) -> Void) async throws {
            var state = try await state()
            body(&state)
            _ = try await queue.store(state.encoded, kind: DeliveryImportState.kind, key: "shop", ifVersion: nil)
        }

        func advance(by duration: Duration) { offset.withLockedValue { $0 += duration } }

        func apps(_ names: [String] = ["shop"]) -> ServedApps {
            let environment = PushEnvironment(
                host: "127.0.0.1", port: server.port, trust: .authorities(pem: server.identity.authorityPEM))
            let settings = names.map { name in
                RunningService.app(name) {
                    $0.environment = environment
                    $0.deliveryCounts = DeliveryCountSource(
                        tokenFile: folder.path("export.token"), teamID: "TEAM123456", bundleID: "com.example.\(name)")
                }
            }
            let all = Dictionary(uniqueKeysWithValues: settings.map { ($0.name, $0) })
            return ServedApps(settings: { all })
        }

        func imports(_ names: [String] = ["shop"]) -> DeliveryImports {
            DeliveryImports(queue: queue, apps: apps(names), logger: log.logger, firstWait: .zero)
        }

        func state(_ app: String = "shop") async throws -> DeliveryImportState {
            try #require(try await DeliveryImportState.all(apps([app]), queue)[app])
        }

        func days(_ app: String = "shop") async throws -> [DeliveryCounts] {
            try await DeliveryCounts.all(of: app, queue)
        }
    }

    private static func day(_ back: Int) -> String { DeliveryCounts.day(back, before: .now) }

    @Test(arguments: PostgresServer.isInstalled ? [false, true] : [false])
    func `a day that comes again is replaced, the first import is of 30 days, and a year is kept`(
        postgres: Bool
    ) async throws {
        let ground = try await Ground(postgres: postgres)
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
        let ground = try await Ground()
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
        let ground = try await Ground()
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
        let ground = try await Ground()
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

    @Test func `of several workers, one imports`() async throws {
        let ground = try await Ground()
        let workers = (0..<6).map { _ in ground.imports() }
        await withTaskGroup(of: Void.self) { group in
            for worker in workers { group.addTask { await worker.round() } }
        }
        #expect(ground.export.requests.value.count == 1)
        #expect(try await ground.state().failure == nil)
        await ground.queue.close()
    }

    @Test func `if the worker that imports dies, another one begins five minutes later`() async throws {
        let ground = try await Ground()
        ground.export.set("alert,Delivered,\(Self.day(1)),7")
        try await ground.change { $0.busy = .now + .seconds(300) }
        await ground.imports().round()
        #expect(ground.export.requests.value.isEmpty)
        ground.advance(by: .seconds(301))
        await ground.imports().round()
        #expect(try await ground.days().count == 1)
        await ground.queue.close()
    }

    @Test func `what is replaced after a failure is tried soon`() async throws {
        let ground = try await Ground()
        ground.export.status.withLockedValue { $0 = 401 }
        let settings = NIOLockedValueBox(ground.apps().settings())
        func imports() -> DeliveryImports {
            DeliveryImports(
                queue: ground.queue, apps: ServedApps(settings: { settings.withLockedValue { $0 } }),
                logger: ground.log.logger)
        }
        let first = imports()
        await first.round()
        ground.advance(by: .seconds(61))
        await first.round()
        #expect(ground.export.requests.value.count == 1, "Nothing has changed.")
        try ground.folder.write("renewed-token\n", to: "export.token")
        await first.round()
        #expect(ground.export.requests.value.map(\.token) == ["s3cr3t-token", "renewed-token"])
        #expect(try await ground.state().failures == 1, "The pauses begin anew.")
        settings.withLockedValue { $0["shop"]?.deliveryCounts?.bundleID = "com.example.other" }
        await first.round()
        #expect(ground.export.requests.value.count == 2, "A minute after a failure, at the earliest.")
        ground.advance(by: .seconds(61))
        await first.round()
        #expect(ground.export.requests.value.count == 3)
        // A service that starts does not know what was replaced before.
        ground.advance(by: .seconds(61))
        await imports().round()
        #expect(ground.export.requests.value.count == 4)
        await ground.queue.close()
    }

    @Test func `while Apple makes the export, the import comes again, and fails only after a while`() async throws {
        let ground = try await Ground()
        ground.export.state.withLockedValue { $0 = "PROCESSING" }
        let imports = ground.imports()
        for times in 1...5 {
            await imports.round()
            #expect(ground.export.requests.value.count == times)
            #expect(try await ground.state().failure?.contains("still making the export") == (times < 5 ? nil : true))
            ground.advance(by: .seconds(5 * 3600))
        }
        #expect(ground.log.lines.count { $0.contains("can't be imported") } == 1)
        #expect(Set(ground.export.requests.value.map(\.token)).count == 1)
        await ground.queue.close()
    }

    @Test(arguments: [
        (401, "SUCCESS", "", "Make one in CloudKit Console"), (429, "SUCCESS", "", "Try again later"),
        (400, "SUCCESS", "", "check team, app"), (503, "SUCCESS", "", "answered 503"),
        (200, "FAILED", "", "couldn't make the export"), (200, "EXPIRED", "", "Request a new one"),
        (200, "SUCCESS", "alert,Delivered,yesterday", "can't be read in line 2"),
        (200, "SUCCESS", "alert,Delivered,DAY,99999999999999999999", "can't be read in line 2"),
        (200, "SUCCESS", "alert,Delivered,DAY,9223372036854775807", "can't be read in line 2"),
        (200, "SUCCESS", "\(String(repeating: "x", count: 65)),Delivered,DAY,1", "can't be what Apple counts"),
    ])
    func `a failure is logged once with the way out, and tried again later, until it works`(
        status: Int, state: String, line: String, words: String
    ) async throws {
        let ground = try await Ground()
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

    @Test(arguments: [("", "one word"), ("two words", "one word"), (nil, "doesn't exist")])
    func `a file without a token fails before Apple is asked`(text: String?, words: String) async throws {
        let ground = try await Ground()
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
        let ground = try await Ground()
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

    // MARK: What is shown

    @Test func `the counts stand beside what was accepted, with why they differ`() async throws {
        let ground = try await Ground()
        let apps = ground.apps()
        try await RunningService.with(apps: apps.settings(), { $0.metrics = .init(port: 0) }) { service in
            let key = try await service.key(["shop"], [.read])
            _ = try await service.ask(
                "POST", "/v1/notifications", "[\(push()), \(push()), \(push())]", key: service.key())
            let jobs = try await service.queue.claim(
                QueueClaimRequest(owner: "test", limit: 3, lease: .seconds(60), apps: ["shop": 3]))
            _ = try await service.queue.start(jobs.map(\.lease))
            for (job, type) in zip(jobs, ["alert", "alert", "broadcast"]) {
                var completion = QueueJobCompletion(job.lease, .accepted)
                completion.pushType = type
                _ = try await service.queue.complete([completion])
            }
            let today = Self.day(0)
            func items() async throws -> [PushJSONValue] {
                let answer = try await service.ask("GET", "/v1/delivery?days=7", key: key)
                guard case .array(let items)? = PushJSONValue(json: Array(answer.text.utf8))?["items"] else {
                    return []
                }
                return items
            }
            let before = try await items()
            #expect(before.count == 1 && before[0]["accepted"] == .integer(2) && before[0]["counts"] == nil)
            #expect(before[0].string("explanation")?.contains("weren't imported") == true)

            for (counts, difference, words) in [
                (["delivered": 2], 0, "fit"), (["delivered": 1, "stored": 2], 1, "fit"),
                (["delivered": 9], 7, "7 more"), (["discarded": 1], -1, "1 fewer"),
            ] {
                try await DeliveryCounts(day: today, types: ["alert": counts]).store(service.queue)
                let found = try await items()
                #expect(found.count == 1 && found[0]["difference"] == .integer(difference), "\(found)")
                #expect(found[0].string("explanation")?.contains(words) == true, "\(found)")
            }
            // A day on which the service sent nothing, and a push that an earlier version has counted.
            try await DeliveryCounts(day: Self.day(3), types: ["alert": ["delivered": 5]]).store(service.queue)
            _ = try await service.ask("POST", "/v1/notifications", push(), key: service.key())
            try await service.deliver()
            let both = try await items()
            #expect(both.count == 2 && both[0]["accepted"] == nil && both[1]["accepted"] == .integer(0), "\(both)")
            #expect(both[0].string("explanation")?.contains("didn't count") == true)

            let port = try #require(await service.service.metricsPort)
            let connection = try await HTTPConnection.open(port: port)
            defer { connection.close() }
            let untold = try await connection.ask("GET", "/metrics", key: nil).text
            #expect(!untold.contains("pushserve_delivery"), "Nothing was imported yet.")
            var state = DeliveryImportState()
            (state.failure, state.imported) = ("Apple refused the token.", .now)
            (state.newest, state.earlier) = (["discarded": 1], ["delivered": 5])
            _ = try await service.queue.store(
                state.encoded, kind: DeliveryImportState.kind, key: "shop", ifVersion: nil)
            #expect(try await service.ask("GET", "/v1/status", key: key).text.contains("Apple refused the token."))
            let text = try await connection.ask("GET", "/metrics", key: nil).text
            for line in [
                #"pushserve_delivery_import_up{app="shop"} 0"#,
                #"pushserve_delivery_day_pushes{app="shop",state="discarded"} 1"#,
                #"pushserve_delivery_discarded_ratio{app="shop",period="day"} 1.0"#,
                #"pushserve_delivery_discarded_ratio{app="shop",period="month"} 0.0"#,
            ] {
                #expect(text.contains(line + "\n"), "\(line)\n\(text)")
            }
            let reasons = try await service.ask("GET", "/v1/statistics", key: key).text
            #expect(reasons.contains(#""count":4"#) && !reasons.contains("alert"), "Statistics show no push types.")
            let other = try await service.key(["news"], [.read])
            #expect(try await service.ask("GET", "/v1/delivery?app=shop", key: other).status == 404)
            #expect(try await service.ask("GET", "/v1/delivery", key: service.key(["shop"], [.send])).status == 403)
            #expect(try await service.ask("GET", "/v1/delivery?days=0", key: key).status == 400)
            #expect(try await service.ask("GET", "/v1/delivery?days=367", key: key).status == 400)
        }
        await ground.queue.close()
    }

    @Test func `complete days are judged only`() async throws {
        let ground = try await Ground()
        ground.export.set(
            "alert,Discarded,\(Self.day(1)),1000", "alert,Discarded,\(Self.day(2)),10", "voip,New,\(Self.day(2)),30",
            "alert,Delivered,\(Self.day(3)),70", "voip,Discarded,\(Self.day(9)),7")
        await ground.imports().round()
        let state = try await ground.state()
        #expect(state.newest == ["discarded": 10, "other": 30])
        #expect(state.earlier == ["delivered": 70, "discarded": 7])
        #expect(state.isCurrent(.now) && !state.isCurrent(.now + .seconds(4 * 86_400)))
        await ground.queue.close()
    }

    @Test(arguments: [
        (PushEnvironment.sandbox, "com.example.shop", "cannot be compared", nil),
        (.production, "com.example.shop", "other apps of this service", 7),
        (.production, "com.example.other", "your team's other senders,", 7),
    ])
    func `the explanation knows the sandbox and apps that share a bundle id`(
        environment: PushEnvironment, other: String, words: String, difference: Int?
    ) async throws {
        let apps = ["shop", "second"].map { name in
            RunningService.app(name) {
                $0.environment = environment
                if name == "second" { $0.topic = other + ".voip" }
                $0.deliveryCounts = DeliveryCountSource(
                    tokenFile: "t", teamID: "TEAM123456", bundleID: name == "shop" ? "com.example.shop" : other)
            }
        }
        try await RunningService.with(apps: Dictionary(uniqueKeysWithValues: apps.map { ($0.name, $0) })) { service in
            try await DeliveryCounts(day: Self.day(1), types: ["alert": ["delivered": 7]]).store(service.queue)
            let answer = try await service.ask("GET", "/v1/delivery?days=366", key: service.key(["shop"], [.read]))
            guard case .array(let items)? = PushJSONValue(json: Array(answer.text.utf8))?["items"] else {
                Issue.record("\(answer.text)")
                return
            }
            #expect(items[0].string("explanation")?.contains(words) == true, "\(items)")
            #expect(items[0]["difference"] == difference.map(PushJSONValue.integer))
        }
    }

    @Test func `pushes to another bundle id are not among Apple's counts`() {
        var app = RunningService.app("shop")
        #expect(app.mayPush(besides: "com.example.shop"), "Without a list, a push can name any topic.")
        app.allowedTopics = ["com.example.shop", "com.example.shop.voip"]
        #expect(!app.mayPush(besides: "com.example.shop"))
        app.allowedTopics.append("com.example.other.voip")
        #expect(app.mayPush(besides: "com.example.shop") && app.pushes(to: "com.example.other"))
    }

    @Test func `a damaged record ends nothing`() async throws {
        let big = "9223372036854775807"
        try await RunningService.with(apps: try await Ground().apps().settings()) { service in
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
                queue: service.queue, apps: try await Ground().apps(), logger: .silent, firstWait: .zero
            ).round()
        }
    }

    @Test func `a file that breaks off is no export, wherever it does`() async throws {
        let ground = try await Ground()
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
        let ground = try await Ground()
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
        let ground = try await Ground()
        ground.export.set("alert,Delivered,\(Self.day(1)),7")
        await ground.imports().round()
        try await DeliveryCounts.forget(app: "shop", ground.queue)
        #expect(try await ground.days().isEmpty)
        #expect(try await ground.queue.record(kind: DeliveryImportState.kind, key: "shop") == nil)
        await ground.queue.close()
    }
}

extension DeliveryCounts {
    /// Stores the counts of a day in place of those that are there.
    func store(_ queue: any QueueBackend, _ app: String = "shop") async throws {
        let record = record(of: app)
        _ = try await queue.store(record.value, kind: record.kind, key: record.key, ifVersion: nil)
    }
}
