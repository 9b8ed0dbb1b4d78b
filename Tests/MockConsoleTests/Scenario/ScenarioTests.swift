import HTTPTypes
import MockAPNs
import PushHTTP
import PushJSON
import PushProvider
import TestSupport
import Testing

@testable import MockConsole

@Suite struct ScenarioTests {
    private func outcome(_ console: Console) async throws -> PushOutcome {
        try await console.client.outcome(of: .sample())
    }

    @Test func `every ready scenario can be played and ended`() async throws {
        let console = try await Console()
        let names = await console.ask(.get, "/v1/scenarios")["items"]?.array?.compactMap { $0["name"]?.string }
        #expect(
            names == [
                "apns-outage", "throttled", "token-expired", "key-revoked", "rolling-goaway", "half-open",
                "slow-network",
                "uninstalled-devices", "wrong-environment",
            ])
        let settings = console.mock.settings
        for name in names ?? [] {
            let answer = await console.ask(.put, "/v1/scenario", "{\"name\": \"\(name)\"}")
            #expect(answer.status == 200, "\(answer.text)")
            #expect(await console.ask(.get, "/v1/scenario")["name"]?.string == name)
        }
        #expect(await console.ask(.delete, "/v1/scenario").status == 204)
        #expect(await console.ask(.get, "/v1/scenario").status == 404)
        #expect(console.mock.settings == settings)
        #expect(console.mock.activeFaults.isEmpty)
        #expect(!console.mock.clockIsMoved)
        #expect(try await outcome(console).isAccepted)
        await console.end()
    }

    @Test func `the scenarios do what they say`() async throws {
        let console = try await Console()
        for (name, status) in [
            ("apns-outage", 503), ("token-expired", 403), ("key-revoked", 403), ("wrong-environment", 400),
        ] {
            await console.ask(.put, "/v1/scenario", "{\"name\": \"\(name)\"}")
            guard case .rejected(let rejection) = try await outcome(console) else {
                Issue.record("\(name): not rejected")
                continue
            }
            #expect(rejection.status == status, "\(name)")
        }
        await console.end()
    }

    @Test func `servers that restart answer each push`() async throws {
        let console = try await Console()
        await console.ask(.put, "/v1/scenario", #"{"name": "rolling-goaway"}"#)
        for _ in 1...20 { #expect(try await outcome(console).isAccepted) }
        #expect(console.mock.arrivals.map(\.wasAnswered) == Array(repeating: true, count: 20))
        await console.end()
    }

    @Test func `a revoked key is any that the mock trusts, and one that it does not trust is a mistake`() async throws {
        let console = try await Console()
        let (id, made) = (PushProviderKey.sampleKeyID, console.mock.credentials)
        try console.mock.trust(pem: Array(made.p8.utf8), as: MockTrustedKey(keyID: id, teamID: made.teamID))
        let client = try PushClient.sample(
            .local(port: console.mock.port),
            key: PushProviderKey(p8: made.p8.utf8, keyID: id, teamID: made.teamID))
        await console.ask(.put, "/v1/scenario", #"{"name": "key-revoked"}"#)
        #expect("\(try await client.outcome(of: .sample()))".contains("InvalidProviderToken"))
        #expect("\(try await outcome(console))".contains("InvalidProviderToken"))
        await console.ask(.put, "/v1/scenario", #"{"revoked_keys": ["\#(id)"]}"#)
        #expect("\(try await client.outcome(of: .sample()))".contains("InvalidProviderToken"))
        #expect(try await outcome(console).isAccepted)
        // A revoked key comes back with the end of the scenario, so it still counts.
        #expect(console.mock.keyCount == console.mock.trustedKeys.count + 1)
        let unknown = await console.ask(.put, "/v1/scenario", #"{"revoked_keys": ["NOSUCHKEY1"]}"#)
        #expect(unknown.status == 400 && unknown["remedy"]?.string?.contains(id) == true, "\(unknown.text)")
        await client.shutdown()
        await console.end()
    }

    @Test func `no key can be revoked while every provider token is accepted`() async throws {
        let console = try await Console { $0.acceptsAnyKey = true }
        #expect(await console.ask(.put, "/v1/scenario", #"{"name": "key-revoked"}"#).status == 400)
        await console.end()
    }

    @Test func `a device without a time is gone since the start of the scenario, by the mock's clock`() async throws {
        let console = try await Console()
        await console.ask(.put, "/v1/clock", #"{"now": "2020-01-01T00:00:00Z", "stopped": true}"#)
        await console.ask(.put, "/v1/scenario", #"{"devices": [{"token": "0f0f", "state": "unregistered"}]}"#)
        let since = await console.ask(.get, "/v1/devices/0f0f")["since"]?.string
        #expect(since?.hasPrefix("2020-01-01T00:00:00") == true, "\(since ?? "")")
        await console.end()
    }

    @Test func `a scenario has devices, settings, a clock and faults`() async throws {
        let console = try await Console()
        let text = """
            name: mine
            settings:
              not_json_reason: PayloadEmpty
            clock: 30d
            devices:
              - {token: 0f0f, state: unregistered, since: 2026-01-01T00:00:00Z}
            faults:
              - steps: [{answer: {status: 500}}]
                times: 1
            """
        let scenario = try Scenario(try YAMLReader.read(Array(text.utf8)), name: "x")
        #expect(scenario.name == "mine" && scenario.faults.count == 1 && scenario.devices.count == 1)
        try console.api.namespaces.main.stage.play(scenario)
        #expect(console.mock.devices.count == 1)
        #expect(console.mock.clockIsMoved)
        #expect(console.mock.settings.variants.notJSONReason == "PayloadEmpty")
        console.api.namespaces.main.stage.end()
        #expect(console.mock.devices.isEmpty)
        #expect(!console.mock.clockIsMoved)
        await console.end()
    }

    @Test func `what was changed while a scenario acted stays after it`() async throws {
        let console = try await Console()
        let device = try DeviceToken("0f0f")
        let scenario = """
            {"settings": {"unknown_tokens": "reject", "not_json_reason": "PayloadEmpty"},
             "devices": [{"token": "0f0f"}, {"token": "1f1f"}]}
            """
        #expect(await console.ask(.put, "/v1/scenario", scenario).status == 200)
        await console.ask(.patch, "/v1/settings", #"{"not_json_reason": "BadMessageId", "magic_tokens": false}"#)
        await console.ask(.put, "/v1/devices/0f0f", #"{"topics": ["com.example.app"]}"#)
        #expect(await console.ask(.delete, "/v1/scenario").status == 204)
        #expect(console.mock.settings.unknownTokens == .accept)
        #expect(console.mock.settings.variants.notJSONReason == "BadMessageId")
        #expect(!console.mock.settings.acceptsMagicTokens)
        #expect(console.mock.device(device)?.topics == ["com.example.app"])
        #expect(console.mock.devices.count == 1)
        await console.end()
    }

    @Test func `a scenario brings back the devices before it, and has no more than the mock holds`() async throws {
        let console = try await Console()
        let mock = console.mock
        for number in 0..<MockServer.maximumDevices {
            mock.register(MockDevice(token: try DeviceToken(String(100_000 + number)), topics: ["a"]))
        }
        let more = await console.ask(.put, "/v1/scenario", #"{"devices": [{"token": "100000"}, {"token": "0f0f"}]}"#)
        #expect(more.status == 422 && more["code"]?.string == "too_many_devices", "\(more.text)")
        #expect(await console.ask(.put, "/v1/devices/0f0f", "{}")["code"]?.string == "too_many_devices")
        #expect(await console.ask(.put, "/v1/scenario", #"{"devices": [{"token": "100000"}]}"#).status == 200)
        let device = try DeviceToken("100000")
        #expect(mock.device(device)?.topics == [])
        #expect(await console.ask(.delete, "/v1/scenario").status == 204)
        #expect(mock.device(device)?.topics == ["a"] && mock.devices.count == MockServer.maximumDevices)
        await console.end()
    }

    @Test func `a clock that was set while a scenario acted stays after it`() async throws {
        let console = try await Console()
        await console.ask(.put, "/v1/scenario", #"{"name": "token-expired"}"#)
        #expect(await console.ask(.get, "/v1/clock")["is_moved"]?.bool == true)
        await console.ask(.put, "/v1/clock", #"{"now": "system"}"#)
        await console.ask(.delete, "/v1/scenario")
        #expect(await console.ask(.get, "/v1/clock")["is_moved"]?.bool == false)
        await console.end()
    }

    @Test func `a clock that a scenario moves to the end of its years comes back`() async throws {
        let console = try await Console()
        await console.ask(.put, "/v1/scenario", #"{"clock": "99999999h"}"#)
        #expect(await console.ask(.get, "/v1/clock")["now"]?.string?.hasPrefix("9999-12-31") == true)
        await console.ask(.delete, "/v1/scenario")
        #expect(!console.mock.clockIsMoved)
        await console.end()
    }

    @Test func `a reset returns to the scenario of the start`() async throws {
        let console = try await Console()
        let stage = console.api.namespaces.main.stage
        try stage.play(try ReadyScenarios.named("apns-outage"), isOfTheStart: true)
        await console.ask(.put, "/v1/scenario", #"{"name": "token-expired"}"#)
        await console.ask(.post, "/v1/reset", "{}")
        #expect(stage.active?.name == "apns-outage")
        #expect(console.mock.activeFaults.count == 2)
        #expect(!console.mock.clockIsMoved)
        await console.ask(.delete, "/v1/scenario")
        #expect(console.mock.activeFaults.count == 0)
        await console.end()
    }

    @Test func `a number to the base of 60 ends nothing`() throws {
        let long = String(repeating: "59:", count: 30) + "59"
        #expect(try YAMLReader.read(Array("a: \(long)".utf8))["a"]?.string == long)
    }

    @Test func `a list is a list of faults`() throws {
        let scenario = try Scenario(
            try YAMLReader.read(Array("- steps: [judge]\n- steps: [no_answer]".utf8)), name: "x")
        #expect(scenario.faults.count == 2)
    }

    @Test(arguments: [
        ("faults:\n - name: x\n   stepz: 1", 3, "/faults/0/stepz: Unknown key \"stepz\""),
        ("settings: {strict: true}", 1, "/settings/strict: Unknown key \"strict\""),
        ("devices:\n  - {token: xyz}", 2, "/devices/0/token: "),
        ("clock: soon", 1, "/clock: \"soon\" isn't a duration"),
        ("faults: [", 2, "This isn't valid YAML"),
        ("a: 1\na: 2", 2, "\"a\" occurs twice, also in line 1"),
        ("fault: []", 1, "/fault: Unknown key \"fault\""),
        ("name: [1]", 1, "/name: \"name\" must be a string, not an array"),
    ])
    func `a mistake is named with its line`(text: String, line: Int, message: String) {
        do {
            _ = try Scenario(try YAMLReader.read(Array(text.utf8)), name: "x")
            Issue.record("no error")
        } catch {
            let error = MockScenarioError(error)
            #expect(error.line == line, "\(error)")
            #expect(error.description.contains(message), "\(error)")
        }
    }

    @Test func `a document of aliases is refused and does not take long`() {
        var text = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
        for level in 1..<12 {
            let items = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ",")
            text += "a\(level): &a\(level) [\(items)]\n"
        }
        #expect(throws: JSONTextError.self) { try YAMLReader.read(Array(text.utf8)) }
    }

    @Test(arguments: [
        ("name: 0123", #"Write it in quotation marks: "0123"."#),
        ("clock: 1_000", #"Write it in quotation marks: "1_000"."#),
        ("revoked_keys: [0x1F]", #"Write it in quotation marks: "0x1F"."#),
    ])
    func `advice repeats a number as it is written in YAML`(text: String, remedy: String) throws {
        let tree = try YAMLReader.read(Array(text.utf8))
        let problem = #expect(throws: APIProblem.self) { try Scenario(tree, name: "x") }
        #expect(problem?.remedy == remedy)
    }

    @Test func `a text of a profile is the number as it is written in YAML`() async throws {
        let console = try await Console()
        let put = await console.ask(.put, "/v1/phones/desk", "name: 0123\n", type: "application/yaml")
        #expect((200...201).contains(put.status), "\(put.text)")
        #expect(await console.ask(.get, "/v1/phones/desk")["name"]?.string == "0123")
        await console.end()
    }

    @Test func `a scenario needs a name that is a text, and a byte order mark is skipped`() async throws {
        let console = try await Console()
        let null = await console.ask(.put, "/v1/scenario", #"{"name": null}"#)
        #expect(null.status == 400 && null["detail"]?.string == "\"name\" is missing.", "\(null.text)")
        for (method, path) in [(HTTPRequest.Method.put, "/v1/scenario"), (.post, "/v1/faults")] {
            let empty = await console.ask(method, path, "")
            #expect(empty.status == 400 && empty["code"]?.string == "empty_body", "\(empty.text)")
        }
        let marked = await console.ask(
            .put, "/v1/scenario", "\u{FEFF}name: mine\nfaults: []\n", type: "application/yaml")
        #expect(marked.status == 200, "\(marked.text)")
        let seed = await console.ask(.patch, "/v1/settings", #"{"seed": 2.5}"#)
        #expect(seed["detail"]?.string == "\"seed\" must be a whole number, not 2.5.", "\(seed.text)")
        await console.end()
    }

    @Test func `a scenario with a mistake leaves the one that acts`() async throws {
        let console = try await Console()
        await console.ask(.put, "/v1/scenario", #"{"name": "apns-outage"}"#)
        #expect(await console.ask(.put, "/v1/scenario", #"{"faults": [{}]}"#).status == 400)
        #expect(await console.ask(.put, "/v1/scenario", #"{"name": "no-such"}"#).status == 404)
        #expect(await console.ask(.get, "/v1/scenario")["name"]?.string == "apns-outage")
        await console.end()
    }

    @Test func `a scenario with a key that is unknown does not begin the one that acts anew`() async throws {
        let console = try await Console()
        let once = #"{"steps": [{"answer": {"status": 400, "reason": "BadTopic"}}], "times": 1}"#
        await console.ask(.put, "/v1/scenario", #"{"devices": [{"token": "0f0f"}], "faults": [\#(once)]}"#)
        #expect(try await !outcome(console).isAccepted)
        await console.ask(.put, "/v1/devices/0f0f", #"{"topics": ["com.example.app"]}"#)
        #expect(await console.ask(.put, "/v1/scenario", #"{"revoked_keys": ["NOSUCHKEY1"]}"#).status == 400)
        #expect(try await outcome(console).isAccepted)
        #expect(console.mock.device(try DeviceToken("0f0f"))?.topics == ["com.example.app"])
        // A key that the active one has revoked is known.
        await console.ask(.put, "/v1/scenario", #"{"name": "key-revoked"}"#)
        let id = console.mock.credentials.keyID
        #expect(await console.ask(.put, "/v1/scenario", #"{"revoked_keys": ["\#(id)"]}"#).status == 200)
        await console.end()
    }

    @Test func `steps are executed on an open connection`() async throws {
        let console = try await Console()
        try await console.push()
        let answer = await console.ask(.post, "/v1/connections/1/steps", #"[{"close_connection": "tcp_reset"}]"#)
        #expect(answer.status == 202, "\(answer.text)")
        let record = try await console.mock.connectionRecord(1, within: .seconds(120)) { $0.end != nil }
        #expect(record.end?.side == .fault)
        #expect(await console.ask(.post, "/v1/connections/1/steps", #"["fall_silent"]"#).status == 409)
        #expect(await console.ask(.post, "/v1/connections/1/steps", #"["judge"]"#).status == 400)
        await console.end()
    }
}

extension PushOutcome {
    fileprivate var isAccepted: Bool { if case .accepted = self { true } else { false } }
}
