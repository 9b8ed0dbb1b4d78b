import HTTPTypes
import MockAPNs
import PushJSON
import PushProvider
import TestSupport
import Testing

@testable import MockConsole

/// Settings with their facts, the seed of faults, and devices that are offline or silent.
@Suite(.timeLimit(.minutes(10))) struct SettingRouteTests {
    @Test(arguments: SettingsForm.names)
    func `each setting has a fact, and its name is in the documentation`(name: String) throws {
        let fact = try #require(SettingFacts.all[name])
        #expect(!fact.statement.isEmpty)
        #expect(Repository.text("docs/mock-fidelity.md").contains("`\(name)`"))
    }

    @Test func `every fact belongs to a setting`() {
        #expect(Set(SettingFacts.all.keys) == Set(SettingsForm.names))
    }

    @Test func `a changed setting is reported with its default and its fact`() async throws {
        let console = try await Console()
        let changed = await console.ask(
            .patch, "/v1/settings", #"{"idle_time": "30s", "errors_before_goaway": 5, "announced_window": 70000}"#)
        #expect(changed.status == 200, "\(changed.text)")
        let facts = await console.ask(.get, "/v1/settings/facts")["items"]?.array ?? []
        let idle = try #require(facts.first { $0["name"]?.string == "idle_time" })
        #expect(idle["value"]?.string == "30s" && idle["default"]?.kind == .null)
        #expect(idle["confidence"]?.string == "?")
        #expect(facts.first { $0["name"]?.string == "announced_window" }?["value"]?.integer == 70_000)
        let zero = await console.ask(.patch, "/v1/settings", #"{"idle_time": "0s"}"#)
        #expect(zero.status == 400 && zero["field"]?.string == "/idle_time", "\(zero.text)")
        let reset = await console.ask(.patch, "/v1/settings", #"{"idle_time": null}"#)
        #expect(reset["idle_time"]?.kind == .null)
        await console.end()
    }

    /// By REST, by a scenario, and by the text of the command line. The end of the scenario takes it back.
    @Test func `a push type that Apple adds tomorrow is accepted by a mock that was told`() async throws {
        let console = try await Console()
        func outcome() async throws -> String {
            let outcome = try await console.client.outcome(of: .sample { $0.pushType = "hologram" })
            guard case .rejected(let rejection) = outcome else { return "accepted" }
            return rejection.reason?.rawValue ?? ""
        }
        #expect(try await outcome() == "InvalidPushType")
        let told = await console.ask(.patch, "/v1/settings", #"{"push_types": ["scent", "hologram"]}"#)
        #expect(told["push_types"]?.array?.compactMap(\.string) == ["hologram", "scent"], "\(told.text)")
        #expect(try await outcome() == "accepted")
        #expect(await console.ask(.patch, "/v1/settings", #"{"push_types": null}"#).status == 200)
        #expect(try await outcome() == "InvalidPushType")
        await console.ask(.put, "/v1/scenario", #"{"settings": {"push_types": ["hologram"]}}"#)
        #expect(try await outcome() == "accepted")
        await console.ask(.delete, "/v1/scenario")
        #expect(try await outcome() == "InvalidPushType")
        await console.end()
    }

    @Test(arguments: [
        ("hologram", ["hologram"]), ("hologram,scent", ["hologram", "scent"]), (#"["a","b"]"#, ["a", "b"]),
        ("1", ["1"]), (" hologram, scent,\t", ["hologram", "scent"]), ("null", []), ("", []),
    ])
    func `a list on the command line has commas`(value: String, types: [String]) throws {
        let types = Set(types)
        var settings = MockSettings()
        try SettingText.apply("push_types", "before", to: &settings)
        try SettingText.apply("push_types", value, to: &settings)
        #expect(settings.variants.pushTypes == types)
        try SettingText.apply("apps_without_broadcast", value, to: &settings)
        #expect(settings.variants.appsWithoutBroadcast == types)
    }

    @Test(arguments: ["two words", "a\nb", "é", String(repeating: "x", count: 65)])
    func `what cannot be a push type is refused`(type: String) {
        var settings = MockSettings()
        #expect(throws: SettingText.Mistake.self) { try SettingText.apply("push_types", type, to: &settings) }
    }

    @Test func `what cannot be a reason is refused, and null is none`() throws {
        var settings = MockSettings()
        for name in ["environment_reason", "urgent_background_reason"] {
            #expect(throws: SettingText.Mistake.self) { try SettingText.apply(name, "nil", to: &settings) }
        }
        try SettingText.apply("urgent_background_reason", "null", to: &settings)
        #expect(settings.variants.urgentBackgroundReason == nil)
        try SettingText.apply("environment_reason", "OfTomorrow", to: &settings)
        #expect(settings.variants.environmentReason.rawValue == "OfTomorrow")
    }

    /// The answers to twenty pushes with a fault that acts on half of them.
    private static func statuses(seed: Int) async throws -> [Int] {
        let console = try await Console()
        await console.ask(.patch, "/v1/settings", #"{"seed": \#(seed)}"#)
        await console.ask(
            .post, "/v1/faults",
            #"{"when": {"probability": 0.5}, "steps": [{"answer": {"status": 503, "reason": "ServiceUnavailable"}}]}"#)
        for _ in 0..<20 { try await console.push() }
        let pushes = await console.ask(.get, "/v1/pushes")["items"]?.array ?? []
        await console.end()
        return pushes.compactMap { $0["status"]?.integer }
    }

    @Test func `the same seed gives the same choices`() async throws {
        let once = try await Self.statuses(seed: 7)
        #expect(Set(once) == [200, 503])
        #expect(try await Self.statuses(seed: 7) == once)
        #expect(try await Self.statuses(seed: 8) != once)
    }

    @Test func `a reset brings back the seed`() async throws {
        let console = try await Console()
        await console.ask(.patch, "/v1/settings", #"{"seed": 7}"#)
        #expect(await console.ask(.get, "/v1/settings")["seed"]?.integer == 7)
        #expect(await console.ask(.post, "/v1/reset", "{}").status == 204)
        #expect(await console.ask(.get, "/v1/settings")["seed"]?.integer == 1)
        await console.end()
    }

    @Test func `a push to a device that is offline is stored, and one to an app without notifications is discarded`()
        async throws
    {
        let console = try await Console()
        let path = "/v1/devices/\(DeviceToken.sampleHex)"
        try await console.push()
        #expect(await console.ask(.put, path, #"{"online": false}"#)["online"]?.bool == false)
        try await console.push()
        #expect(await console.ask(.get, "/v1/pushes/latest")["outcome", "kind"]?.string == "stored")
        #expect(await console.ask(.put, path, #"{"notifications": false}"#)["notifications"]?.bool == false)
        try await console.push()
        let deliveries = await console.ask(.get, "/v1/pushes")["items"]?.array?.compactMap { $0["delivery"]?.string }
        #expect(deliveries == ["delivered", "stored", "discarded"])
        #expect(await console.ask(.get, "/v1/pushes/count?q=delivery:stored")["count"]?.integer == 1)
        // The device is online again: the phone shows what was stored, and not what was discarded.
        let outcomes = await console.ask(.get, "/v1/pushes")["items"]?.array?.compactMap {
            $0["outcome"]?["kind"]?.string
        }
        #expect(outcomes == ["shown", "shown", "hidden"])
        #expect(await console.ask(.get, "/v1/pushes/count?q=delivery:lost").status == 400)
        await console.end()
    }

    @Test func `what is stored for a device is shown when it is online again, by any route`() async throws {
        let console = try await Console()
        let token = try DeviceToken(DeviceToken.sampleHex)
        let doors: [() async -> Void] = [
            { await console.ask(.delete, "/v1/devices") },
            { await console.ask(.put, "/v1/scenario", #"{"devices": [{"token": "\#(token.hex)"}]}"#) },
            { console.mock.register(MockDevice(token: token)) },
            { console.mock.forget(token) },
        ]
        for (number, door) in doors.enumerated() {
            await console.ask(.put, "/v1/devices/\(token.hex)", #"{"online": false}"#)
            let push = try await console.push()
            #expect(await console.push(push)["outcome", "kind"]?.string == "stored")
            await door()
            #expect(await console.push(push)["outcome", "kind"]?.string == "shown", "\(number)")
        }
        await console.end()
    }

    @Test func `fields are added to the answer of the checks`() async throws {
        let console = try await Console()
        await console.ask(
            .post, "/v1/faults", #"{"steps": [{"add_fields": {"retry-after": "900", "x-test": "yes"}}], "times": 1}"#)
        try await console.push()
        let push = await console.ask(.get, "/v1/pushes/latest")
        #expect(push["status"]?.integer == 200 && push["fault"]?.integer == 1, "\(push.text)")
        let bad = await console.ask(.post, "/v1/faults", #"{"steps": [{"add_fields": {"Retry After": "900"}}]}"#)
        #expect(bad.status == 400 && bad["field"]?.string == "/steps/0/add_fields/Retry After", "\(bad.text)")
        await console.end()
    }
}
