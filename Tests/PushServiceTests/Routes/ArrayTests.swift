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
