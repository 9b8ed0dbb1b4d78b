import APNSVocabulary
import Foundation
import PushDelivery
import PushJSON
import PushProvider
import PushQueue
import TestSupport
import Testing

@testable import PushService

/// What the lint says about a push, and how a template is checked with its values.
@Suite struct SendLintTests {
    @Test func `a payload that Apple refuses is refused with its place and a remedy`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let body =
                "{\"token\": \"\(DeviceToken.sampleHex)\",\n \"payload\": {\"aps\": {\n  \"alert\": \"x\", \"badge\": \"three\"}}}"
            let answer = try await service.ask("POST", "/v1/notifications", body, key: key)
            #expect(answer.status == 422 && answer.string("code") == "payload_refused", "\(answer.text)")
            #expect(answer.string("field") == "/payload/aps/badge")
            #expect(answer["line"] == .integer(3))
            #expect(answer.string("remedy")?.isEmpty == false)
            #expect(answer.items("findings").first?.string("rule") != nil)
        }
    }

    @Test func `a warning is returned, and the push is taken in`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let body = #"{"token": "\#(DeviceToken.sampleHex)", "payload": {"aps": {"alert": "x", "sond": "default"}}}"#
            let answer = try await service.ask("POST", "/v1/notifications", body, key: key)
            #expect(answer.status == 202, "\(answer.text)")
            let warning = try #require(answer.items("warnings").first)
            #expect(
                warning.string("field") == "/payload/aps/sond" && warning.string("remedy")?.contains("sound") == true)
        }
    }

    @Test func `a push type that nobody here knows is taken in with a warning`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            for (type, advice) in [("hologram", "It is sent as it is."), ("allert", "Did you mean alert?")] {
                let answer = try await service.ask(
                    "POST", "/v1/notifications", push("\"push_type\": \"\(type)\""), key: key)
                #expect(answer.status == 202, "\(answer.text)")
                let warning = try #require(answer.items("warnings").first { $0.string("rule") == "push-type-unknown" })
                #expect(warning.string("field") == "/push_type")
                #expect(warning.string("remedy")?.hasPrefix(advice) == true, "\(answer.text)")
            }
        }
    }

    /// The times are judged by the time of the delivery.
    @Test func `a Live Activity of another time has a warning, but not one for later`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            func rules(_ timestamp: Int, _ more: String) async throws -> [String] {
                let body = """
                    {"token": "\(DeviceToken.sampleHex)", "topic": "com.example.shop.push-type.liveactivity", \(more)
                     "payload": {"aps": {"timestamp": \(timestamp), "event": "update", "content-state": {}}}}
                    """
                let answer = try await service.ask("POST", "/v1/notifications?validate_only=true", body, key: key)
                #expect(answer.status == 200, "\(answer.text)")
                return answer.items("warnings").compactMap { $0.string("rule") }
            }
            #expect(try await rules(1_742_651_625, "") == ["live-activity-clock"])
            #expect(try await rules(4_102_444_800, "") == ["live-activity-clock"])
            let later = Date(timeIntervalSinceNow: 86_400)
            let at = #""deliver_at": "\#(later.formatted(.iso8601))","#
            #expect(try await rules(Int(later.timeIntervalSince1970), at) == [])
        }
    }

    @Test func `an expiration that does not fit is a warning, counted from the delivery`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            func warnings(_ more: String) async throws -> [String] {
                let body = #"{"token": "\#(DeviceToken.sampleHex)", "payload": {"aps": {"alert": "x"}}, \#(more)}"#
                let answer = try await service.ask("POST", "/v1/notifications?validate_only=true", body, key: key)
                #expect(answer.status == 200, "\(answer.text)")
                return answer.items("warnings").map { "\($0.string("rule") ?? "") \($0.string("field") ?? "")" }
            }
            let later = Date(timeIntervalSinceNow: 300 * 86_400).formatted(.iso8601)
            #expect(try await warnings(#""ttl": "400d""#) == ["expiration-far /ttl"])
            #expect(try await warnings(#""expires_at": "2100-01-01""#) == ["expiration-far /expires_at"])
            #expect(try await warnings(#""ttl": "400d", "once": true"#) == [])
            #expect(try await warnings(#""ttl": "30d", "deliver_at": "\#(later)""#) == [])
            let talk = #""push_type": "pushtotalk", "topic": "com.example.shop.voip-ptt", "#
            #expect(try await warnings(talk + #""once": false"#) == ["push-to-talk-expiration /once"])
            #expect(try await warnings(talk + #""ttl": "1h""#) == ["push-to-talk-expiration /ttl"])
            #expect(try await warnings(talk + #""once": true"#) == [])
            // The same payload as before, which had no finding.
            let pushes = [push(#""ttl": "1h""#), push(#""ttl": "400d""#)].joined(separator: ",")
            let array = try await service.ask("POST", "/v1/notifications", "[\(pushes)]", key: key)
            #expect(array.items().map { $0["warnings"] == nil } == [true, false], "\(array.text)")
        }
    }

    @Test func `an app's own time limit is no mistake of its pushes`() async throws {
        var apps = RunningService.apps
        apps["shop"]?.expiry = .seconds(60 * 86_400)
        try await RunningService.with(apps: apps) { service in
            let answer = try await service.ask("POST", "/v1/notifications", push(), key: try await service.key())
            #expect(answer.status == 202 && answer["warnings"] == nil, "\(answer.text)")
        }
    }

    @Test func `a payload that is too large is refused`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let answer = try await service.ask(
                "POST", "/v1/notifications", push(title: String(repeating: "x", count: 5000)), key: key)
            #expect(answer.status == 422)
            let huge = try await service.ask(
                "POST", "/v1/notifications", push(title: String(repeating: "x", count: 70_000)), key: key)
            #expect(huge.status == 400 && huge.string("code") == "payload_too_large")
        }
    }

    @Test func `a template is checked with its values`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            func body(_ title: String, _ vars: String) -> String {
                #"{"token": "\#(DeviceToken.sampleHex)", "payload": {"aps": {"alert": "\#(title)"}}, "vars": \#(vars)}"#
            }
            let good = try await service.ask(
                "POST", "/v1/notifications", body("Hi {{name}}", #"{"name": "Ada"}"#), key: key)
            #expect(good.status == 202, "\(good.text)")
            let job = try await service.queue.claim(
                QueueClaimRequest(owner: "test", limit: 1, lease: .seconds(60), apps: ["shop": 1])
            ).first
            #expect(job?.variables.map { String(decoding: $0, as: UTF8.self) } == #"{"name": "Ada"}"#)
            #expect(
                try await service.ask("POST", "/v1/notifications", body("Hi {{name|you}}", "{}"), key: key).status
                    == 202)
            let missing = try await service.ask("POST", "/v1/notifications", body("Hi {{name}}", "{}"), key: key)
            #expect(missing.status == 422 && missing.string("code") == "missing_value", "\(missing.text)")
            let broken = try await service.ask(
                "POST", "/v1/notifications", body("Hi {{name", #"{"name": "Ada"}"#), key: key)
            #expect(broken.status == 422 || broken.status == 202)
        }
    }

    /// A push whose payload is a template, with a value that does not fit it, and the member that is wrong.
    private static let unfitting: [(payload: String, vars: String, field: String)] = [
        (#"{"aps": {"badge": "{{b:number}}"}}"#, #"{"b": "zz"}"#, "/vars/b"),
        (#"{"aps": {"alert": "{{a}}"}, "d": "{{d:json}}"}"#, #"{"a": "x", "d": "{"}"#, "/vars/d"),
        (#"{"aps": {"alert": "Hi {{a/b}}"}}"#, #"{"a/b": {"c": 1}}"#, "/vars/a~1b"),
        (#"{"aps": {"alert": "Hi {{a}}"}}"#, #"{"a": null}"#, "/vars/a"),
        (#"{"aps": {"alert": "{{a}}"}}"#, #"{"a": "\#(String(repeating: "y", count: 5200))"}"#, "/vars/a"),
        (
            #"{"aps": {"alert": "x"}, "d": "\#(String(repeating: "{{a}}", count: 400))"}"#,
            #"{"b": 1, "a": "\#(String(repeating: "y", count: 64_000))"}"#, "/vars/a"
        ),
        (#"{"aps": {"alert": "x"}, "d": "\#(String(repeating: "{{a}}", count: 12_000))"}"#, #"{"a": "y"}"#, "/payload"),
        // More than the 4096 bytes of an alert, and less than the 5120 of a call.
        (#"{"aps": {"alert": "{{a}}"}}"#, #"{"a": "\#(String(repeating: "y", count: 4200))"}"#, "/payload"),
        (#"{"aps": {"alert": "x", "badge": "{{a}}"}}"#, #"{"a": "three"}"#, "/payload/aps/badge"),
    ]

    @Test func `a value that nothing uses shows a misspelt placeholder`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            func send(_ title: String) async throws -> HTTPAnswer {
                let body = #"""
                    {"token": "\#(DeviceToken.sampleHex)", "payload": {"aps": {"alert": "\#(title)"}}, "vars": {"name": "Ada"}}
                    """#
                return try await service.ask("POST", "/v1/notifications", body, key: key)
            }
            let misspelt = try await send("Hi {{nmae|there}}")
            #expect(
                misspelt.status == 202 && misspelt.text.contains("Did you mean {{name|there}}?"), "\(misspelt.text)")
            let foreign = try await send("Hi ${name}")
            #expect(foreign.status == 422 && foreign.string("field") == "/payload", "\(foreign.text)")
            #expect(foreign.string("detail")?.contains("{{name}}") == true, "\(foreign.text)")
        }
    }

    @Test(arguments: unfitting.indices)
    func `a template whose values do not fit is refused at every door`(number: Int) async throws {
        let (payload, vars, field) = Self.unfitting[number]
        try await RunningService.with { service in
            let key = try await service.key()
            let body = #"{"token": "\#(DeviceToken.sampleHex)", "payload": \#(payload), "vars": \#(vars)}"#
            let one = try await service.ask("POST", "/v1/notifications", body, key: key)
            #expect(one.status == 422 && one.string("field") == field, "\(one.text)")
            #expect(one.string("detail")?.isEmpty == false && one["line"] == .integer(1) && one["column"] != nil)
            let checked = try await service.ask("POST", "/v1/notifications?validate_only=true", body, key: key)
            #expect(checked.status == 422 && checked.string("field") == field, "\(checked.text)")
            let array = try await service.ask("POST", "/v1/notifications", "[\(push()), \(body)]", key: key)
            #expect(array.status == 422 && array.string("field") == "/1" + field, "\(array.text)")
            let lines = try await service.ask(
                "POST", "/v1/notifications", body + "\n", key: key, type: "application/x-ndjson")
            #expect(lines.lines.first?["problem"]?.string("field") == field, "\(lines.text)")
            #expect(try await service.queue.counts()["shop"]?.waiting ?? 0 == 0)
        }
    }
}
