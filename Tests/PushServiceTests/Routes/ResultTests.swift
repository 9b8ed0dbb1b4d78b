import NIOConcurrencyHelpers
import PushJSON
import PushQueue
import Testing

@testable import PushService

@Suite struct ResultTests {
    private func finished(
        _ service: RunningService, _ count: Int, _ key: String, app: String = "shop"
    ) async throws {
        let body = "[" + (0..<count).map { push(title: "Number \($0)") }.joined(separator: ",") + "]"
        #expect(try await service.ask("POST", "/v1/notifications", body, key: key).status == 202)
        try await service.deliver(app: app)
    }

    @Test func `pages follow each other, and the last cursor stays valid`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            try await finished(service, 5, key)
            var seen: [String] = []
            var path = "/v1/results?limit=2"
            while true {
                let page = try await service.ask("GET", path, key: key)
                let next = try #require(page.string("next"))
                if page.items().isEmpty { break }
                #expect(page.items().last?.string("cursor") == next)
                seen += page.items().compactMap { $0.string("id") }
                path = "/v1/results?limit=2&after=\(next)"
            }
            #expect(seen.count == 5 && Set(seen).count == 5)
            try await finished(service, 1, key)
            #expect(try await service.ask("GET", path, key: key).items().count == 1)
        }
    }

    @Test func `events come as they happen, and are resumed after the last one`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            try await finished(service, 1, key)
            let connection = try await HTTPConnection.open(port: service.port)
            let head = "GET /v1/results/events HTTP/1.1\r\nhost: localhost\r\nauthorization: bearer \(key)\r\n"
            try await connection.send(head + "\r\n")
            #expect(await connection.read(until: "retry: 1000\n\n").contains("text/event-stream"))
            try await finished(service, 1, key)
            // A comment may come before it.
            let event = await connection.read(until: "event: result", then: "\n\n")
            #expect(event.contains("event: result\n") && event.contains("\"kind\":\"accepted\""))
            #expect(!event.contains("event: gap"))
            connection.close()
            let id = try #require(event.firstMatch(of: /id: (c_[\w-]+)\n/)?.output.1)
            try await finished(service, 1, key)
            let second = try await HTTPConnection.open(port: service.port)
            defer { second.close() }
            try await second.send(head + "last-event-id: \(id)\r\n\r\n")
            let resumed = await second.read(until: "event: result")
            #expect(!resumed.contains("id: \(id)\n"))
        }
    }

    @Test func `without a cursor events begin with the next outcome, with one after it`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            #expect(try await service.queue.resultsEnd() >= .start)
            for count in [1, 2, 4, 7] {
                try await finished(service, count, key)
                let end = try await service.queue.resultsEnd()
                #expect(try await service.queue.results(of: ["shop"], after: end, limit: 1).items.isEmpty)
                let before = QueueResultCursor(number: end.number - 1)
                #expect(try await service.queue.results(of: ["shop"], after: before, limit: 10).items.count == 1)
            }
            let connection = try await HTTPConnection.open(port: service.port)
            defer { connection.close() }
            try await connection.send(
                "GET /v1/results/events?after=r0 HTTP/1.1\r\nhost: localhost\r\nauthorization: bearer \(key)\r\n\r\n")
            #expect(await connection.read(until: "event: result").contains("retry: 1000"))
        }
    }

    @Test func `a key for all apps gets the outcomes of apps that come later, and of apps that have left`() async throws
    {
        try await RunningService.with(apps: ["shop": RunningService.app("shop")]) { service in
            let key = try await service.key(["*"])
            let connection = try await HTTPConnection.open(port: service.port)
            defer { connection.close() }
            try await connection.send(
                "GET /v1/results/events HTTP/1.1\r\nhost: localhost\r\nauthorization: bearer \(key)\r\n\r\n")
            _ = await connection.read(until: "retry: 1000")
            for app in ["news", "shop"] {
                let job = NewQueueJob(to: .device("0f0f"), payload: Array("{}".utf8))
                _ = try await service.queue.enqueue(EnqueueRequest([job], app: app))
                try await service.deliver(app: app)
            }
            #expect(await connection.read(until: "\"app\":\"shop\"").contains("\"app\":\"news\""))
            let page = try await service.ask("GET", "/v1/results", key: key)
            #expect(page.items().map { $0.string("app") } == ["news", "shop"])
            #expect(try await service.ask("GET", "/v1/results?app=news", key: key).status == 404)
        }
    }

    @Test func `outcomes that were dropped are a gap`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            try await finished(service, 3, key)
            _ = try await service.queue.dropFinished(before: .zero, limit: 100)
            try await finished(service, 1, key)
            let page = try await service.ask("GET", "/v1/results", key: key)
            #expect(page["gap"] == .bool(true) && page.items().count == 1)
            let after = try await service.ask("GET", "/v1/results?after=\(page.string("next") ?? "")", key: key)
            #expect(after["gap"] == .bool(false))
            let connection = try await HTTPConnection.open(port: service.port)
            defer { connection.close() }
            try await connection.send(
                "GET /v1/results/events?after=r0 HTTP/1.1\r\nhost: localhost\r\nauthorization: bearer \(key)\r\n\r\n")
            let events = await connection.read(until: "event: result")
            #expect(events.contains("event: gap\nid: c_"))
        }
    }

    @Test func `the end of the service ends event streams`() async throws {
        let service = try await RunningService.start()
        let key = try await service.key()
        let connection = try await HTTPConnection.open(port: service.port)
        defer { connection.close() }
        try await connection.send(
            "GET /v1/results/events HTTP/1.1\r\nhost: localhost\r\nauthorization: bearer \(key)\r\n\r\n")
        _ = await connection.read(until: "retry")
        try await service.stop()
        #expect(await connection.readToEnd().hasSuffix("0\r\n\r\n"))
    }

    @Test func `a cursor from before a restore has a gap, and everything that is kept follows`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            try await finished(service, 3, key)
            let page = try await service.ask("GET", "/v1/results?after=r4000000000000000000", key: key)
            #expect(page["gap"] == .bool(true) && page.items().count == 3)
            let last = try #require(page.string("next"))
            let after = try await service.ask("GET", "/v1/results?after=\(last)", key: key)
            #expect(after["gap"] == .bool(false) && after.items().isEmpty)
        }
    }

    @Test func `a cursor tells nothing about other apps, and works with every worker`() async throws {
        try await RunningService.with { service in
            let (key, news) = (
                try await service.key(["shop"], [.read, .send, .admin]), try await service.key(["news"])
            )
            var cursors: [String] = []
            for count in [1, 20, 200] {
                try await finished(service, 1, key)
                try await finished(service, count, news, app: "news")
            }
            let end = try await service.queue.resultsEnd().number
            let lists = ["results", "results?order=newest", "notifications", "notifications?state=finished", "audit"]
            for list in lists {
                let path = "/v1/\(list)\(list.contains("?") ? "&" : "?")limit=1"
                let page = try await service.ask("GET", path, key: key)
                cursors += [page.string("next"), page.items().first?.string("cursor")].compactMap(\.self)
            }
            #expect(cursors.count >= 6)
            for cursor in cursors { #expect(cursor.wholeMatch(of: /c_[\w-]{59}/) != nil, "\(cursor)") }
            // The seal is the queue's.
            let first = try #require(try await service.ask("GET", "/v1/results?limit=1", key: key).string("next"))
            let seal = try await CursorSeals(service.queue).seal()
            // What isn't sealed shows where the end was before the first seal, and not where it is.
            try await finished(service, 5, news, app: "news")
            for (number, hasGap) in [(0, false), (end, false), (end + 1, true), (4_000_000_000_000_000_000, true)] {
                let page = try await service.ask("GET", "/v1/results?after=r\(number)", key: key)
                #expect(page["gap"] == .bool(hasGap), "\(number)")
            }
            #expect(seal.open(first).wholeMatch(of: /r[0-9]+/) != nil && seal.seal(seal.open(first)) == first)
        }
    }

    @Test func `a cursor of another queue has a gap, and one that was changed too`() async throws {
        let other = NIOLockedValueBox("")
        try await RunningService.with { service in
            try await finished(service, 1, try await service.key())
            let page = try await service.ask("GET", "/v1/results", key: try await service.key())
            other.withLockedValue { $0 = page.string("next") ?? "" }
        }
        try await RunningService.with { service in
            let key = try await service.key()
            try await finished(service, 3, key)
            let own = try await service.ask("GET", "/v1/results", key: key).string("next") ?? ""
            let changed = "c_" + (own.dropFirst(2).first == "A" ? "B" : "A") + own.dropFirst(3)
            for cursor in [other.withLockedValue { $0 }, changed, "c_", "c_x", String(own.dropLast())] {
                let page = try await service.ask("GET", "/v1/results?after=\(cursor)", key: key)
                #expect(page["gap"] == .bool(true) && page.items().count == 3, "\(cursor)")
                let list = try await service.ask("GET", "/v1/notifications?after=\(cursor)", key: key)
                #expect(list.status == 400 && list.text.contains("another list"), "\(cursor)")
            }
        }
    }

    @Test func `a revoked key ends its stream of events`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let connection = try await HTTPConnection.open(port: service.port)
            defer { connection.close() }
            try await connection.send(
                "GET /v1/results/events HTTP/1.1\r\nhost: localhost\r\nauthorization: bearer \(key)\r\n\r\n")
            _ = await connection.read(until: "retry: 1000")
            #expect(try await service.service.keys.revoke(String(key.split(separator: "_")[1])))
            #expect(await connection.read(until: "0\r\n\r\n").hasSuffix("0\r\n\r\n"))
        }
    }
}
