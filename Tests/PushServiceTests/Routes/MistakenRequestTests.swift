import PushJSON
import Testing

@testable import PushService

/// What people send who come from elsewhere, and what the answer tells them.
@Suite struct MistakenRequestTests {
    @Test(arguments: [
        (#"{"message":{"token":"t","notification":{"title":"Hi"}}}"#, "Firebase Cloud Messaging"),
        (#"{"to":"t","notification":{"title":"Hi"}}"#, "Firebase"),
        (#"{"to":"ExponentPushToken[x]","title":"Hi","body":"There"}"#, "Expo"),
        (#"{"notifications":[{"tokens":["ab"],"platform":1,"message":"Hi"}]}"#, "gorush"),
        (#"{"app_id":"a","contents":{"en":"Hi"}}"#, "OneSignal"),
    ])
    func `the body of another service is named, and a push is shown`(body: String, name: String) async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            for (text, type) in [(body, "application/json"), (body, "application/x-ndjson")] {
                let answer = try await service.ask("POST", "/v1/notifications", text, key: key, type: type)
                #expect(answer.text.contains(name) && answer.text.contains("unknown_member"), "\(answer.text)")
                #expect(answer.text.contains(#"A push is {\"token\":"#), "\(answer.text)")
            }
        }
    }

    @Test(arguments: ["nothing", "<html></html>"])
    func `what isn't JSON is answered with the shape of a push`(body: String) async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            for type in ["application/json", "application/x-ndjson"] {
                let answer = try await service.ask("POST", "/v1/notifications", body, key: key, type: type)
                #expect(answer.text.contains(#"A push is {\"token\":"#), "\(answer.text)")
            }
        }
    }

    @Test func `a bare payload is told where it belongs`() async throws {
        try await RunningService.with { service in
            let answer = try await service.ask(
                "POST", "/v1/notifications", #"{"token":"ab","aps":{"alert":"Hi"}}"#, key: try await service.key())
            #expect(answer.string("remedy")?.hasPrefix("Put the payload into \"payload\".") == true)
        }
    }

    @Test func `the old word for one attempt is refused with the new one`() async throws {
        try await RunningService.with { service in
            let answer = try await service.ask(
                "POST", "/v1/notifications", push(#""store": false"#), key: try await service.key())
            #expect(answer.string("code") == "unknown_member" && answer.text.contains(#"Write \"once\": true"#))
        }
    }

    @Test(arguments: [
        (#""ttl": 3600"#, "3600s"), (#""ttl": 0"#, "a whole number and its unit"),
        (#""once": "true""#, "without quotation marks: true"), (#""collapse_id": 5"#, #"in quotation marks: "5""#),
        (#""vars": "{}""#, "the object itself"),
    ])
    func `a value of another kind has a remedy`(member: String, remedy: String) async throws {
        try await RunningService.with { service in
            let answer = try await service.ask(
                "POST", "/v1/notifications", push(member), key: try await service.key())
            #expect(answer.string("code") == "wrong_type" && answer.string("remedy")?.contains(remedy) == true)
        }
    }

    @Test func `what was checked is judged as what is sent`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            for more in [
                #""expires_at": "2001-01-01T00:00:00Z""#,
                #""deliver_at": "2100-01-02T00:00:00Z", "expires_at": "2100-01-01T00:00:00Z""#,
                #""deliver_at": "2100-01-01T00:00:00Z", "expires_at": "2100-01-01T00:00:00Z""#,
            ] {
                for (body, type) in [
                    (push(more), "application/json"), ("[\(push(more))]", "application/json"),
                    (push(more), "application/x-ndjson"),
                ] {
                    let sent = try await service.ask("POST", "/v1/notifications", body, key: key, type: type)
                    let checked = try await service.ask(
                        "POST", "/v1/notifications?validate_only=true", body, key: key, type: type)
                    #expect(sent.status == 422 && checked.status == 422, "\(more) \(type)")
                    // The sentence has the time of the request.
                    let clock = /it is [0-9TZ:-]+/
                    #expect(sent.text.replacing(clock, with: "") == checked.text.replacing(clock, with: ""))
                }
            }
        }
    }

    @Test func `curl's -d removes line ends, and the answer says so`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            for (path, body, type) in [
                ("/v1/campaigns?name=Sale", "token,nameab,Ann", "text/csv"),
                ("/v1/campaigns?name=Sale", "tokenabcd", "text/csv"),
                ("/v1/notifications", push() + push(), "application/x-ndjson"),
            ] {
                let answer = try await service.ask("POST", path, body, key: key, type: type)
                #expect(answer.status == 422 && answer.text.contains("--data-binary"), "\(body): \(answer.text)")
            }
            let empty = try await service.ask(
                "POST", "/v1/campaigns?name=Sale", "token,payload\n", key: key, type: "text/csv")
            #expect(empty.status == 422 && empty.string("code") == "no_lines", "\(empty.text)")
        }
    }

    @Test func `an upload can be an array, and names doubled tokens`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let made = try await service.ask("POST", "/v1/campaigns", #"{"name": "Sale"}"#, key: key)
            let path = "/v1/campaigns/\(try #require(made.string("id")))/lines"
            let lines = [push(), push(token: String(repeating: "ab", count: 32)), push()]
            let answer = try await service.ask("POST", path, "[\(lines.joined(separator: ",\n"))]", key: key)
            #expect(answer.status == 200 && answer["upload", "accepted"] == .integer(3), "\(answer.text)")
            #expect(answer["upload", "doubled"] == .integer(1))
            #expect(answer["upload", "doubled_lines"] == .array([.integer(3)]))
            #expect(try await service.ask("POST", path, "[]", key: key).string("code") == "array_size")
        }
    }

    @Test func `an empty cursor is the beginning, and every GET has a HEAD`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            for path in ["/v1/results", "/v1/notifications", "/v1/gone-tokens", "/v1/dead-letters", "/v1/campaigns"] {
                #expect(try await service.ask("GET", "\(path)?after=", key: key).status == 200, "\(path)")
            }
            #expect(try await service.ask("HEAD", "/v1/results/events", key: key).status == 200)
            let answer = try await service.ask("GET", "/v1/status", key: key)
            #expect(answer.headers["ratelimit-limit"] == nil)
        }
        try await RunningService.with({ $0.limits.ratePerKey = 10 }) { service in
            let key = try await service.key()
            let answer = try await service.ask("POST", "/v1/notifications", "[\(push()),\(push())]", key: key)
            #expect(answer.headers["ratelimit-limit"] == "10")
            #expect(answer.headers["ratelimit-remaining"].flatMap { Int($0) } ?? 0 >= 8)
        }
    }
}
