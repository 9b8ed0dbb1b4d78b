import APNSVocabulary
import Foundation
import PushJSON
import PushProvider
import PushQueue
import TestSupport
import Testing

@testable import PushService

/// Who may ask for what.
@Suite struct AccessTests {
    private static let paths = [
        ("POST", "/v1/notifications", KeyScope.send), ("GET", "/v1/notifications", .read),
        ("GET", "/v1/results", .read), ("GET", "/v1/status", .read), ("GET", "/v1/gone-tokens", .read),
        ("GET", "/v1/dead-letters", .read), ("POST", "/v1/dead-letters/redrive", .admin),
        ("POST", "/v1/notifications/cancel", .cancel), ("DELETE", "/v1/gone-tokens/ab", .admin),
        ("GET", "/v1/statistics", .read), ("GET", "/v1/webhooks", .read), ("POST", "/v1/webhooks/shop/test", .admin),
        ("POST", "/v1/webhooks/shop/retry", .admin), ("GET", "/v1/keys", .admin),
        ("DELETE", "/v1/keys/abcdefgh", .admin),
        ("GET", "/v1/audit", .admin), ("GET", "/v1/export", .admin), ("DELETE", "/v1/notifications", .admin),
    ]

    @Test func `nothing is answered without a key but whether the service lives`() async throws {
        try await RunningService.with { service in
            for (method, path, _) in Self.paths + [("GET", "/v1/nothing", .read), ("GET", "/index", .read)] {
                let answer = try await service.ask(method, path, method == "POST" ? "{}" : nil, key: nil)
                #expect(answer.status == 401 && answer.headers["www-authenticate"] == "Bearer", "\(method) \(path)")
            }
            let wrong = "psk_abcdefgh_" + String(repeating: "A", count: 43)
            #expect(try await service.ask("GET", "/v1/status", key: wrong).status == 401)
            for path in ["/livez", "/healthz", "/readyz", "/v1/openapi.json", "/"] {
                #expect(try await service.ask("GET", path, key: nil).status == 200)
            }
        }
    }

    @Test func `a key in the URL is no key`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            #expect(try await service.ask("GET", "/v1/status?key=\(key)", key: nil).status == 401)
        }
    }

    @Test func `each route needs its scope`() async throws {
        try await RunningService.with { service in
            for (method, path, scope) in Self.paths {
                let others = Set(KeyScope.allCases).subtracting([scope, .admin])
                let answer = try await service.ask(
                    method, path, method == "POST" ? "{}" : nil, key: try await service.key(["shop"], others))
                #expect(answer.status == 403 && answer.string("code") == "scope_missing", "\(method) \(path)")
            }
        }
    }

    @Test func `a revoked key is refused with the next request`() async throws {
        try await RunningService.with { service in
            let (key, known) = try await service.service.keys.create(apps: ["shop"], scopes: [.read])
            #expect(try await service.ask("GET", "/v1/status", key: key).status == 200)
            _ = try await service.service.keys.revoke(known.id)
            #expect(try await service.ask("GET", "/v1/status", key: key).status == 401)
        }
    }

    // MARK: Other apps

    @Test func `what another app has does not exist`() async throws {
        try await RunningService.with { service in
            let shop = try await service.key(["shop"])
            let news = try await service.key(["news"])
            let id = try #require(try await service.ask("POST", "/v1/notifications", push(), key: shop).string("id"))
            for (method, path) in [
                ("GET", "/v1/notifications/\(id)"), ("GET", "/v1/notifications/\(id)?app=shop"),
                ("GET", "/v1/notifications/\(id)?history=true"), ("DELETE", "/v1/notifications/\(id)"),
                ("DELETE", "/v1/notifications/\(id)?app=shop"), ("GET", "/v1/notifications?app=shop"),
                ("GET", "/v1/results?app=shop"), ("GET", "/v1/results/events?app=shop"), ("GET", "/v1/status?app=shop"),
                ("GET", "/v1/gone-tokens?app=shop"), ("GET", "/v1/dead-letters?app=shop"),
                ("DELETE", "/v1/gone-tokens/abcd?app=shop"),
            ] {
                #expect(try await service.ask(method, path, key: news).status == 404, "\(method) \(path)")
            }
            #expect(try await service.ask("GET", "/v1/notifications?ids=\(id)", key: news).items().isEmpty)
            let sent = try await service.ask("POST", "/v1/notifications", push(#""app": "shop""#), key: news)
            #expect(sent.status == 404 && sent.string("code") == "unknown_app")
            let cancelled = try await service.ask(
                "POST", "/v1/notifications/cancel", #"{"app": "shop"}"#, key: news)
            #expect(cancelled.status == 404)
            try await service.deliver()
            #expect(try await service.ask("GET", "/v1/results", key: news).items().isEmpty)
            #expect(try await service.ask("GET", "/v1/results", key: shop).items().count == 1)
        }
    }

    @Test func `a dead letter of another app is not put in again`() async throws {
        try await RunningService.with { service in
            let shop = try await service.key(["shop"])
            let id = try #require(try await service.ask("POST", "/v1/notifications", push(), key: shop).string("id"))
            _ = try await service.queue.bury([try #require(.init(uuidString: id))], app: "shop", detail: "broken")
            let answer = try await service.ask(
                "POST", "/v1/dead-letters/redrive", #"{"ids": ["\#(id)"]}"#, key: try await service.key(["news"]))
            #expect(answer.items().first?.string("result") == "not_found")
        }
    }

    @Test func `a key of several apps names one where one is needed`() async throws {
        try await RunningService.with { service in
            let key = try await service.key(["news", "shop"])
            let missing = try await service.ask("POST", "/v1/notifications", push(), key: key)
            #expect(missing.status == 400 && missing.string("code") == "app_missing")
            #expect(try await service.ask("POST", "/v1/notifications?app=shop", push(), key: key).status == 202)
            #expect(try await service.ask("POST", "/v1/notifications", push(#""app": "news""#), key: key).status == 202)
            let both = try await service.ask("POST", "/v1/notifications?app=shop", push(#""app": "news""#), key: key)
            #expect(both.status == 400)
            try await service.deliver()
            try await service.deliver(app: "news")
            #expect(try await service.ask("GET", "/v1/results", key: key).items().count == 2)
            #expect(try await service.ask("GET", "/v1/results?app=news", key: key).items().count == 1)
        }
    }

    @Test func `a key of all apps sees the apps that there are, and no others`() async throws {
        try await RunningService.with { service in
            let key = try await service.key(["*"])
            #expect(try await service.ask("POST", "/v1/notifications?app=shop", push(), key: key).status == 202)
            #expect(try await service.ask("POST", "/v1/notifications?app=none", push(), key: key).status == 404)
            #expect(try await service.ask("POST", "/v1/notifications?app=*", push(), key: key).status == 404)
            let apps = try await service.ask("GET", "/v1/status", key: key).items("apps")
            #expect(apps.compactMap { $0.string("name") } == ["news", "shop"])
        }
    }

    // MARK: Injection

    @Test(arguments: [
        "'%20OR%201=1--", "%00", "..%2f..%2fetc", "00000000-0000-0000-0000-000000000000';", "*", "%25", "%ff",
        "00000000-0000-0000-0000-000000000000", "1", "-1", "9223372036854775808",
    ])
    func `an id that is none finds nothing`(id: String) async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            _ = try await service.ask("POST", "/v1/notifications", push(), key: key)
            #expect(try await service.ask("GET", "/v1/notifications/\(id)", key: key).status == 404)
            #expect(try await service.ask("DELETE", "/v1/notifications/\(id)", key: key).status == 404)
            #expect(try await service.ask("GET", "/v1/notifications?state=waiting", key: key).items().count == 1)
        }
    }

    @Test(arguments: [
        "'%20OR%201=1--", "1%3BDROP%20TABLE%20job", "%00", "r-1", "r", "r9223372036854775808", "1.2.3.4.5", "r1x", "-1",
    ])
    func `a cursor that is none is refused`(cursor: String) async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            _ = try await service.ask("POST", "/v1/notifications", push(), key: key)
            for path in ["/v1/results", "/v1/results/events"] {
                let answer = try await service.ask("GET", "\(path)?after=\(cursor)", key: key)
                #expect(answer.status == 400, "\(path)")
            }
            let list = try await service.ask("GET", "/v1/notifications?state=waiting&after=\(cursor)", key: key)
            #expect(list.status == 400)
            #expect(try await service.ask("GET", "/v1/notifications?state=waiting", key: key).items().count == 1)
        }
    }

    @Test func `neither keys nor tokens nor payloads reach the log`() async throws {
        let log = CapturedLog()
        try await RunningService.with(logger: log.logger) { service in
            let key = try await service.key()
            _ = try await service.ask("POST", "/v1/notifications", push(title: "Secret"), key: key)
            _ = try await service.ask("POST", "/v1/notifications", push(#""x": 1"#, title: "Secret"), key: key)
            _ = try await service.ask("GET", "/v1/status", key: key + "x")
            let text = log.lines.joined()
            for secret in [key, DeviceToken.sampleHex, "Secret"] { #expect(!text.contains(secret)) }
        }
    }

    @Test func `a problem does not show a whole token`() async throws {
        try await RunningService.with { service in
            let key = try await service.key()
            let token = String(repeating: "ab", count: 40) + "xyz"
            let answer = try await service.ask("POST", "/v1/notifications", push(token: token), key: key)
            #expect(answer.status == 400 && answer.string("field") == "/token")
            #expect(!answer.text.contains(token.prefix(40)))
        }
    }

    @Test func `a key for all apps reaches what is kept of apps that have left the configuration`() async throws {
        try await RunningService.with(apps: ["shop": RunningService.app("shop")]) { service in
            let (key, queue) = (try await service.key(["*"]), service.queue)
            let token = DeviceToken.sampleHex
            for app in ["old", "shop"] {
                let job = NewQueueJob(to: .device(token), payload: Array("{}".utf8))
                _ = try await queue.enqueue(EnqueueRequest([job], app: app))
                try await service.deliver(app: app)
            }
            try await queue.recordGone([GoneToken(token, since: .now)], app: "old")
            let lines = try await service.ask("GET", "/v1/export?token=\(token)", key: key).lines
            #expect(lines.map { $0.string("app") } == ["old", "old", "shop"])
            let erased = try await service.ask("DELETE", "/v1/notifications?token=\(token)", key: key)
            #expect(erased["erased"] == 2)
            #expect(try await queue.gone(among: [token], app: "old").isEmpty)
            #expect(try await service.ask("GET", "/v1/export?token=\(token)", key: key).lines.isEmpty)
            let audit = try await service.ask("GET", "/v1/audit", key: key).items()
            try #require(audit.count == 3)
            #expect(audit[1].string("action") == "notifications.erase" && audit[1]["app"] == nil, "\(audit)")
        }
    }
}
