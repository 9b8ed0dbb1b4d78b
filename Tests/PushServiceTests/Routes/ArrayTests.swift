import PushDelivery
import PushJSON
import PushQueue
import Testing

@testable import PushService

@Suite struct ArrayTests {
    @Test func `an array is answered in its order`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let body = "[" + (0..<1000).map { push("\"dedupe_key\": \"\($0 % 999)\"") }.joined(separator: ",") + "]"
            let answer = try await service.ask("POST", "/v1/notifications", body, key: key)
            #expect(answer.status == 202)
            let items = answer.items()
            #expect(items.count == 1000)
            #expect(items[999].string("result") == "duplicate" && items[999].string("id") == items[0].string("id"))
            #expect(try await service.queue.counts()["shop"]?.waiting == 999)
            // The default rate of a key lets another one through at once.
            #expect(try await service.ask("POST", "/v1/notifications", body, key: key).status == 202)
        }
    }

    @Test func `one invalid push refuses all`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            for (bad, field) in [
                (push(#""x": 1"#), "/2/x"), (push(#""expires_at": "2001-01-01T00:00:00Z""#), "/2/expires_at"),
                (#"{"token": "ab", "payload": {"aps": {"badge": "x"}}}"#, "/2/payload/aps/badge"),
            ] {
                let answer = try await service.ask(
                    "POST", "/v1/notifications", "[\(push()), \(push()),\n\(bad)]", key: key)
                #expect((400...422).contains(answer.status))
                #expect(answer.string("field") == field, "\(answer.text)")
                #expect(try await service.queue.counts()["shop"]?.waiting ?? 0 == 0)
            }
        }
    }

    @Test func `an array names each push that is refused`() async throws {
        try await RunningService.with(
            apps: ["shop": RunningService.app("shop") { $0.gone = .refuse }, "news": RunningService.app("news")]
        ) { service in
            let key = try await service.key(["shop", "news"])
            let gone = String(repeating: "ab", count: 32)
            try await service.ask("POST", "/v1/notifications", push(#""app": "shop""#, token: gone), key: key)
            var outcome = QueueJobOutcome(.rejected, reason: "Unregistered")
            outcome.goneSince = try await service.queue.now()
            try await service.deliver(outcome)
            let pushes = [
                push(#""app": "shop""#), push(#""app": "shop", "x": 1"#),
                push(#""app": "shop", "expires_at": "2001-01-01T00:00:00Z""#), push(#""app": "news""#),
                push(#""app": "shop""#, token: gone),
                #"{"app": "shop", "token": "ab", "payload": {"aps": {"badge": "x"}}}"#,
            ]
            for query in ["", "?validate_only=true"] {
                let answer = try await service.ask(
                    "POST", "/v1/notifications\(query)", "[\(pushes.joined(separator: ",\n"))]", key: key)
                #expect(answer.status == 400 && answer["refused"] == .integer(5), "\(answer.text)")
                #expect(answer.string("field") == "/1/x" && answer.string("code") == "unknown_member")
                let problems = answer.items("problems")
                #expect(
                    problems.map { $0.string("field") }
                        == ["/1/x", "/2/expires_at", "/3/app", "/4/token", "/5/payload/aps/badge"])
                #expect(
                    problems.map { $0.string("code") }
                        == ["unknown_member", "expires_too_early", "several_apps", "token_gone", "payload_refused"])
                #expect(problems.map { $0["line"] }[1] == .integer(3))
                #expect(try await service.queue.counts()["shop"]?.waiting ?? 0 == 0)
            }
            let many = Array(repeating: push(#""app": "shop", "x": 1"#), count: 300).joined(separator: ",")
            let answer = try await service.ask("POST", "/v1/notifications", "[\(many)]", key: key)
            #expect(answer["refused"] == .integer(300) && answer.items("problems").count == 100)
        }
    }

    @Test(arguments: ["", "?validate_only=true"])
    func `what is no object in an array is named by its index, with the other bad items`(query: String) async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let body = "[\(push()), 5, \"x\", null, [], \(push(#""x": 1"#))]"
            let answer = try await service.ask("POST", "/v1/notifications\(query)", body, key: key)
            #expect(answer.status == 400 && answer["refused"] == .integer(5), "\(answer.text)")
            let problems = answer.items("problems")
            #expect(problems.map { $0.string("field") } == ["/1", "/2", "/3", "/4", "/5/x"], "\(answer.text)")
            #expect(problems.first?.string("detail") == "This must be an object, not a number.", "\(answer.text)")
            let lines = try await service.ask(
                "POST", "/v1/notifications\(query)", "5\n\(push())\n[]\n", key: key, type: "application/x-ndjson")
            let accepted = query.isEmpty ? "queued" : "valid"
            #expect(lines.lines.map { $0.string("result") } == ["invalid", accepted, "invalid"], "\(lines.text)")
        }
    }

    @Test func `each push of an array is checked, also behind one without findings`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            func body(_ last: String) -> String { "[\(push()), \(push()), \(last)]" }
            for (last, field) in [
                (push(#""push_type": "background""#), "/2/"),
                (push(title: String(repeating: "x", count: 5000)), "/2/payload"),
                (push(#""topic": "com.example.shop", "vars": {}"#, title: "{{name}}"), "/2/vars"),
            ] {
                let answer = try await service.ask("POST", "/v1/notifications", body(last), key: key)
                #expect(answer.status == 422, "\(answer.text)")
                #expect(answer.string("field")?.hasPrefix(field) == true, "\(answer.text)")
            }
        }
    }

    @Test func `an array has 1 to 1000 pushes of one app`() async throws {
        try await RunningService.with { service in
            let key = try await service.key(["shop", "news"])
            #expect(try await service.ask("POST", "/v1/notifications", "[]", key: key).string("code") == "array_size")
            let long = "[" + (0..<1001).map { _ in push(#""app": "shop""#) }.joined(separator: ",") + "]"
            #expect(try await service.ask("POST", "/v1/notifications", long, key: key).string("code") == "array_size")
            let mixed = "[\(push(#""app": "shop""#)), \(push(#""app": "news""#))]"
            let answer = try await service.ask("POST", "/v1/notifications", mixed, key: key)
            #expect(answer.status == 422 && answer.string("code") == "several_apps")
            #expect(answer.string("field") == "/1/app")
            #expect(try await service.ask("POST", "/v1/notifications?wait=1s", mixed, key: key).status == 400)
        }
    }
}
