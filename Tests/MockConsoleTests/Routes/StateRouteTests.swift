import Foundation
import HTTPTypes
import MockAPNs
import PushJSON
import PushPlatform
import PushProvider
import TestSupport
import Testing

@testable import MockConsole

@Suite struct StateRouteTests {
    // MARK: Faults

    @Test func `faults are injected, act, are counted and removed`() async throws {
        let console = try await Console()
        let created = await console.ask(
            .post, "/v1/faults",
            #"[{"name": "busy", "steps": [{"answer": {"status": 503, "reason": "ServiceUnavailable"}}], "times": 1}, {"steps": ["judge"]}]"#
        )
        #expect(created.status == 201, "\(created.text)")
        #expect(created["ids"]?.array?.map { $0.integer } == [1, 2])
        #expect(try await console.client.outcome(of: .sample()).rejectionStatus == 503)
        let list = await console.ask(.get, "/v1/faults")
        #expect(list["items", "0", "name"]?.string == "busy")
        #expect(list["items", "0", "applied"]?.integer == 1)
        #expect(list["items", "0", "is_active"]?.bool == false)
        #expect(list["items", "1", "fault", "steps"] != nil)
        #expect(await console.ask(.delete, "/v1/faults/2").status == 204)
        #expect(await console.ask(.delete, "/v1/faults/2").status == 404)
        await console.end()
    }

    @Test func `an impossible fault is refused, and none of its list is injected`() async throws {
        let console = try await Console()
        let answer = await console.ask(.post, "/v1/faults", "[{\"steps\": [\"judge\"]},\n {\"stepz\": []}]")
        #expect(answer.status == 400)
        #expect(answer["code"]?.string == "impossible_fault")
        #expect(answer["field"]?.string == "/1/stepz")
        let page = Documentation.address(of: "docs/mock-api.md#failure-injection")
        #expect(answer["remedy"]?.string?.hasSuffix(page) == true)
        #expect(answer["line"]?.integer == 2)
        #expect(answer["column"]?.integer == 3)
        #expect(console.mock.faultCounts.isEmpty)
        await console.end()
    }

    @Test(arguments: [
        (#"{"steps": [{"answer": {"status": "200"}}]}"#, "/steps/0/answer/status", 34),
        (#"{"steps": [{"answer": {"status": 99}}]}"#, "/steps/0/answer/status", 34),
        (#"{"steps": ["judge"], "times": 0}"#, "/times", 31),
        (#"{"steps": ["judge", null]}"#, "/steps/1", 21),
        (#"{"steps": [{"close_connection": "rudely"}]}"#, "/steps/0/close_connection", 33),
        (#"{"when": {"request": 0}, "steps": ["judge"]}"#, "/when/request", 22),
        (#"{"steps": ["judge"], "steps": []}"#, "/steps", 22),
        (#"{"when": {"headers": {"a": "1", "a": "2"}}, "steps": ["judge"]}"#, "/when/headers/a", 33),
        (#"{"steps": [{"reset_stream": {"code": 1, "x": 1}}]}"#, "/steps/0/reset_stream/x", 41),
        (#"{"steps": [{"answer": {"status": 200, "headers": {"A": "b"}}}]}"#, "/steps/0/answer/headers/A", 56),
        (#"{"steps": [{"repeat": {"times": 2, "steps": [{"wait_ms": -1}]}}]}"#, "/steps/0/repeat/steps/0/wait_ms", 58),
        (#"{"steps": [{"trickle": {"bytes": 1, "every_ms": 0}}]}"#, "/steps/0/trickle/every_ms", 49),
        (#"{"when": {"headers": []}, "steps": ["judge"]}"#, "/when/headers", 22),
        (#"{"steps": 1}"#, "/steps", 11), ("{}", "", 1),
    ])
    func `a mistake in a fault is named with its member`(body: String, field: String, column: Int) async throws {
        let console = try await Console()
        let answer = await console.ask(.post, "/v1/faults", body)
        #expect(answer.status == 400 && answer["field"]?.string == field, "\(answer.text)")
        #expect(answer["column"]?.integer == column, "\(answer.text)")
        for word in ["Dictionary", "Swift", "Expected to", "container", "Cannot"] {
            #expect(!answer.text.contains(word))
        }
        await console.end()
    }

    // MARK: Devices and keys

    @Test func `a device is registered, uninstalled and forgotten`() async throws {
        let console = try await Console()
        let path = "/v1/devices/\(DeviceToken.sampleHex)"
        #expect(await console.ask(.put, path, #"{"topics": ["com.example.app"]}"#).status == 201)
        #expect(try await console.client.outcome(of: .sample()).rejectionStatus == nil)
        let gone = await console.ask(.put, path, #"{"state": "unregistered", "since": "2026-11-01T00:00:00Z"}"#)
        #expect(gone.status == 200 && gone["since"]?.string == "2026-11-01T00:00:00.000Z")
        #expect(try await console.client.outcome(of: .sample()).rejectionStatus == 410)
        #expect(await console.ask(.get, "/v1/devices")["items"]?.array?.count == 1)
        #expect(await console.ask(.delete, path).status == 204)
        #expect(await console.ask(.get, path).status == 404)
        await console.end()
    }

    @Test(arguments: [
        ("/v1/devices/xyz", "{}", "token"), ("/v1/devices/0f0f", #"{"state": "lost"}"#, "/state"),
        ("/v1/devices/0f0f", #"{"since": "2026-11-01T00:00:00Z"}"#, "/since"),
        ("/v1/devices/0f0f", #"{"topics": "a"}"#, "/topics"),
        ("/v1/devices/0f0f", #"{"topics": ["\#(String(repeating: "a", count: 256))"]}"#, "/topics"),
        ("/v1/devices/0f0f", #"{"topics": ["a"\#(String(repeating: #", "a""#, count: 20))]}"#, "/topics"),
    ])
    func `a wrong device is refused with its field`(path: String, body: String, field: String) async throws {
        let console = try await Console()
        let answer = await console.ask(.put, path, body)
        #expect(answer.status == 400 && answer["field"]?.string == field)
        await console.end()
    }

    @Test func `a key that is revoked is no longer accepted`() async throws {
        let console = try await Console()
        #expect(try await console.client.outcome(of: .sample()).rejectionStatus == nil)
        #expect(await console.ask(.get, "/v1/keys")["items", "0", "key_id"]?.string == MockCredentials.keyID)
        #expect(await console.ask(.delete, "/v1/keys/\(MockCredentials.keyID)").status == 204)
        #expect(try await console.client.outcome(of: .sample()).rejectionStatus == 403)
        let again = await console.ask(
            .post, "/v1/keys",
            """
            {"key_id": "\(MockCredentials.keyID)", "team_id": "\(MockCredentials.teamID)", \
            "pem": "\(console.mock.credentials.p8.replacing("\n", with: "\\n"))"}
            """)
        #expect(again.status == 201, "\(again.text)")
        #expect(!again.text.contains("PRIVATE"))
        let pem = console.mock.credentials.p8.replacing("\n", with: "\\n")
        let related = await console.ask(
            .post, "/v1/keys",
            #"{"key_id":"KEY0000001","team_id":"TEAM000001","topics":["a.b"],"related_key_id":"KEY0000002","pem":"\#(pem)"}"#
        )
        #expect(related["related_key_id"]?.string == "KEY0000002", "\(related.text)")
        #expect(console.mock.trustedKeys.contains { $0.relatedKeyID == "KEY0000002" })
        let ofTeam = await console.ask(
            .post, "/v1/keys",
            #"{"key_id":"KEY0000003","team_id":"TEAM000001","related_key_id":"KEY0000002","pem":"\#(pem)"}"#)
        #expect(ofTeam.status != 201, "\(ofTeam.text)")
        let long = String(repeating: "a", count: 256)
        let tooLong = await console.ask(
            .post, "/v1/keys", #"{"key_id":"KEY0000003","team_id":"TEAM000001","topics":["\#(long)"],"pem":"\#(pem)"}"#)
        #expect(tooLong["field"]?.string == "/topics", "\(tooLong.text)")
        await console.end()
    }

    // MARK: Clock

    @Test func `the clock moves what is judged`() async throws {
        let console = try await Console()
        #expect(try await console.client.outcome(of: .sample()).rejectionStatus == nil)
        let moved = await console.ask(.post, "/v1/clock/advance", #"{"by": "3h"}"#)
        #expect(moved["is_moved"]?.bool == true)
        #expect(try await console.client.outcome(of: .sample()).rejectionReason == .expiredProviderToken)
        #expect(await console.ask(.put, "/v1/clock", #"{"now": "system"}"#)["is_moved"]?.bool == false)
        let stopped = await console.ask(.put, "/v1/clock", #"{"now": "2030-01-01T00:00:00Z", "stopped": true}"#)
        #expect(stopped["now"]?.string == "2030-01-01T00:00:00.000Z")
        #expect(await console.ask(.get, "/v1/clock")["now"]?.string == "2030-01-01T00:00:00.000Z")
        await console.end()
    }

    // MARK: Violations

    @Test func `broken rules are listed with their ids`() async throws {
        let console = try await Console()
        _ = await console.client.outcome(
            of: PushNotification(
                to: try DeviceToken(DeviceToken.sampleHex), topic: "com.example.app", payload: .alert(body: "x"),
                id: UUID()))
        #expect(await console.ask(.get, "/v1/violations")["items"]?.array?.isEmpty == true)
        console.mock.unregister(try DeviceToken(DeviceToken.sampleHex))
        for _ in 0..<2 { _ = try await console.client.outcome(of: .sample()) }
        let answer = await console.ask(.get, "/v1/violations")
        #expect(answer["items", "0", "id"]?.string == "push-after-rejected-token")
        #expect(answer["items", "0", "push"]?.integer == 3)
        #expect(answer["items", "0", "rejected"]?.bool == false)
        #expect(answer["counts", "push-after-rejected-token"]?.integer == 1)
        #expect(await console.ask(.get, "/v1/pushes/count?q=violation:any")["count"]?.integer == 1)
        await console.end()
    }

    @Test func `a device token may be used again when its device has registered it again`() async throws {
        let console = try await Console()
        for state in ["unregistered", "active", "unregistered"] {
            await console.ask(.put, "/v1/devices/\(DeviceToken.sampleHex)", #"{"state": "\#(state)"}"#)
            try await console.push()
        }
        #expect(console.mock.arrivals.map(\.verdict.status) == [410, 200, 410])
        #expect(await console.ask(.get, "/v1/violations")["items"]?.array?.isEmpty == true)
        await console.end()
    }

    @Test func `a rule that the mock enforces is told apart from one that it accepts`() async throws {
        let console = try await Console()
        _ = await console.ask(.post, "/v1/clock/advance", #"{"by": "3h"}"#)
        #expect(try await console.client.outcome(of: .sample()).rejectionReason == .expiredProviderToken)
        let answer = await console.ask(.get, "/v1/violations")
        #expect(answer["items", "0", "rejected"]?.bool == true, "\(answer.text)")
        await console.end()
    }

    // MARK: Settings

    @Test func `settings are changed one by one`() async throws {
        let console = try await Console()
        let before = await console.ask(.get, "/v1/settings")
        #expect(before["unknown_tokens"]?.string == "accept")
        let after = await console.ask(
            .patch, "/v1/settings", #"{"unknown_tokens": "reject", "not_json_reason": "PayloadEmpty"}"#)
        #expect(after["unknown_tokens"]?.string == "reject")
        #expect(try await console.client.outcome(of: .sample()).rejectionReason == .badDeviceToken)
        // The whole document can be written back.
        #expect(await console.ask(.patch, "/v1/settings", after.text).text == after.text)
        #expect(
            await console.ask(.patch, "/v1/settings", #"{"unknown_tokens": "maybe"}"#)["field"]?.string
                == "/unknown_tokens")
        await console.end()
    }

    // MARK: Reset

    @Test func `a reset brings back the start`() async throws {
        let console = try await Console()
        console.mock.register(MockDevice(token: try DeviceToken(DeviceToken.sampleHex)))
        console.mock.rememberStart()
        console.mock.answerNext(status: 500)
        await console.ask(.post, "/v1/clock/advance", #"{"by": "3h"}"#)
        await console.ask(.delete, "/v1/devices")
        try await console.push()
        #expect(await console.ask(.post, "/v1/reset", "{}").status == 204)
        #expect(await console.ask(.get, "/v1/pushes/count")["count"]?.integer == 0)
        #expect(await console.ask(.get, "/v1/devices")["items"]?.array?.count == 1)
        #expect(await console.ask(.get, "/v1/clock")["is_moved"]?.bool == false)
        #expect(try await console.client.outcome(of: .sample()).rejectionStatus == nil)
        await console.end()
    }

    @Test func `a reset brings back settings and keys`() async throws {
        let console = try await Console()
        let settings = await console.ask(.get, "/v1/settings").text
        await console.ask(.patch, "/v1/settings", #"{"unknown_tokens": "reject"}"#)
        #expect(await console.ask(.delete, "/v1/keys/\(MockCredentials.keyID)").status == 204)
        #expect(try await console.client.outcome(of: .sample()).rejectionStatus == 403)
        #expect(await console.ask(.post, "/v1/reset", "{}").status == 204)
        #expect(await console.ask(.get, "/v1/settings").text == settings)
        #expect(await console.ask(.get, "/v1/keys")["items", "0", "key_id"]?.string == MockCredentials.keyID)
        #expect(try await console.client.outcome(of: .sample()).rejectionStatus == nil)
        await console.end()
    }

    @Test func `a key that is known already is refused`() async throws {
        let console = try await Console()
        let pem = console.mock.credentials.p8.replacing("\n", with: "\\n")
        let key = "{\"key_id\": \"AAAAAAAAAA\", \"team_id\": \"BBBBBBBBBB\", \"pem\": \"\(pem)\"}"
        #expect(await console.ask(.post, "/v1/keys", key).status == 201)
        let again = await console.ask(.post, "/v1/keys", key)
        #expect(again.status == 409 && again["code"]?.string == "key_exists")
        await console.end()
    }

    @Test func `there are no more faults than the mock can hold`() async throws {
        let console = try await Console()
        let list = "[\(Array(repeating: "{\"steps\":[\"judge\"]}", count: 5001).joined(separator: ","))]"
        #expect(await console.ask(.post, "/v1/faults", list).status == 201)
        let answer = await console.ask(.post, "/v1/faults", list)
        #expect(answer.status == 429 && answer["code"]?.string == "too_many_faults")
        #expect(console.mock.activeFaults.count == 5001)
        await console.end()
    }

    @Test func `faults can be written in YAML`() async throws {
        let console = try await Console()
        let yaml = "- name: slow\n  steps:\n    - wait_ms: 1\n    - judge\n"
        #expect(await console.ask(.post, "/v1/faults", yaml, type: "application/yaml").status == 201)
        #expect(await console.ask(.get, "/v1/faults")["items", "0", "name"]?.string == "slow")
        let wrong = await console.ask(.post, "/v1/faults", "- a: [", type: "application/yaml")
        #expect(wrong.status == 400 && wrong["code"]?.string == "invalid_yaml")
        #expect(await console.ask(.post, "/v1/reset", "{}", type: "application/yaml").status == 415)
        await console.end()
    }

    @Test func `a duration is shown as it was written`() async throws {
        let console = try await Console()
        for text in ["500ms", "1500ms", "0s", "90s"] {
            let answer = await console.ask(.patch, "/v1/settings", "{\"future_tolerance\": \"\(text)\"}")
            #expect(answer["future_tolerance"]?.string == text)
        }
        await console.end()
    }

    // MARK: Huge numbers

    @Test(arguments: ["10000-01-01T00:00:00Z", "1e300", "253402300800", "-1e300", "nan", "inf"])
    func `a time beyond the year 9999 is refused`(time: String) async throws {
        let console = try await Console()
        #expect(await console.ask(.put, "/v1/clock", "{\"now\": \"\(time)\"}").status == 400)
        let device = "{\"state\": \"expired\", \"since\": \"\(time)\"}"
        #expect(await console.ask(.put, "/v1/devices/0f0f", device).status == 400)
        await console.end()
    }

    @Test func `the clock does not leave the years that can be written`() async throws {
        let console = try await Console()
        #expect(await console.ask(.put, "/v1/clock", #"{"now": "9999-12-31T00:00:00Z"}"#).status == 200)
        #expect(await console.ask(.post, "/v1/clock/advance", #"{"by": "999999999d"}"#).status == 409)
        #expect(await console.ask(.post, "/v1/clock/advance", #"{"by": "-999999999d"}"#).status == 409)
        console.mock.advanceClock(by: .seconds(Int64.max))
        #expect(await console.ask(.get, "/v1/clock")["now"]?.string?.hasPrefix("9999-12-31T23:59:59") == true)
        console.mock.advanceClock(by: .seconds(Int64.min))
        #expect(await console.ask(.get, "/v1/clock")["now"]?.string?.hasPrefix("0001-01-01T00:00:0") == true)
        await console.end()
    }

    // MARK: Namespaces

    @Test func `a namespace has its own port, log, devices and clock`() async throws {
        let console = try await Console()
        let created = await console.ask(
            .post, "/v1/namespaces", #"{"name": "team-a", "settings": {"unknown_tokens": "reject"}}"#)
        #expect(created.status == 201, "\(created.text)")
        let port = try #require(created["port"]?.integer)
        #expect(port != console.mock.port)
        let other = try PushClient.sample(.local(port: port))
        #expect(try await other.outcome(of: .sample()).rejectionReason == .badDeviceToken)
        #expect(await console.ask(.get, "/v1/pushes/count")["count"]?.integer == 0)
        #expect(await console.ask(.get, "/v1/namespaces/team-a/pushes/count")["count"]?.integer == 1)
        await console.ask(.post, "/v1/namespaces/team-a/clock/advance", #"{"by": "1d"}"#)
        #expect(await console.ask(.get, "/v1/clock")["is_moved"]?.bool == false)
        #expect(await console.ask(.post, "/v1/namespaces", #"{"name": "team-a"}"#).status == 409)
        #expect(await console.ask(.post, "/v1/namespaces", #"{"name": "team a"}"#).status == 400)
        #expect(await console.ask(.get, "/v1/namespaces")["items"]?.array?.count == 2)
        #expect(await console.ask(.delete, "/v1/namespaces/team-a").status == 204)
        #expect(await console.ask(.get, "/v1/namespaces/team-a/pushes").status == 404)
        #expect(await console.ask(.delete, "/v1/namespaces/default").status == 409)
        await other.shutdown()
        await console.end()
    }

    // MARK: Setup and health

    @Test func `a client finds everything that it needs`() async throws {
        let console = try await Console()
        let setup = await console.ask(.get, "/v1/setup", host: "mock.localhost:2198")
        #expect(setup["url"]?.string == "https://mock.localhost:\(console.mock.port)")
        #expect(setup["key_id"]?.string == MockCredentials.keyID)
        #expect(setup["clients", "curl"]?.string?.contains("authorization: bearer $(pushsend jwt ") == true)
        #expect(setup["magic_tokens"]?.array?.count == MockMagicToken.allCases.count)
        #expect(await console.ask(.get, "/v1/ca.pem").text == console.mock.credentials.authority)
        #expect(await console.ask(.get, "/v1/key.p8").text == console.mock.credentials.p8)
        let identity = try PushIdentity(
            p12: await console.ask(.get, "/v1/client.p12?topic=com.example.app&password=a").body, passphrase: "a")
        #expect(identity.certificate.topics.contains("com.example.app"))
        let old = await console.ask(.get, "/v1/client.p12?password=a&legacy=true").body
        #expect(try PushIdentity(p12: old, passphrase: "a").certificate.topics.contains("com.example.app"))
        // pbeWithSHAAnd3-KeyTripleDES-CBC (1.2.840.113549.1.12.1.3) and SHA-1 (1.3.14.3.2.26), and nothing newer: no PBES2.
        func contains(_ bytes: [UInt8]) -> Bool { old.indices.contains { old[$0...].starts(with: bytes) } }
        #expect(contains([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x01, 0x03]))
        #expect(contains([0x2B, 0x0E, 0x03, 0x02, 0x1A]))
        #expect(!contains([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0D]))
        #expect(await console.ask(.get, "/v1/client.p12?legacy=yes").status == 400)
        #expect(await console.ask(.get, "/v1/truststore.p12").body.count > 500)
        await console.end()
    }

    @Test func `figures for Prometheus`() async throws {
        let console = try await Console()
        try await console.push()
        let text = await console.ask(.get, "/metrics").text
        #expect(text.contains("mock_requests_total{namespace=\"default\"} 1\n"))
        await console.end()
    }

    @Test func `a body beyond the limit is refused`() async throws {
        var configuration = ConsoleConfiguration()
        configuration.bodyBytes = 100
        let console = try await Console(configuration)
        let answer = await console.ask(.post, "/v1/faults", String(repeating: " ", count: 200))
        #expect(answer.status == 413)
        await console.end()
    }
}

extension PushOutcome {
    fileprivate var rejectionStatus: Int? { if case .rejected(let rejection) = self { rejection.status } else { nil } }
    fileprivate var rejectionReason: RejectionReason? {
        if case .rejected(let rejection) = self { rejection.reason } else { nil }
    }
}
