import NIOPosix
import PushPlatform
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

    @Test func `an address that is not public needs a listed host`() async throws {
        var settings = try settings("https://localhost/")
        let poster = try self.poster(settings)
        let answer = await poster.post(id: "msg_1", body: [], now: Date())
        guard case .failed(let reason, _) = answer else {
            Issue.record("It was posted.")
            return
        }
        #expect(reason.contains("not public"))
        await poster.close()
        settings.url = "https://127.0.0.1/"
        let direct = try self.poster(settings)
        guard case .failed(let refusal, _) = await direct.post(id: "msg_1", body: [], now: Date()) else {
            Issue.record("It was posted.")
            return
        }
        #expect(refusal.contains("not public"))
        await direct.close()
    }
}
