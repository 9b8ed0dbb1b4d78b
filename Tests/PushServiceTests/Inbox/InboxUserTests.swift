import PushDelivery
import PushJSON
import PushPlatform
import PushQueue
import PushTime
import TestSupport
import Testing

@testable import PushQueuePostgres
@testable import PushService

/// Rows of an inbox to users, which become pushes to their devices.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct InboxUserTests {
    private static func toUser(_ user: String, _ more: String = "") -> String {
        #"{"user":"\#(user)","payload":{"aps":{"alert":"Hello"}}\#(more)}"#
    }

    private static func devices(_ numbers: Int...) -> [RecipientDevice] {
        numbers.map { RecipientDevice(TeamTable.token($0)) }
    }

    @Test func `a push to a user becomes one for each device, and one of them has the id of the call`() async throws {
        let table = TeamTable()
        table.change { $0.users["42"] = Self.devices(1, 2, 3) }
        try await InboxGround.with(apps: table.apps()) { ground in
            let id = try ground.enqueue(Self.toUser("42", #","dedupe_key":"d""#))
            let again = try ground.enqueue(Self.toUser("42", #","dedupe_key":"d""#))
            let nobody = try ground.enqueue(Self.toUser("7"))
            let wrong = try ground.enqueue(Self.toUser("wrong"))
            let token = try ground.enqueue(InboxGround.push())
            try await ground.move()
            #expect(try await ground.service.deliver() == 4)
            var feed = ground.feed()
            try await feed.round()
            let rows = try ground.tokens()
            #expect(rows["accepted"] == [InboxGround.token] + (1...3).map { TeamTable.token($0) })
            #expect(rows["duplicate"] == (1...3).map { TeamTable.token($0) })
            #expect(try ground.outcomes()[id] == "accepted")
            #expect(try ground.outcomes()[again] == "duplicate")
            #expect(try ground.outcomes()[token] == "accepted")
            #expect(try await ground.outcome(nobody)?.reason == "no_device")
            #expect(try await ground.outcome(wrong)?.reason == "invalid")
            #expect(try await ground.outcome(wrong)?.detail?.hasPrefix("invalid_user /user: ") == true)
        }
    }

    @Test(arguments: [[1, 2, 3], [3, 2, 1], [2, 3], [4, 1, 2, 3], [4], []])
    func `each device gets a push to a user once, also if the row is moved again and there are other devices`(
        later: [Int]
    ) async throws {
        let table = TeamTable()
        table.change { $0.users["42"] = Self.devices(1, 2, 3) }
        try await InboxGround.with(apps: table.apps()) { ground in
            let id = try ground.enqueue(Self.toUser("42"))
            try await ground.move()
            table.change { $0.users["42"] = later.map { RecipientDevice(TeamTable.token($0)) } }
            for isFinished in [false, true] {
                if isFinished { try await ground.service.deliver() }
                // As after a kill of the mover before the row was deleted.
                try ground.user.execute(
                    "INSERT INTO \(ground.schema).inbox (id, app, push) VALUES ('\(id)', 'shop', '\(Self.toUser("42"))')"
                )
                try await ground.move()
            }
            try await ground.service.deliver()
            var feed = ground.feed()
            try await feed.round()
            let expected = Set([1, 2, 3] + later).map { TeamTable.token($0) }.sorted()
            #expect(try ground.tokens() == ["accepted": expected])
        }
    }

    @Test func `a mover that died after the first device of a user goes on with the others`() async throws {
        let table = TeamTable()
        table.change { $0.users["42"] = Self.devices(1) }
        try await InboxGround.with(apps: table.apps()) { ground in
            let id = try ground.enqueue(Self.toUser("42"))
            try await ground.move()
            table.change { $0.users["42"] = Self.devices(2, 1, 3) }
            try ground.user.execute(
                "INSERT INTO \(ground.schema).inbox (id, app, push) VALUES ('\(id)', 'shop', '\(Self.toUser("42"))')")
            try await ground.move()
            #expect(try await ground.service.deliver() == 3)
            var feed = ground.feed()
            try await feed.round()
            #expect(try ground.tokens() == ["accepted": (1...3).map { TeamTable.token($0) }])
        }
    }

    @Test(arguments: [false, true])
    func `a device that is erased while a row is moved gets no push, also if the connection breaks`(
        breaks: Bool
    ) async throws {
        let table = TeamTable()
        table.change { $0.users["42"] = Self.devices(1, 2) }
        try await InboxGround.with(apps: table.apps()) { ground in
            _ = try ground.enqueue(Self.toUser("42"))
            // As long as it is locked, the erasure waits for the mover.
            if breaks { _ = try ground.enqueue(InboxGround.push(token: TeamTable.token(1))) }
            let key = try await ground.service.key()
            let (service, inbox) = (ground.service, ground.inbox)
            table.change { state in
                state.meanwhile = {
                    table.change { $0.users["42"] = Self.devices(2) }
                    do {
                        if breaks { try InboxGround.endMover(of: inbox) }
                        let path = "/v1/notifications?token=\(TeamTable.token(1))&app=shop"
                        let answer = try await service.ask("DELETE", path, key: key)
                        #expect(answer["erased"] != nil, "\(answer.text)")
                        if breaks { #expect(answer["inbox_rows"] == 1, "\(answer.text)") }
                    } catch {
                        Issue.record(error)
                    }
                }
            }
            do {
                _ = try await ground.mover.round()
                #expect(!breaks)
            } catch is QueueError {
                #expect(breaks)
            }
            try await ground.move()
            #expect(try await ground.service.deliver() == 1)
            var feed = ground.feed()
            try await feed.round()
            #expect(try ground.tokens() == ["accepted": [TeamTable.token(2)]])
        }
    }

    @Test func `while one device after another is erased, rows are moved in smaller parts`() async throws {
        let table = TeamTable()
        table.change { state in for user in 1...30 { state.users["\(user)"] = Self.devices(user) } }
        try await InboxGround.with(apps: table.apps()) { ground in
            for user in 1...30 { _ = try ground.enqueue(Self.toUser("\(user)")) }
            let (service, key) = (ground.service, try await ground.service.key())
            table.change { state in
                state.eachTime = { users in
                    // Few users are read between two erasures.
                    if users <= 3 { return }
                    do {
                        let path = "/v1/notifications?token=\(TeamTable.token(99))&app=shop"
                        _ = try await service.ask("DELETE", path, key: key)
                    } catch {
                        Issue.record(error)
                    }
                }
            }
            _ = try await ground.mover.round()
            #expect(try await service.queue.counts()["shop"]?.unfinished == 30)
        }
    }

    @Test func `each device's pushes are in the order of the calls, also within a millisecond`() async throws {
        let table = TeamTable()
        table.change { $0.users["42"] = Self.devices(1, 2, 3) }
        try await InboxGround.with(apps: table.apps()) { ground in
            let pushes = (0..<300).map { Self.toUser("42", #","collapse_id":"\#($0)""#) }
            let statement = PostgresText("SELECT \(ground.schema).enqueue_all('shop', $1::text::json)")
            _ = try ground.user.run(PostgresStatement(statement, [.text("[\(pushes.joined(separator: ","))]")]))
            try await ground.move()
            for number in 1...3 {
                let target = QueueJobTarget.device(TeamTable.token(number))
                let query = QueueJobQuery(app: "shop", filter: .target(target), limit: 1000)
                let jobs = try await ground.service.queue.jobs(query).items
                let order = jobs.reversed().compactMap { PushDetails(encoded: $0.push)?.collapseID }
                #expect(order == (0..<300).map { "\($0)" }, "device \(number)")
            }
        }
    }

    @Test func `while an app's table is slow, rows of other apps come between`() async throws {
        let table = TeamTable()
        table.change { $0.users["42"] = Self.devices(1) }
        try await InboxGround.with(apps: table.apps()) { ground in
            try await ground.inbox.grant([.send(app: "news")], to: PostgresServer.user)
            let pushes = try (1...120).map { _ in try ground.enqueue(Self.toUser("42")) }
            let other = try ground.enqueue(InboxGround.push(), app: "news")
            ground.mover.longestAsking = .zero
            _ = try await ground.mover.round()
            #expect(try await ground.service.queue.counts()["shop"]?.unfinished == 50)
            while try await ground.service.queue.jobs([other], app: "news").isEmpty {
                try Task.checkCancellation()
                _ = try await ground.mover.round()
            }
            while try await ground.service.queue.counts()["shop"]?.unfinished != pushes.count {
                try Task.checkCancellation()
                _ = try await ground.mover.round()
            }
        }
    }

    @Test func `a push to a user whose table cannot be asked waits, and the others go on`() async throws {
        let table = TeamTable()
        table.change { state in
            state.users["42"] = Self.devices(1)
            state.failure = QueueError(.unreachable, "no table")
        }
        try await InboxGround.with(apps: table.apps()) { ground in
            let waiting = try (1...600).map { _ in try ground.enqueue(Self.toUser("42")) }
            let other = try ground.enqueue(InboxGround.push())
            // The first round has only pushes to users, and none is moved.
            #expect(try await ground.mover.round() == false)
            while try await ground.service.queue.jobs([other], app: "shop").isEmpty {
                try Task.checkCancellation()
                _ = try await ground.mover.round()
            }
            #expect(try await ground.service.queue.jobs([waiting[0]], app: "shop").isEmpty)
            table.change { $0.failure = nil }
            // The table is asked again after a pause.
            while try await ground.service.queue.counts()["shop"]?.unfinished != 601 {
                try Task.checkCancellation()
                _ = try await ground.mover.round()
            }
        }
    }
}
