import NIOPosix
import PushPlatform
import TestSupport
import Testing

@testable import PushService

/// Single messages to a real server.
@Suite(.timeLimit(.minutes(10))) struct WebhookPosterTests {
    private let secret = WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")

    private func settings(_ url: String) throws -> WebhookSettings {
        var settings = WebhookSettings(url: url, secrets: [try #require(secret)])
        settings.timeout = .seconds(300)
        return settings
    }

    private func poster(_ settings: WebhookSettings) throws -> WebhookPoster {
        try #require(WebhookPoster(settings, group: MultiThreadedEventLoopGroup.singleton))
    }

    /// The name server knows no name that ends with ".test", so only the address that was checked leads to the receiver.
    @Test(arguments: ["hooks.test", "Hooks.TEST", "hooks.test.", "HOOKS.test."])
    func `a message goes to the address that was checked, however the host is spelled`(host: String) async throws {
        let receiver = WebhookReceiver()
        try await receiver.run { port in
            var settings = try settings("http://\(host):\(port)/hook")
            settings.allowedHosts = ["hooks.test"]
            let poster = try #require(
                WebhookPoster(settings, group: MultiThreadedEventLoopGroup.singleton) { url, mayBePrivate in
                    #expect(url.host == "hooks.test")
                    #expect(mayBePrivate)
                    return ["127.0.0.1"]
                })
            let answer = await poster.post(id: "msg_1", body: [], now: Date())
            #expect(answer == .taken)
            await poster.close()
        }
    }

    @Test(arguments: [true, false])
    func `a lookup that doesn't end holds up a message neither beyond its time limit nor at the end`(
        isCancelled: Bool
    ) async throws {
        let (never, begun) = (AsyncStream.makeStream(of: Void.self), Watched(false))
        var settings = try settings("https://hooks.test/hook")
        settings.timeout = isCancelled ? .seconds(3600) : .milliseconds(1)
        let poster = try #require(
            WebhookPoster(settings, group: MultiThreadedEventLoopGroup.singleton) { _, _ in
                begun.change { $0 = true }
                // It waits also after it was cancelled, as a lookup of the system does.
                await Task { for await _ in never.stream {} }.value
                return []
            })
        let post = Task { await poster.post(id: "msg_1", body: [], now: Date()) }
        try await begun.wait(for: "the lookup begins") { $0 }
        if isCancelled { post.cancel() }
        guard case .failed(let reason, _) = await post.value else {
            Issue.record("It was posted.")
            return
        }
        #expect(isCancelled || reason.hasPrefix("hooks.test can't be looked up: "))
        never.continuation.finish()
        await poster.close()
    }

    @Test(arguments: [(200, WebhookPoster.Answer.taken), (503, .failed("The receiver answered 503.", retryAfter: nil))])
    func `an answer that does not end is decided by its status`(
        status: Int, expected: WebhookPoster.Answer
    ) async throws {
        let receiver = WebhookReceiver(holdsAnswers: true)
        receiver.answer([status])
        try await receiver.run { port in
            var settings = try settings("http://localhost:\(port)/hook")
            settings.allowedHosts = ["localhost"]
            // Longer than the time limit of the suite, so that it does not end the answer.
            settings.timeout = .seconds(3600)
            let poster = try self.poster(settings)
            let answer = await poster.post(id: "msg_1", body: [], now: Date())
            #expect(answer == expected)
            receiver.release()
            await poster.close()
        }
    }

    @Test(arguments: [
        ("120", Duration.seconds(120)), ("Sat, 01 Jan 2022 00:02:00 GMT", .seconds(120)),
        ("Sat, 01 Jan 2022 00:00:00 GMT", nil), ("Mon, 01 Jan 2029 00:00:00 GMT", .seconds(86_400)), ("soon", nil),
    ])
    func `a receiver asks for a pause in seconds or as a date`(text: String, pause: Duration?) async throws {
        let receiver = WebhookReceiver(retryAfter: text)
        receiver.answer([503])
        try await receiver.run { port in
            var settings = try settings("http://localhost:\(port)/hook")
            settings.allowedHosts = ["localhost"]
            let poster = try self.poster(settings)
            // 2022-01-01T00:00:00Z
            let answer = await poster.post(id: "msg_1", body: [], now: Date(timeIntervalSince1970: 1_640_995_200))
            #expect(answer == .failed("The receiver answered 503.", retryAfter: pause))
            await poster.close()
        }
    }

    @Test(arguments: [
        "localhost", "127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "127.0.0.1.", "0.0.0.0", "0",
        "10.0.0.1", "10.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "[::1]", "[::]",
        "[::ffff:127.0.0.1]", "[::ffff:a00:1]", "[fe80::1]", "[fd00::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]",
    ])
    func `a check refuses each spelling of an inner address, and a post does so, too`(host: String) async throws {
        let settings = try settings("https://\(host)/hook")
        let refusal = await #expect(throws: WebhookRefusal.self) { try await settings.checkAddress() }
        #expect(refusal?.isPermanent == true, "\(refusal?.reason ?? "")")
        let poster = try self.poster(settings)
        guard case .failed(let reason, _) = await poster.post(id: "msg_1", body: [], now: Date()) else {
            Issue.record("It was posted.")
            return
        }
        #expect(reason == refusal?.reason)
        await poster.close()
    }

    @Test func `a check lets a public address and a listed host pass, and says what it cannot look up`() async throws {
        try await settings("https://17.188.143.34/hook").checkAddress()
        var listed = try settings("https://127.0.0.1/hook")
        listed.allowedHosts = ["127.0.0.1"]
        try await listed.checkAddress()
        // No name server is asked for a name with such a long part.
        let unknown = try settings("https://\(String(repeating: "a", count: 64)).invalid/hook")
        let refusal = await #expect(throws: WebhookRefusal.self) { try await unknown.checkAddress() }
        #expect(refusal?.isPermanent == false)
    }

    @Test func `an address that is not public needs a listed host`() async throws {
        var settings = try settings("https://localhost/")
        let poster = try self.poster(settings)
        let answer = await poster.post(id: "msg_1", body: [], now: Date())
        guard case .failed(let reason, _) = answer else {
            Issue.record("It was posted.")
            return
        }
        #expect(reason.contains("isn't public"))
        await poster.close()
        settings.url = "https://127.0.0.1/"
        let direct = try self.poster(settings)
        guard case .failed(let refusal, _) = await direct.post(id: "msg_1", body: [], now: Date()) else {
            Issue.record("It was posted.")
            return
        }
        #expect(refusal.contains("isn't public"))
        await direct.close()
    }
}
