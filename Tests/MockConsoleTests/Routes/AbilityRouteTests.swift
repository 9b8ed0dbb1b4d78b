import HTTPTypes
import MockAPNs
import NIOConcurrencyHelpers
import PushJSON
import PushProvider
import Testing

@testable import MockConsole

/// Checking and sending, which a program hands in.
@Suite struct AbilityRouteTests {
    @Test func `without them, their paths say that the mock does not support them`() async throws {
        let console = try await Console()
        try await console.push()
        for path in ["/v1/lint", "/v1/send", "/v1/pushes/1/replay"] {
            let answer = await console.ask(.post, path, #"{"payload": "{}"}"#)
            #expect(answer.status == 404)
            #expect(answer["detail"]?.string?.contains("doesn't support it") == true)
        }
        #expect(await console.ask(.get, "/v1/templates").status == 404)
        #expect(await console.ask(.get, "/v1/setup")["abilities"]?.array?.isEmpty == true)
        await console.end()
    }

    @Test func `only the first mock is found by its state folder`() async throws {
        var configuration = ConsoleConfiguration()
        configuration.abilities.mockFlags = "--mock --state '/it'\\''s a mock'"
        let console = try await Console(configuration)
        #expect(await console.ask(.get, "/v1/setup")["mock_flags"]?.string == "--mock --state '/it'\\''s a mock'")
        _ = await console.ask(.post, "/v1/namespaces", #"{"name": "team-a"}"#)
        let other = await console.ask(.get, "/v1/namespaces/team-a/setup")
        #expect(other["port"]?.integer != nil && other["mock_flags"] == nil)
        await console.end()
    }

    @Test func `findings have their position, rule and remedy`() async throws {
        var configuration = ConsoleConfiguration()
        configuration.abilities.lint = { push in
            PushLinting(
                findings: [
                    PushLinting.Finding(
                        position: (1, 2, 3), severity: "error", rule: "rule", subject: "payload.aps",
                        problem: String(decoding: push.payload, as: UTF8.self), remedy: "\(push.priority ?? 0)",
                        isFixable: true)
                ], repaired: "{}")
        }
        let console = try await Console(configuration)
        let answer = await console.ask(.post, "/v1/lint", #"{"payload": "{ }", "priority": "5"}"#)
        #expect(answer["items", "0", "line"]?.integer == 1 && answer["items", "0", "length"]?.integer == 3)
        #expect(answer["items", "0", "problem"]?.string == "{ }" && answer["items", "0", "remedy"]?.string == "5")
        #expect(answer["fixed"]?.string == "{}")
        #expect(await console.ask(.post, "/v1/lint", "{}")["code"]?.string == "missing_member")
        #expect(
            await console.ask(.post, "/v1/lint", #"{"payload": "", "priority": "x"}"#)["field"]?.string == "/priority")
        await console.end()
    }

    @Test func `a replay has the same payload and header fields`() async throws {
        let sent = NIOLockedValueBox<[ComposedPush]>([])
        var configuration = ConsoleConfiguration()
        configuration.abilities.send = { push, _ in
            sent.withLockedValue { $0.append(push) }
            return SentPush(status: 200, apnsID: "id")
        }
        let console = try await Console(configuration)
        try await console.push(title: "Again")
        let answer = await console.ask(.post, "/v1/pushes/1/replay", "{}")
        #expect(answer.status == 200 && answer["status"]?.integer == 200)
        #expect(answer["key_id"]?.string == MockCredentials.keyID)
        let push = try #require(sent.withLockedValue { $0.first })
        let arrival = try #require(console.mock.arrivals.first)
        #expect(push.payload == arrival.request.body && push.token == arrival.deviceToken)
        #expect(push.topic == arrival.request.topic && push.pushType == arrival.request.pushType?.rawValue)
        #expect(push.expiration == arrival.request.expiration)
        #expect(await console.ask(.post, "/v1/pushes/2/replay", "{}").status == 404)
        // An expiration is repeated as it is, also one that APNs refuses, and one that is missing.
        for value in ["0", "\"0\"", "\"18446744073709551615\"", "-5", "1795330800000", "null"] {
            let body = #"{"payload": "{}", "token": "00", "expiration": \#(value)}"#
            #expect(await console.ask(.post, "/v1/send", body).status == 200)
            let wanted = value == "null" ? nil : value.filter { $0 != "\"" }
            #expect(sent.withLockedValue { $0.last?.expiration } == wanted)
        }
        for value in ["\"soon\"", "\"\"", "true", "0.5"] {
            let body = #"{"payload": "{}", "token": "00", "expiration": \#(value)}"#
            #expect(await console.ask(.post, "/v1/send", body)["field"]?.string == "/expiration")
        }
        await console.end()
    }

    @Test func `what is wrong with a push is reported with its member`() async throws {
        var configuration = ConsoleConfiguration()
        configuration.abilities.send = { push, _ in
            if push.token == "x" { throw SendFailure(member: "token", detail: "Not a token.") }
            throw SendFailure(detail: "No answer.")
        }
        let console = try await Console(configuration)
        let wrong = await console.ask(.post, "/v1/send", #"{"payload": "{}", "token": "x"}"#)
        #expect(wrong.status == 400 && wrong["field"]?.string == "/token")
        let silent = await console.ask(.post, "/v1/send", #"{"payload": "{}", "token": "y"}"#)
        #expect(silent.status == 422 && silent["detail"]?.string == "No answer.")
        #expect(await console.ask(.post, "/v1/send", #"{"payload": "{}"}"#)["field"]?.string == "/token")
        await console.end()
    }

    @Test func `every reason is explained`() async throws {
        let console = try await Console()
        let items = await console.ask(.get, "/v1/reasons")["items"]?.array ?? []
        #expect(items.count > 20)
        #expect(items.allSatisfy { $0["meaning"]?.string?.isEmpty == false && $0["advice"]?.string?.isEmpty == false })
        await console.end()
    }

    @Test func `violations begin with the newest on request`() async throws {
        let console = try await Console()
        #expect(await console.ask(.get, "/v1/violations?order=newest").status == 200)
        #expect(await console.ask(.get, "/v1/violations?order=best")["field"]?.string == "order")
        #expect(await console.ask(.get, "/v1/faults")["scenario"] == nil)
        await console.ask(.put, "/v1/scenario", #"{"name": "throttled"}"#)
        #expect(await console.ask(.get, "/v1/faults")["scenario"]?.string == "throttled")
        await console.end()
    }
}
