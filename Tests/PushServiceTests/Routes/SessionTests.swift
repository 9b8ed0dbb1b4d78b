import PushJSON
import Testing

@testable import PushService

/// The sessions of browsers: what the page's tests in a browser cannot see.
@Suite struct SessionTests {
    private func cookie(_ answer: HTTPAnswer) -> String {
        answer.headers["set-cookie"]?.split(separator: ";").first.map(String.init) ?? ""
    }

    private func logIn(_ service: RunningService, _ key: String) async throws -> (cookie: String, csrf: String) {
        let answer = try await service.ask("POST", "/v1/session", #"{"key":"\#(key)"}"#, key: nil)
        #expect(answer.status == 200)
        let field = try #require(answer.headers["set-cookie"])
        #expect(field.contains("HttpOnly") && field.contains("SameSite=Strict") && !field.contains("Secure"))
        #expect(!field.contains(key) && !answer.text.contains(key))
        return (cookie(answer), try #require(answer.string("csrf")))
    }

    @Test func `a session may what its key may`() async throws {
        try await RunningService.with { service in
            let (cookie, csrf) = try await logIn(service, try await service.key(["shop"], [.read]))
            let session = [("cookie", "other=1; \(cookie)"), ("x-csrf-token", csrf)]
            let status = try await service.ask("GET", "/v1/status", key: nil, headers: session)
            #expect(status.status == 200)
            let push = try await service.ask("POST", "/v1/notifications", "{}", key: nil, headers: session)
            #expect(push.status == 403 && push.string("code") == "scope_missing")
        }
    }

    private static let withoutRead: [(Set<KeyScope>, String)] = [
        ([.send], "send"), ([.send, .cancel], "cancel, send"),
    ]

    @Test(arguments: withoutRead)
    func `a key that may not read does not log in, and is told why`(scopes: Set<KeyScope>, names: String) async throws {
        try await RunningService.with { service in
            let key = try await service.key(["shop"], scopes)
            let answer = try await service.ask("POST", "/v1/session", "{\"key\":\"\(key)\"}", key: nil)
            #expect(
                answer.status == 403 && answer.string("code") == "scope_missing" && answer.string("field") == "/key")
            #expect(
                answer.string("detail")
                    == "The page shows what is stored, which needs the scope read, but this key may only \(names).")
            #expect(answer.headers["set-cookie"] == nil)
        }
    }

    @Test func `a write needs the CSRF token, a read does not`() async throws {
        try await RunningService.with { service in
            let (cookie, csrf) = try await logIn(service, try await service.key(["shop"], [.admin]))
            for headers in [[("cookie", cookie)], [("cookie", cookie), ("x-csrf-token", String(csrf.dropLast()))]] {
                let answer = try await service.ask("POST", "/v1/notifications", "{}", key: nil, headers: headers)
                #expect(answer.status == 403 && answer.string("code") == "csrf_token")
            }
            let right = [("cookie", cookie), ("x-csrf-token", csrf)]
            let answer = try await service.ask("POST", "/v1/notifications", "{}", key: nil, headers: right)
            #expect(answer.string("code") != "csrf_token")
        }
    }

    @Test func `a session ends with its logout and with its key`() async throws {
        try await RunningService.with { service in
            let key = try await service.key(["shop"], [.read])
            let first = try await logIn(service, key)
            let second = try await logIn(service, key)
            #expect(first.cookie != second.cookie)
            let out = [("cookie", first.cookie), ("x-csrf-token", first.csrf)]
            #expect(try await service.ask("DELETE", "/v1/session", key: nil, headers: out).status == 204)
            #expect(
                try await service.ask("GET", "/v1/session", key: nil, headers: [("cookie", first.cookie)]).status == 401
            )
            #expect(
                try await service.ask("GET", "/v1/session", key: nil, headers: [("cookie", second.cookie)]).status
                    == 200)
            _ = try await service.service.keys.revoke(String(key.split(separator: "_")[1]))
            #expect(
                try await service.ask("GET", "/v1/status", key: nil, headers: [("cookie", second.cookie)]).status == 401
            )
        }
    }

    @Test func `an id that nobody got opens nothing, and a wrong key opens no session`() async throws {
        try await RunningService.with { service in
            for cookie in ["pushserve_session=x", "pushserve_session=", "pushserve_session=a; pushserve_session=b"] {
                #expect(
                    try await service.ask("GET", "/v1/status", key: nil, headers: [("cookie", cookie)]).status == 401)
            }
            let wrong = "psk_abcdefgh_" + String(repeating: "A", count: 43)
            let answer = try await service.ask("POST", "/v1/session", #"{"key":"\#(wrong)"}"#, key: nil)
            #expect(answer.status == 401 && answer.headers["set-cookie"] == nil)
        }
    }

    @Test func `a second cookie of the same name ends no session, and two sessions are none`() async throws {
        try await RunningService.with { service in
            let key = try await service.key(["shop"], [.admin])
            let (cookie, csrf) = try await logIn(service, key)
            let unknown = "pushserve_session=" + String(repeating: "A", count: 43)
            let several = (1...20).map { "pushserve_session=!\($0)" }.joined(separator: "; ")
            for stranger in ["pushserve_session=x", "pushserve_session=", unknown, several] {
                for both in ["\(stranger); \(cookie)", "\(cookie); \(stranger)"] {
                    let headers = [("cookie", both), ("x-csrf-token", csrf)]
                    #expect(try await service.ask("GET", "/v1/status", key: nil, headers: headers).status == 200)
                    #expect(try await service.ask("GET", "/v1/session", key: nil, headers: headers).status == 200)
                }
            }
            let other = try await logIn(service, key)
            let two = [("cookie", "\(cookie); \(other.cookie)"), ("x-csrf-token", csrf)]
            #expect(try await service.ask("GET", "/v1/status", key: nil, headers: two).status == 401)
            // A logout ends the own session, also beside a stranger's cookie.
            let out = [("cookie", "pushserve_session=x; \(cookie)"), ("x-csrf-token", csrf)]
            #expect(try await service.ask("DELETE", "/v1/session", key: nil, headers: out).status == 204)
            let after = try await service.ask("GET", "/v1/session", key: nil, headers: [("cookie", cookie)])
            #expect(after.status == 401)
        }
    }

    @Test func `logins are limited`() async throws {
        try await RunningService.with({ $0.limits.loginsPerSecond = 0.001 }) { service in
            let first = try await service.ask("POST", "/v1/session", #"{"key":"x"}"#, key: nil)
            let second = try await service.ask("POST", "/v1/session", #"{"key":"x"}"#, key: nil)
            #expect(first.status == 401)
            #expect(second.status == 429 && second.headers["retry-after"] != nil)
        }
    }

    @Test func `a login is short`() async throws {
        try await RunningService.with { service in
            let long = #"{"key":"\#(String(repeating: "x", count: 5000))"}"#
            let answer = try await service.ask("POST", "/v1/session", long, key: nil)
            #expect(answer.status == 413)
        }
    }
}
