import PushJSON
import Testing

@testable import PushService

/// The address of the service behind a proxy.
@Suite struct PublicURLTests {
    @Test func `behind a proxy the page is called by its public address`() async throws {
        let address = PublicURL("https://Push.example.com/")
        try await RunningService.with({ $0.publicURL = address }) { service in
            let key = try await service.key()
            func status(_ host: String, _ origin: String) async throws -> Int {
                try await service.ask(
                    "POST", "/v1/notifications?validate_only=true", push(), key: key,
                    headers: [("host", host), ("origin", origin)]
                ).status
            }
            // With the Host that the browser has sent, and with that of the proxy.
            #expect(try await status("push.example.com", "https://push.example.com") == 200)
            #expect(try await status("127.0.0.1:8080", "https://push.example.com") == 200)
            #expect(try await status("push.example.com", "https://evil.example") == 403)
            #expect(try await status("other.example.com", "https://push.example.com") == 421)
            let login = try await service.ask("POST", "/v1/session", "{\"key\":\"\(key)\"}", key: nil)
            let cookie = try #require(login.headers["set-cookie"])
            #expect(cookie.hasPrefix("__Host-") && cookie.contains("; Path=/; ") && cookie.contains("; Secure"))
            #expect(!cookie.contains("Domain"))
            let session = cookie.prefix { $0 != ";" }
            for (sent, expected) in [(session, 200), (session.dropFirst("__Host-".count), 401)] {
                let answer = try await service.ask("GET", "/v1/session", key: nil, headers: [("cookie", String(sent))])
                #expect(answer.status == expected)
            }
        }
    }

    @Test func `without a public address the remedy names the key of the configuration`() async throws {
        try await RunningService.with { service in
            let answer = try await service.ask(
                "GET", "/v1/status", key: try await service.key(), headers: [("host", "push.example.com")])
            #expect(answer.status == 421)
            #expect(answer.string("remedy")?.contains("\"public_url\"") == true)
            #expect(answer.string("remedy")?.contains("https://push.example.com.") == true)
        }
    }

    @Test(arguments: [
        ("https://push.example.com", "https://push.example.com"), ("HTTP://A.b:80", "http://a.b"),
        ("https://a.b:443/", "https://a.b"), ("https://a.b:8443", "https://a.b:8443"),
        ("http://[::1]:9", "http://[::1]:9"),
    ])
    func `a public address has a scheme and a host`(text: String, origin: String) {
        #expect(PublicURL(text)?.origin == origin)
    }

    @Test(arguments: [
        "", "push.example.com", "ftp://a.b", "https://", "https://a.b/page", "https://user@a.b", "https://a.b:0",
        "https://a.b:65536", "https://[]", "https://...", "https://a.b:x", "https://a b", "https://a.b?x",
        "https://[::g]", "https://::1:8443",
    ])
    func `what is no public address is refused`(text: String) {
        #expect(PublicURL(text) == nil)
    }
}
