import APNSVocabulary
import Foundation
import MockAPNs
import TestSupport
import Testing

/// Two services on one queue: each answers each call, whichever of them did what is asked for.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(60)))
struct ServicePairTests {
    private func push(_ number: Int) -> String {
        #"{"token":"\#(String(repeating: "a", count: 63))\#(number)","payload":{"aps":{"alert":"Hello"}}}"#
    }

    private func lines(_ count: Int) -> String {
        (1...count).map { number in
            let digits = String(number, radix: 16)
            let token = String(repeating: "b", count: 64 - digits.count) + digits
            return #"{"token":"\#(token)","ref":\#(number),"payload":{"aps":{"alert":"Sale"}}}"# + "\n"
        }.joined()
    }

    private func state(_ pair: ServicePair, _ service: ServicePair.Service, _ key: String) async throws -> String? {
        let apps = try await pair.ask(service, key, "/v1/status").json["apps"] as? [[String: Any]]
        return apps?.first?["state"] as? String
    }

    /// Pauses the app at one service, and waits until no service sends.
    private func pause(_ pair: ServicePair, at index: Int, _ key: String) async throws {
        let paused = try await pair.ask(pair.services[index], key, "/v1/apps/shop/pause", "{}")
        #expect(paused.status == 204)
        for service in pair.services { try await pair.wait { try await state(pair, service, key) == "paused" } }
    }

    private func outcome(_ reply: ServicePair.Reply) -> [String: Any]? { reply.json["outcome"] as? [String: Any] }

    @Test func `pushes, pauses, cancellations and results are the same at each service`() async throws {
        let pair = try await ServicePair()
        let key = try await pair.ground.key("admin")
        let (first, second) = (pair.services[0], pair.services[1])
        try await pause(pair, at: 0, key)
        // A push of one service waits at the other, and its idempotency key holds there.
        let header = ["Idempotency-Key: order 1"]
        let queued = try await pair.ask(first, key, "/v1/notifications", push(1), headers: header)
        #expect(queued.status == 202)
        let id = try #require(queued.json["id"] as? String)
        let repeated = try await pair.ask(second, key, "/v1/notifications", push(1), headers: header)
        #expect(repeated.json["id"] as? String == id, "\(repeated.body)")
        let changed = try await pair.ask(second, key, "/v1/notifications", push(2), headers: header)
        #expect((400..<500).contains(changed.status), "\(changed.body)")
        let waiting = try await pair.ask(second, key, "/v1/notifications?state=waiting")
        #expect(waiting.items.map { $0["id"] as? String } == [id])
        // What one cancels is cancelled at the other.
        let doomed = try #require(
            try await pair.ask(second, key, "/v1/notifications", push(3)).json["id"] as? String)
        #expect(try await pair.ask(first, key, "/v1/notifications/\(doomed)", method: "DELETE").status == 200)
        let cancelled = try await pair.ask(second, key, "/v1/notifications/\(doomed)")
        #expect(outcome(cancelled)?["reason"] as? String == "cancelled", "\(cancelled.body)")
        #expect(try await pair.ask(second, key, "/v1/notifications/\(doomed)", method: "DELETE").status == 409)
        // The other one ends the pause.
        #expect(try await pair.ask(second, key, "/v1/apps/shop/resume", "{}").status == 204)
        for service in pair.services {
            try await pair.wait { try await state(pair, service, key) == "running" }
            try await pair.wait {
                outcome(try await pair.ask(service, key, "/v1/notifications/\(id)"))?["kind"] as? String == "accepted"
            }
        }
        #expect(pair.mock.arrivalCount == 1)
        try await compareResults(pair, key, [doomed, id])
        try await pair.end()
    }

    /// A cursor of one service goes on at the other.
    private func compareResults(_ pair: ServicePair, _ key: String, _ ids: [String]) async throws {
        for service in pair.services {
            // An outcome is in the results when no older transaction writes any more, also one of the other service.
            try await pair.wait {
                try await pair.ask(service, key, "/v1/results").items.compactMap { $0["id"] as? String } == ids
            }
        }
        let one = try await pair.ask(pair.services[0], key, "/v1/results?limit=1")
        let cursor = try #require(one.json["next"] as? String)
        let rest = try await pair.ask(pair.services[1], key, "/v1/results?after=\(cursor)")
        #expect((one.items + rest.items).compactMap { $0["id"] as? String } == ids)
    }

    @Test func `dead letters are sent again once, whichever service is asked`() async throws {
        let pair = try await ServicePair()
        let key = try await pair.ground.key("admin")
        let (first, second) = (pair.services[0], pair.services[1])
        try await pause(pair, at: 1, key)
        let id = try #require(try await pair.ask(first, key, "/v1/notifications", push(1)).json["id"] as? String)
        // The command is a third process on the queue.
        #expect(try await pair.ground.pushserve("queue", "bury", id).status == 0)
        for service in pair.services {
            let letters = try await pair.ask(service, key, "/v1/dead-letters")
            #expect(letters.items.map { $0["id"] as? String } == [id], "\(letters.body)")
        }
        let wish = #"{"ids":["\#(id)"]}"#
        let done = try await pair.ask(second, key, "/v1/dead-letters/redrive", wish)
        #expect(done.items.first?["result"] as? String == "queued", "\(done.body)")
        let new = try #require(done.items.first?["redriven_as"] as? String)
        let again = try await pair.ask(first, key, "/v1/dead-letters/redrive", wish)
        #expect(again.items.first?["result"] as? String == "already_redriven", "\(again.body)")
        #expect(again.items.first?["redriven_as"] as? String == new)
        #expect(try await pair.ask(first, key, "/v1/apps/shop/resume", "{}").status == 204)
        for service in pair.services {
            try await pair.wait {
                outcome(try await pair.ask(service, key, "/v1/notifications/\(new)"))?["kind"] as? String == "accepted"
            }
        }
        #expect(pair.mock.arrivalCount == 1)
        try await pair.end()
    }

    @Test func `keys and sessions begin and end at both services`() async throws {
        let pair = try await ServicePair()
        let (first, second) = (pair.services[0], pair.services[1])
        let key = try await pair.ground.key("read")
        for service in pair.services { #expect(try await pair.ask(service, key, "/v1/status").status == 200) }

        let cookie = try await cookie(pair, at: first, key)
        for service in pair.services {
            #expect(try await pair.ask(service, nil, "/v1/status", headers: ["cookie: \(cookie.cookie)"]).status == 200)
        }
        let out = ["cookie: \(cookie.cookie)", "x-csrf-token: \(cookie.csrf)"]
        #expect(try await pair.ask(second, nil, "/v1/session", method: "DELETE", headers: out).status == 204)
        for service in pair.services {
            try await pair.wait {
                try await pair.ask(service, nil, "/v1/status", headers: ["cookie: \(cookie.cookie)"]).status == 401
            }
        }

        let other = try await self.cookie(pair, at: second, key)
        #expect(try await pair.ask(first, nil, "/v1/status", headers: ["cookie: \(other.cookie)"]).status == 200)
        let name = String(key.split(separator: "_")[1])
        #expect(try await pair.ground.pushserve("key", "revoke", name).status == 0)
        for service in pair.services {
            try await pair.wait { try await pair.ask(service, key, "/v1/status").status == 401 }
            try await pair.wait {
                try await pair.ask(service, nil, "/v1/status", headers: ["cookie: \(other.cookie)"]).status == 401
            }
        }
        try await pair.end()
    }

    /// Logs in at a service.
    private func cookie(
        _ pair: ServicePair, at service: ServicePair.Service, _ key: String
    ) async throws -> (cookie: String, csrf: String) {
        let jar = "jar-\(UUID().uuidString)"
        let login = try await pair.ask(service, nil, "/v1/session", #"{"key":"\#(key)"}"#, cookieJar: jar)
        #expect(login.status == 200)
        let text = try String(contentsOfFile: pair.ground.path(jar), encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.contains("pushserve_session") })
        return (
            line.split(separator: "\t").suffix(2).joined(separator: "="), try #require(login.json["csrf"] as? String)
        )
    }

    // MARK: Campaigns

    @Test func `a campaign is made, filled, started, paused and read at either service`() async throws {
        let pair = try await ServicePair()
        let key = try await pair.ground.key("admin")
        let (first, second) = (pair.services[0], pair.services[1])
        let count = 40
        let made = try await pair.ask(first, key, "/v1/campaigns", #"{"name":"Sale","rate":1}"#)
        let path = "/v1/campaigns/\(try #require(made.json["id"] as? String, "\(made.body)"))"
        let all = lines(count)
        let half = all.split(separator: "\n").prefix(count / 2).joined(separator: "\n") + "\n"
        let type = "application/x-ndjson"
        _ = try await pair.ask(second, key, "\(path)/lines", half, type: type)
        #expect(try await pair.ask(first, key, path).json["next_line"] as? Int == count / 2 + 1)
        // The whole file at the other service: each line is taken once.
        let filled = try await pair.ask(first, key, "\(path)/lines", all, type: type)
        #expect((filled.json["lines"] as? [String: Int])?["total"] == count, "\(filled.body)")
        #expect(try await pair.ask(second, key, "\(path)/start", "{}").json["state"] as? String == "running")
        #expect(try await pair.ask(first, key, "\(path)/pause", "{}").json["state"] as? String == "paused")
        for service in pair.services {
            #expect(try await pair.ask(service, key, path).json["state"] as? String == "paused")
            let list = try await pair.ask(service, key, "/v1/campaigns")
            #expect(list.items.map { $0["state"] as? String } == ["paused"])
            #expect(try await pair.ask(service, key, "\(path)/report").lines.count == count)
        }
        let faster = try await pair.ask(first, key, path, #"{"rate":null}"#, method: "PATCH")
        #expect(faster.status == 200, "\(faster.body)")
        #expect(try await pair.ask(second, key, "\(path)/resume", "{}").json["state"] as? String == "running")
        for service in pair.services {
            try await pair.wait { try await pair.ask(service, key, path).json["state"] as? String == "finished" }
        }
        var reports: [String] = []
        for service in pair.services {
            let report = try await pair.ask(service, key, "\(path)/report")
            #expect(report.lines.compactMap { $0["line"] as? Int } == Array(1...count))
            #expect(report.lines.allSatisfy { $0["outcome"] as? String == "accepted" })
            reports.append(report.body)
        }
        #expect(reports[0] == reports[1])
        #expect(pair.mock.arrivalCount == count)

        let other = try await pair.ask(
            second, key, "/v1/campaigns?name=Other&rate=1&start=false", all, type: type)
        let otherPath = "/v1/campaigns/\(try #require(other.json["id"] as? String, "\(other.body)"))"
        #expect(try await pair.ask(first, key, "\(otherPath)/cancel", "{}").status == 200)
        for service in pair.services {
            try await pair.wait {
                try await pair.ask(service, key, otherPath).json["state"] as? String == "cancelled"
            }
        }
        #expect(pair.mock.arrivalCount == count)
        try await pair.end()
    }
}
