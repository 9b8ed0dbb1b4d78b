import HTTPTypes
import MockAPNs
import PushHTTP
import PushJSON
import PushPlatform
import PushProvider
import TestSupport
import Testing

@testable import MockConsole

@Suite struct PushRouteTests {
    @Test func `requests are listed, found, counted and read whole`() async throws {
        let console = try await Console()
        for title in ["One", "Two", "Three"] { try await console.push(title: title) }
        let all = await console.ask(.get, "/v1/pushes")
        #expect(all["items"]?.array?.count == 3)
        #expect(all["next"]?.kind == .null)
        let found = await console.ask(.get, "/v1/pushes?q=title:two")
        #expect(found["items", "0", "number"]?.integer == 2)
        #expect(await console.ask(.get, "/v1/pushes/count?q=-title:two")["count"]?.integer == 2)
        #expect(await console.ask(.get, "/v1/pushes/latest?q=topic%3Acom.example.app")["number"]?.integer == 3)
        let one = await console.ask(.get, "/v1/pushes/1")
        #expect(one["token"]?.string == DeviceToken.sampleHex)
        #expect(one["peer"]?.string?.hasPrefix("127.0.0.1:") == true)
        #expect(one["key_id"]?.string == MockCredentials.keyID)
        #expect(one["headers"]?.array?.contains { $0["name"]?.string == "apns-topic" } == true)
        #expect(await console.ask(.get, "/v1/pushes/1/body").text.contains("\"One\""))
        let frames = await console.ask(.get, "/v1/pushes/1/frames")
        #expect(frames["frames", "0", "type"]?.string == "HEADERS")
        #expect(frames["frames"]?.array?.last?["ends_stream"]?.bool == true)
        await console.end()
    }

    @Test func `a provider token is not kept`() async throws {
        let console = try await Console()
        try await console.push()
        let one = await console.ask(.get, "/v1/pushes/1")
        let authorization = one["headers"]?.array?.first { $0["name"]?.string == "authorization" }?["value"]?.string
        #expect(authorization?.hasPrefix("bearer <") == true)
        #expect(authorization?.hasSuffix("not kept>") == true)
        let arrival = try #require(console.mock.arrivals.first)
        #expect(arrival.request.authorization == nil)
        #expect(!arrival.request.fields.contains { $0.value.contains("eyJ") })
        await console.end()
    }

    @Test func `pages follow one another, from either end`() async throws {
        let console = try await Console()
        for _ in 0..<5 { try await console.push() }
        let first = await console.ask(.get, "/v1/pushes?limit=2")
        #expect(first["next"]?.string == "2")
        let second = await console.ask(.get, "/v1/pushes?limit=2&after=2")
        #expect(second["items", "0", "number"]?.integer == 3)
        let newest = await console.ask(.get, "/v1/pushes?limit=2&order=newest")
        #expect(newest["items", "0", "number"]?.integer == 5)
        #expect(await console.ask(.get, "/v1/pushes?order=newest&after=4")["items", "0", "number"]?.integer == 3)
        await console.end()
    }

    @Test func `the log is emptied, and single requests are removed`() async throws {
        let console = try await Console()
        for _ in 0..<3 { try await console.push() }
        #expect(await console.ask(.delete, "/v1/pushes/2").status == 204)
        #expect(await console.ask(.get, "/v1/pushes/2").status == 404)
        #expect(await console.ask(.get, "/v1/pushes/3").status == 200)
        #expect(await console.ask(.delete, "/v1/pushes").status == 204)
        #expect(await console.ask(.get, "/v1/pushes/count")["count"]?.integer == 0)
        #expect(try await console.push() == 4)
        await console.end()
    }

    // MARK: Waiting

    @Test func `a wait ends as soon as the request arrives`() async throws {
        let console = try await Console()
        async let answer = console.ask(.post, "/v1/pushes/wait", #"{"query": "title:Hello", "within": "60s"}"#)
        try await console.push()
        #expect(await answer.status == 200)
        #expect(await answer["matches", "0", "number"]?.integer == 1)
        await console.end()
    }

    @Test func `one too many fails at once`() async throws {
        let console = try await Console()
        try await console.push()
        try await console.push()
        let answer = await console.ask(.post, "/v1/pushes/wait", #"{"exactly": 1, "within": "60s"}"#)
        #expect(answer.status == 409)
        #expect(answer["code"]?.string == "expectation_failed")
        #expect(answer["count"]?.integer == 2)
        await console.end()
    }

    @Test func `an exact number holds when no other follows`() async throws {
        let console = try await Console()
        try await console.push()
        let answer = await console.ask(
            .post, "/v1/pushes/wait", #"{"exactly": 1, "within": "60s", "settle": "10ms"}"#)
        #expect(answer.status == 200)
        await console.end()
    }

    @Test func `nothing is nothing, not even a rejected request`() async throws {
        let console = try await Console()
        #expect(await console.ask(.post, "/v1/pushes/assert", #"{"none": true}"#).status == 200)
        console.mock.answerNext(status: 400, reason: .badDeviceToken)
        try await console.push()
        #expect(await console.ask(.post, "/v1/pushes/assert", #"{"none": true}"#).status == 409)
        // For other expectations, a rejected request counts only if the search speaks of it.
        #expect(await console.ask(.post, "/v1/pushes/assert", "{}").status == 409)
        #expect(await console.ask(.post, "/v1/pushes/assert", #"{"query": "status:400"}"#).status == 200)
        await console.end()
    }

    @Test func `requests that nearly match are reported`() async throws {
        let console = try await Console()
        try await console.push(title: "Hallo")
        try await console.push(title: "Hallo", topic: "com.example.other")
        let answer = await console.ask(
            .post, "/v1/pushes/assert", #"{"query": "topic:com.example.app title:Hello"}"#)
        #expect(answer.status == 409)
        #expect(answer["near_misses", "0", "push", "number"]?.integer == 1)
        #expect(answer["near_misses", "0", "differences", "0", "expected"]?.string == "title:Hello")
        #expect(answer["near_misses", "0", "differences", "0", "found"]?.string == "Hallo")
        #expect(answer["near_misses", "1", "differences"]?.array?.count == 2)
        await console.end()
    }

    @Test func `requests in order`() async throws {
        let console = try await Console()
        for title in ["A", "B", "C"] { try await console.push(title: title) }
        #expect(await console.ask(.post, "/v1/pushes/assert", #"{"in_order": ["title:A", "title:C"]}"#).status == 200)
        #expect(await console.ask(.post, "/v1/pushes/assert", #"{"in_order": ["title:C", "title:A"]}"#).status == 409)
        await console.end()
    }

    @Test func `requests before a number do not count`() async throws {
        let console = try await Console()
        try await console.push()
        #expect(await console.ask(.post, "/v1/pushes/assert", #"{"after": 1}"#).status == 409)
        await console.end()
    }

    @Test func `what was dropped from the log cannot be asserted`() async throws {
        let console = try await Console { $0.logCount = 2 }
        for _ in 0..<3 { try await console.push() }
        let answer = await console.ask(.post, "/v1/pushes/assert", #"{"exactly": 2}"#)
        #expect(answer.status == 409)
        #expect(answer["detail"]?.string?.contains("dropped") == true)
        await console.end()
    }

    @Test func `a stop ends requests that wait`() async throws {
        let console = try await Console()
        async let answer = console.ask(.post, "/v1/pushes/wait", #"{"within": "3600s"}"#)
        // Nothing shows that the request waits. If it comes later, it meets a stopped mock, which is an error, too.
        try await Task.sleep(for: .milliseconds(50))
        await console.end()
        #expect(await answer.status >= 400)
    }

    @Test func `a mock that stops does not promise that nothing arrives`() async throws {
        let ledger = RunLedger()
        let console = try await Console { $0.ledger = ledger }
        async let answer = console.ask(.post, "/v1/pushes/wait", #"{"none": true, "within": "3600s"}"#)
        await console.mock.stop()
        #expect(await answer.status == 503)
        #expect(await answer["code"]?.string == "stopping")
        #expect(ledger.expectations.isEmpty)
        await console.end()
    }

    @Test func `a wait that has too many others is refused`() async throws {
        let answers = AnswersInProgress()
        let reservations = try (0..<100).map { _ in try answers.reserve(.eventStream) }
        #expect(throws: TooManyWaiting.self) { _ = try answers.reserve(.eventStream) }
        #expect(throws: Never.self) { _ = try answers.reserve(.wait) }
        withExtendedLifetime(reservations) {}
    }

    @Test func `a reservation ends with its request`() throws {
        let answers = AnswersInProgress()
        for _ in 0..<2000 { _ = try answers.reserve(.wait) }
    }

    // MARK: Bad input

    @Test(arguments: ["/v1/pushes/wait", "/v1/pushes/assert"])
    func `the largest number ends nothing`(path: String) async throws {
        let console = try await Console()
        try await console.push()
        let answer = await console.ask(.post, path, #"{"after": 9223372036854775807, "within": "1ms"}"#)
        #expect(answer.status == 409)
        await console.end()
    }

    @Test func `a search that is too long is refused`() async throws {
        let ledger = RunLedger()
        let console = try await Console { $0.ledger = ledger }
        let long = String(repeating: "x", count: 4097)
        for body in ["{\"query\": \"\(long)\"}", "{\"in_order\": [\"a\", \"\(long)\"]}"] {
            let answer = await console.ask(.post, "/v1/pushes/assert", body)
            #expect(answer.status == 400 && answer["code"]?.string == "search_too_long")
            #expect(answer["remedy"] != nil)
        }
        let searches = Array(repeating: "\"\(String(repeating: "x", count: 4000))\"", count: 100)
        await console.ask(.post, "/v1/pushes/assert", "{\"in_order\": [\(searches.joined(separator: ","))]}")
        #expect((1...600).contains(ledger.expectations.first?.content.name.utf8.count ?? 0))
        await console.end()
    }

    @Test(arguments: [
        (#"{"query": "foo:bar"}"#, "invalid_search", "/query"),
        (#"{"query": 1}"#, "wrong_type", "/query"),
        (#"{"qury": ""}"#, "unknown_member", "/qury"),
        (#"{"at_least": 1, "exactly": 1}"#, "invalid_value", ""),
        (#"{"at_least": 0}"#, "invalid_value", "/at_least"),
        (#"{"within": "2"}"#, "invalid_value", "/within"),
        (#"{"within": "2h"}"#, "invalid_value", "/within"),
        (#"{"in_order": ["a", 2]}"#, "wrong_type", "/in_order/1"),
        (#"{"in_order": ["status:x"]}"#, "invalid_search", "/in_order/0"),
        (#"{"in_order": []}"#, "invalid_value", "/in_order"),
        (#"{"query": "", "query": ""}"#, "repeated_member", "/query"),
    ])
    func `a mistake is named with its field`(body: String, code: String, field: String) async throws {
        let console = try await Console()
        let answer = await console.ask(.post, "/v1/pushes/wait", body)
        #expect(answer.status == 400)
        #expect(answer.headers[.contentType] == "application/problem+json")
        #expect(answer["code"]?.string == code)
        #expect(answer["field"]?.string == field)
        if code == "invalid_search" {
            let page = Documentation.address(of: "docs/mock-api.md#searches")
            #expect(answer["remedy"]?.string?.hasSuffix(page) == true)
        }
        await console.end()
    }

    @Test func `broken JSON is named with line and column`() async throws {
        let console = try await Console()
        let answer = await console.ask(.post, "/v1/pushes/wait", "{\n  \"query\": \"a\"\n  \"exactly\": 1}")
        #expect(answer.status == 400)
        // Where the comma is missing.
        #expect(answer["line"]?.integer == 2)
        #expect(answer["column"]?.integer == 15)
        await console.end()
    }

    @Test func `an unknown query parameter is refused, and the known one is proposed`() async throws {
        let console = try await Console()
        let answer = await console.ask(.get, "/v1/pushes?Limits=1")
        #expect(answer.status == 400 && answer["code"]?.string == "unknown_parameter")
        #expect(answer["remedy"]?.string == "Did you mean \"limit\"?")
        await console.end()
    }

    @Test(arguments: [
        "/v1/pushes?limit=0", "/v1/pushes?limit=x", "/v1/pushes?order=up", "/v1/pushes?unknown=1", "/v1/pushes?q=a&q=b",
        "/v1/pushes?q=%zz", "/v1/pushes?after=-1",
    ])
    func `a mistake in the query is refused`(path: String) async throws {
        let console = try await Console()
        #expect(await console.ask(.get, path).status == 400)
        await console.end()
    }

    @Test func `another method, another path`() async throws {
        let console = try await Console()
        let method = await console.ask(.put, "/v1/pushes", "{}")
        #expect(method.status == 405)
        #expect(method.headers[.allow] == "GET, HEAD, DELETE")
        let count = await console.ask(.delete, "/v1/pushes/count")
        #expect(count.status == 405)
        #expect(count.headers[.allow] == "GET, HEAD")
        #expect(count["detail"]?.string == "DELETE isn't allowed for /v1/pushes/count.")
        let events = await console.ask(.head, "/v1/events")
        #expect(events.status == 200 && events.body.isEmpty && events.headers[.contentLength] == "0")
        let nothing = await console.ask(.get, "/v1/nothing")
        #expect(nothing.status == 404 && nothing["remedy"]?.string == "GET /v1/openapi.json lists all paths.")
        #expect(await console.ask(.get, "/v1/puhses")["remedy"]?.string == "Did you mean /v1/pushes?")
        #expect(
            await console.ask(.get, "/v1/conections/12/steps")["remedy"]?.string
                == "Did you mean /v1/connections/{number}/steps?")
        #expect(await console.ask(.get, "/v1/p%75shes").status == 200)
        #expect(await console.ask(.get, "/v1%2Fpushes").status == 404)
        #expect(await console.ask(.get, "/v1/pushes/").status == 404)
        #expect(await console.ask(.get, "/v1/pushes/x").status == 404)
        let head = await console.ask(.head, "/v1/pushes")
        #expect(head.status == 200 && head.body.isEmpty)
        #expect(head.headers[.contentLength] == String(await console.ask(.get, "/v1/pushes").body.count))
        let missing = await console.ask(.head, "/v1/nothing")
        #expect(missing.status == 404 && missing.body.isEmpty)
        await console.end()
    }
}
