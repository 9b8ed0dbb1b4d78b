import APNSVocabulary
import Foundation
import MockAPNs
import TestSupport
import Testing

/// The order of pushes over HTTP, from the request to what a mock accepts.
@Suite(.timeLimit(.minutes(60))) struct OrderTests {
    private static let token = String(repeating: "5f3ad1c07b9e4286", count: 4)
    private let ground: Ground
    private let mock: MockServer

    init() async throws {
        ground = try Ground()
        mock = try await MockServer.start(MockConfiguration(), credentials: .ofThisProcess)
        try ground.configure(for: mock)
    }

    /// A running service, and how to ask it.
    private struct Service {
        let program: RunningProgram
        let url: String
        let key: String
        let ground: Ground

        func ask(_ path: String, _ body: String? = nil) async throws -> [[String: Any]] {
            var words = [
                "curl", "-sS", "--max-time", "600", "--noproxy", "*", "-H", "authorization: Bearer \(key)",
                "\(url)\(path)",
            ]
            if let body { words += ["-H", "content-type: application/json", "-d", body] }
            return try await ground.start(tool: words).end().objects
        }

        /// The outcome of a push, as soon as it has one.
        func outcome(of id: String) async throws -> [String: Any] {
            while true {
                let job = try await ask("/v1/notifications/\(id)").first
                if let outcome = job?["outcome"] as? [String: Any] { return outcome }
                try Task.checkCancellation()
            }
        }
    }

    private func service() async throws -> Service {
        let key = try await ground.key()
        let (program, url) = try await ground.serve()
        return Service(program: program, url: url, key: key, ground: ground)
    }

    private func end(_ service: Service) async throws {
        service.program.signal(SIGTERM)
        #expect(await service.program.end().status == 0)
        await mock.stop()
    }

    private static func push(_ text: String, _ more: String = "") -> String {
        #"{"token":"\#(token)",\#(more)"payload":{"aps":{"alert":"\#(text)"}}}"#
    }

    /// The texts that the mock has accepted, in the order of their arrival.
    private var accepted: [String] {
        mock.arrivals.filter { $0.verdict.status == 200 }.map {
            String(String(decoding: $0.request.body, as: UTF8.self).split(separator: "\"").dropLast().last ?? "")
        }
    }

    @Test func `pushes of an array with one collapse id are sent in its order, whichever of them has a time to live`()
        async throws
    {
        let service = try await service()
        var expected: [String] = []
        for round in 0..<4 {
            let collapse = #""collapse_id":"score","#
            let first = Self.push("\(round) first", collapse + (round % 2 == 0 ? "" : #""ttl":"2h","#))
            let second = Self.push("\(round) second", collapse + #""ttl":"1h","#)
            expected += ["\(round) first", "\(round) second"]
            _ = try await service.ask("/v1/notifications", "[\(first),\(second)]")
            _ = await mock.arrivals(from: expected.count, atMost: 1)
            #expect(accepted == expected)
        }
        try await end(service)
    }

    /// Runs the body with a pause in seconds, and again with a longer one, until the machine was faster than the pause. When the body
    /// returns, each of its pushes has its outcome: none of them comes, or takes a fault, in the next run.
    private func withPause(_ body: (_ seconds: Int, _ isInTime: () -> Bool) async throws -> Bool) async throws {
        for seconds in [10, 40, 160] {
            let start = ContinuousClock.now
            if try await body(seconds, { .now - start < .seconds(seconds) }) { return }
        }
        Issue.record("The machine is too slow for any pause.")
    }

    @Test func `a push that Apple put off does not come back over a newer one, but a newer one does over an older one`()
        async throws
    {
        let service = try await service()
        func putOff(_ text: String, _ seconds: Int, _ collapse: String) async throws -> String {
            let headers = ["retry-after": "\(seconds)"]
            try mock.inject(
                MockFault(steps: [.answer(status: 429, reason: .tooManyRequests, headers: headers)], times: 1))
            let made = try await service.ask("/v1/notifications", Self.push(text, collapse))
            let id = try #require(made.first?["id"] as? String)
            while true {
                let job = try await service.ask("/v1/notifications/\(id)").first
                if job?["attempts"] as? Int == 1, job?["state"] as? String == "waiting" { return id }
                // The pause was over before it was seen.
                if job?["state"] as? String == "finished" { return id }
                try Task.checkCancellation()
            }
        }
        try await withPause { seconds, isInTime in
            let (collapse, before) = (#""collapse_id":"score\#(seconds)","#, accepted.count)
            let old = try await putOff("1:\(seconds)", seconds, collapse)
            let sent = try await service.ask("/v1/notifications", Self.push("2:0", collapse))
            let newer = try await service.outcome(of: try #require(sent.first?["id"] as? String))
            let isValid = isInTime()
            let outcome = try await service.outcome(of: old)
            guard isValid else { return false }
            #expect(newer["kind"] as? String == "accepted")
            #expect(outcome["kind"] as? String == "not_sent" && outcome["reason"] as? String == "superseded")
            #expect((outcome["detail"] as? String)?.contains("A newer push with the same collapse id") == true)
            // The other order: the newer one is put off, and replaces the older one.
            let newest = try await putOff("3:0", 2, collapse)
            #expect(try await service.outcome(of: newest)["kind"] as? String == "accepted")
            #expect(accepted[before...] == ["2:0", "3:0"])
            let results = try await service.ask("/v1/results").first?["items"] as? [[String: Any]]
            let reasons = results?.compactMap { ($0["outcome"] as? [String: Any])?["reason"] as? String }
            #expect(reasons.map(Set.init) == ["superseded"])
            return true
        }
        try await end(service)
    }

    @Test func `a push for later is newer than what is sent before, and older than what is sent after`() async throws {
        let service = try await service()
        try await withPause { seconds, isInTime in
            let (collapse, before) = (#""collapse_id":"score\#(seconds)","#, accepted.count)
            // The times are of whole seconds.
            let soon = Date(timeIntervalSinceNow: Double(seconds + 1)).ISO8601Format()
            let far = Date(timeIntervalSinceNow: Double(seconds + 3)).ISO8601Format()
            let ids = try await [
                service.ask("/v1/notifications", Self.push("later", collapse + #""deliver_at":"\#(soon)","#)),
                service.ask("/v1/notifications?wait=60s", Self.push("before", collapse)),
                service.ask("/v1/notifications", Self.push("after", collapse + #""deliver_at":"\#(far)","#)),
            ].compactMap { $0.first?["id"] as? String }
            let isValid = isInTime()
            try #require(ids.count == 3)
            var kinds: [String?] = []
            for id in ids { kinds.append(try await service.outcome(of: id)["kind"] as? String) }
            guard isValid else { return false }
            #expect(kinds == ["accepted", "accepted", "accepted"])
            #expect(accepted[before...] == ["before", "later", "after"])
            return true
        }
        try await end(service)
    }
}
