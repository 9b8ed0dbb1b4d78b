import APNSVocabulary
import HTTPTypes
import MockAPNs
import PushJSON
import Testing

@testable import MockConsole

/// What a page of a stranger, or a person without the token, must not reach.
@Suite struct RequestGateTests {
    @Test(arguments: [
        "localhost", "localhost:2198", "127.0.0.1:2198", "[::1]:2198", "LOCALHOST", "10.0.0.7", "mock.localhost",
    ])
    func `an address or localhost is let in`(host: String) async throws {
        let console = try await Console()
        #expect(await console.ask(.get, "/v1/pushes", host: host).status == 200)
        await console.end()
    }

    @Test(arguments: [
        "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", "[", "1.2.3", "256.1.1.1",
        "[evil.com]", "[::1].evil.com", "[::1]:x", "[127.0.0.1]", "[]",
    ])
    func `another name is refused, so that DNS cannot be rebound`(host: String) async throws {
        let console = try await Console()
        let answer = await console.ask(.get, "/v1/pushes", host: host)
        #expect(answer.status == 421)
        #expect(answer["code"]?.string == "unknown_host")
        #expect(host != "" || answer["remedy"]?.string?.hasPrefix("Send the header Host") == true)
        await console.end()
    }

    @Test func `a name of the mock is let in`() async throws {
        var configuration = ConsoleConfiguration()
        configuration.names = ["Mock-APNs"]
        let console = try await Console(configuration)
        #expect(await console.ask(.get, "/v1/pushes", host: "mock-apns:2198").status == 200)
        await console.end()
    }

    @Test func `a page of another origin is refused, the mock's own is not`() async throws {
        let console = try await Console()
        for origin in ["http://evil.example", "null", "https://localhost", "http://localhost:1"] {
            let answer = await console.ask(.get, "/v1/pushes", headers: [("origin", origin)])
            #expect(answer.status == 403 && answer["code"]?.string == "cross_origin")
        }
        #expect(
            await console.ask(
                .get, "/v1/pushes", host: "localhost:2198", headers: [("origin", "http://localhost:2198")]
            )
            .status == 200)
        await console.end()
    }

    @Test func `no answer allows other origins to read it`() async throws {
        let console = try await Console()
        for path in ["/v1/pushes", "/nothing", "/livez"] {
            let answer = await console.ask(.get, path)
            #expect(!answer.headers.contains { $0.name.canonicalName.hasPrefix("access-control") })
        }
        await console.end()
    }

    @Test func `a form of a page cannot write`() async throws {
        let console = try await Console()
        for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", nil] {
            let answer = await console.ask(.post, "/v1/reset", "{}", type: type)
            #expect(answer.status == 415)
        }
        #expect(await console.ask(.post, "/v1/reset", "{}", type: "application/json; charset=utf-8").status == 204)
        await console.end()
    }

    @Test func `with an access token, only requests that have it are answered`() async throws {
        var configuration = ConsoleConfiguration()
        configuration.accessToken = "secret-token"
        let console = try await Console(configuration)
        for value in [nil, "bearer wrong-token!", "secret-token", "Basic secret-token", "bearer secret-token2"] {
            let answer = await console.ask(.get, "/v1/pushes", headers: value.map { [("authorization", $0)] } ?? [])
            #expect(answer.status == 401)
            #expect(answer.headers[.wwwAuthenticate] == "Bearer")
            #expect(!answer.text.contains("secret-token"))
        }
        #expect(
            await console.ask(.get, "/v1/pushes", headers: [("authorization", "Bearer secret-token")]).status == 200)
        // Strangers do not learn which paths and namespaces there are.
        for path in ["/nothing", "/v1/namespaces/team/pushes"] {
            #expect(await console.ask(.get, path).status == 401)
            #expect(await console.ask(.get, path, host: "evil.com").status == 421)
        }
        #expect(await console.ask(.get, "/livez").status == 200)
        #expect(await console.ask(.get, "/metrics").status == 401)
        await console.end()
    }
}
