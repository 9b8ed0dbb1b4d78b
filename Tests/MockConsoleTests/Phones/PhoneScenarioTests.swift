import Foundation
import HTTPTypes
import MockAPNs
import PushJSON
import PushProvider
import TestSupport
import Testing
import VirtualPhones

@testable import MockConsole

/// What a developer asks of a push, through the API: scenarios 2 to 11.
@Suite(.timeLimit(.minutes(10))) struct PhoneScenarioTests {
    /// A console whose phone has the app of Examples/phones/one-app.yaml.
    private static func console(_ yaml: String? = nil) async throws -> Console {
        let console = try await Console()
        let folder = Repository.url("Examples/phones").path
        try console.api.load(yaml ?? Repository.text("Examples/phones/one-app.yaml"), folder: folder)
        return console
    }

    // MARK: 2

    @Test func `a rich push is shown with its attachment and its buttons`() async throws {
        let console = try await Self.console()
        let push = try await console.send(example: "rich")
        let answer = await console.push(push)
        #expect(answer["outcome", "kind"]?.string == "shown")
        #expect(answer["phone"]?.string == "desk")
        #expect(answer["card", "attachment", "name"]?.string == "pier.png")
        #expect(answer["card", "attachment", "type"]?.string == "image/png")
        #expect(
            answer["card", "actions"]?.array?.compactMap { $0["id"]?.string } == ["REPLY", "SAVE", "LIKE", "BLOCK"])
        let ran = answer["timeline"]?.array?.first { $0["stage"]?.string == "ran" }
        #expect(ran?["meter"]?.array?.compactMap(\.number) == [1.61, 30])
        let file = await console.ask(.get, "/v1/phones/desk/attachments/\(push)")
        #expect(file.status == 200)
        #expect(file.headers[.contentType] == "image/png")
        #expect(file.body.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        await console.end()
    }

    @Test func `an extension that reads another key is reported`() async throws {
        let console = try await Self.console()
        await console.putPhone(
            """
            apps:
              - topic: com.example.chat
                service_extension: {attaches: {key: attachment, files: {"https://example.com/photos/4711.jpg": pier.png}}}
            """)
        let push = try await console.send(example: "rich", topic: "com.example.chat")
        #expect(await console.push(push)["outcome", "text"]?.string == "Shown, no attachment")
        #expect(
            await console.push(push)["outcome", "why"]?.string
                == "The extension reads “attachment”, but the payload has “attachment-url”")
        await console.end()
    }

    @Test func `an extension that takes too long leaves the original`() async throws {
        let console = try await Self.console(
            """
            id: desk
            apps:
              - topic: com.example.app
                service_extension: {takes: 45s, rewrites: {key: reminder-uuid, entries: {}}}
            """)
        let push = await console.push(try await console.send(example: "candid"))
        #expect(push["card", "body"]?.string == "A reminder is due.")
        #expect(push["outcome", "text"]?.string == "Shown, original")
        #expect(push["timeline"]?.array?.last?["after_ms"]?.integer == 30_000)
        await console.end()
    }

    // MARK: 3

    @Test func `a candid push becomes rich on the device`() async throws {
        let console = try await Self.console()
        let push = await console.push(try await console.send(example: "candid"))
        #expect(push["card", "title"]?.string == "Water the basil")
        #expect(push["card", "actions", "0", "id"]?.string == "DONE")
        #expect(push["outcome", "text"]?.string == "Shown, rewritten")
        #expect(push["payload"]?.string?.contains("basil") == false)
        await console.end()
    }

    @Test func `a sealed push is opened on the device with the key that was handed in`() async throws {
        let key = try PushPayload.SealingKey(id: "test", bytes: Array(repeating: 7, count: 32))
        var configuration = ConsoleConfiguration()
        configuration.envelopeOpener = .init { envelope, _ in
            do {
                let opened = try PushPayload(["sealed": .string(envelope)]).opened(with: key)
                return .success(opened.bytes)
            } catch {
                return .failure(.init("\(error)"))
            }
        }
        let console = try await Console(configuration)
        let folder = try TemporaryFolder()
        try folder.write("x", to: "test.txt")
        try console.api.load(
            "{id: desk, apps: [{topic: com.example.app, service_extension: {opens: {key_file: test.txt}}}]}",
            folder: folder.url.path())
        let sealed = try PushPayload.alert(title: "Ada", body: "At nine").sealed(with: key)
        let push = await console.push(try await console.send(String(decoding: sealed.bytes, as: UTF8.self)))
        #expect(push["card", "title"]?.string == "Ada")
        #expect(push["card", "rewritten"]?.bool == true)
        #expect(push["payload"]?.string?.contains("Ada") == false)
        await console.end()
    }

    // MARK: 4

    @Test func `a custom interface shows its keys, and like becomes unlike`() async throws {
        let console = try await Self.console()
        let push = try await console.send(example: "custom-interface")
        let content = await console.push(push)["card", "content"]
        #expect(content?["default_hidden"]?.bool == true)
        #expect(content?["ratio"]?.number == 0.6)
        #expect(content?["fields", "1"]?.array?.compactMap(\.string) == ["description", "The old pier at dusk."])
        let expanded = await console.act(#"{"push":\#(push),"action":"expand"}"#)
        #expect(expanded["screen", "expanded"]?.integer == push)
        let liked = await console.act(#"{"push":\#(push),"action":"LIKE"}"#)
        #expect(liked["screen", "lock", "0", "card", "actions", "0", "id"]?.string == "UNLIKE")
        #expect(liked["outcome", "kind"]?.string == "acted")
        await console.end()
    }

    // MARK: 5

    @Test func `actions are performed, and a custom dismissal is reported`() async throws {
        let console = try await Self.console()
        let rich = try await console.send(example: "rich")
        let reply = await console.act(#"{"push":\#(rich),"action":"REPLY","text":"Lovely!"}"#)
        #expect(reply["timeline"]?.array?.last?["text"]?.string == "“Lovely!” sent by “Reply”")
        #expect(reply["screen", "lock"]?.array?.isEmpty == true)
        let meeting = try await console.send(example: "actions")
        #expect(await console.act(#"{"push":\#(meeting),"action":"dismiss"}"#)["outcome", "kind"]?.string == "acted")
        let tapped = try await console.send(example: "alert")
        let answer = await console.act(#"{"push":\#(tapped),"action":"tap"}"#)
        #expect(answer["screen", "foreground", "topic"]?.string == "com.example.app")
        #expect(await console.ask(.get, "/v1/pushes/count?q=outcome:acted")["count"]?.integer == 3)
        await console.end()
    }

    @Test func `a phone can store several pushes from a moment on, and a misspelt action is known`() async throws {
        let console = try await Self.console()
        let changed = await console.ask(.patch, "/v1/phones/desk", #"{"stores_several": true}"#)
        #expect(changed.status == 200 && changed["stores_several"]?.bool == true, "\(changed.text)")
        let kept = await console.ask(.patch, "/v1/phones/desk", #"{"online": false}"#)
        #expect(kept["stores_several"]?.bool == true, "\(kept.text)")
        let misspelt = await console.ask(.post, "/v1/phones/desk/actions", #"{"action": "tpa"}"#)
        #expect(misspelt["remedy"]?.string == #"Did you mean "tap"?"#, "\(misspelt.text)")
        await console.end()
    }

    // MARK: 6

    @Test func `an app in the foreground decides what is presented`() async throws {
        let console = try await Self.console()
        _ = await console.flip(#"{"foreground":"com.example.app"}"#)
        let app = await console.ask(.patch, "/v1/phones/desk/apps/com.example.app", #"{"presents":[]}"#)
        #expect(app["apps", "0", "presents"]?.array?.isEmpty == true)
        let push = try await console.send(example: "alert")
        #expect(await console.push(push)["outcome", "text"]?.string == "Not shown: app open")
        #expect(await console.screen()["center"]?.array?.isEmpty == true)
        _ = await console.ask(.patch, "/v1/phones/desk/apps/com.example.app", #"{"presents":["banner","list"]}"#)
        let second = try await console.send(example: "alert")
        let screen = await console.screen()
        #expect(screen["banner", "push"]?.integer == second)
        #expect(screen["foreground", "presented"]?.array?.compactMap(\.string) == ["banner", "list"])
        await console.end()
    }

    // MARK: 7

    @Test func `an update replaces the earlier notification and moves to the top`() async throws {
        let console = try await Self.console()
        let first = try await console.send(.alert("1 : 0", thread: "match"), collapse: "score")
        let other = try await console.send(.alert("News", thread: "news"))
        let second = try await console.send(.alert("2 : 0", thread: "match"), collapse: "score")
        #expect(await console.push(second)["outcome", "replaces"]?.integer == first)
        #expect(await console.push(first)["outcome", "replaced_by"]?.integer == second)
        #expect(await console.screen()["lock"]?.array?.compactMap { $0["push"]?.integer } == [second, other])
        let removed = await console.act(#"{"push":\#(other),"action":"remove"}"#)
        #expect(removed["outcome", "why"]?.string == "Removed by the app")
        await console.end()
    }

    // MARK: 8

    @Test func `threads are grouped and counted`() async throws {
        let console = try await Self.console()
        for number in 1...3 { try await console.send(.alert("\(number)", thread: "chat-7")) }
        try await console.send(example: "alert")
        let lock = await console.screen()["lock"]
        #expect(lock?.array?.compactMap { $0["group"]?.string } == ["com.example.app", "chat-7"])
        #expect(lock?["1", "more"]?.array?.compactMap(\.integer) == [2, 1])
        #expect(lock?["1", "summary"]?.string == "2 more notifications")
        #expect(await console.ask(.get, "/v1/pushes/count?q=group:chat-7")["count"]?.integer == 3)
        await console.end()
    }

    // MARK: 9

    @Test func `loud and quiet follow the level, the switches and the permission`() async throws {
        let console = try await Self.console()
        _ = await console.flip(#"{"muted":true,"focus":"Work"}"#)
        let critical = await console.push(try await console.send(example: "critical"))
        #expect(critical["card", "loud"]?.bool == true)
        #expect(critical["outcome", "why"]?.string == "Sound at 0.8, although the phone is muted")
        let ordinary = await console.push(try await console.send(example: "alert"))
        #expect(ordinary["outcome", "text"]?.string == "Quiet: Focus")
        let urgent = await console.push(try await console.send(example: "time-sensitive"))
        #expect(urgent["outcome", "kind"]?.string == "shown")
        #expect(urgent["card", "loud"]?.bool == false)
        _ = await console.flip(#"{"muted":false,"focus":null}"#)
        let passive = await console.push(try await console.send(example: "passive"))
        #expect(passive["outcome", "text"]?.string == "Quiet: passive")
        _ = await console.ask(.patch, "/v1/phones/desk/apps/com.example.app", #"{"permission":"provisional"}"#)
        let trial = try await console.send(example: "alert")
        #expect(await console.screen()["quiet", "0", "push"]?.integer == trial)
        _ = await console.act(#"{"push":\#(trial),"action":"turn_off"}"#)
        let denied = await console.push(try await console.send(example: "alert"))
        #expect(denied["outcome", "text"]?.string == "Not shown: denied")
        await console.end()
    }

    // MARK: 10

    @Test func `the device localises keys and arguments`() async throws {
        let console = try await Self.console()
        let push = await console.push(try await console.send(example: "localized"))
        #expect(push["card", "title"]?.string == "Rovers – United")
        #expect(push["card", "body"]?.string == "Goal in minute 63.")
        await console.end()
    }

    // MARK: 11

    @Test func `APNs took it and nothing is on the phone, because`() async throws {
        let console = try await Self.console()
        let background = await console.push(try await console.send(example: "background"))
        #expect(background["outcome", "text"]?.string == "App woken")
        _ = await console.flip(#"{"online":false}"#)
        let once = try await console.send(.alert("Once"), expiration: .once)
        let stored = try await console.send(.alert("One"), collapse: "a")
        let newer = try await console.send(.alert("Two"), collapse: "b")
        #expect(await console.push(once)["outcome", "text"]?.string == "Not shown: expired")
        #expect(await console.push(stored)["outcome", "kind"]?.string == "replaced")
        #expect(await console.push(newer)["outcome", "kind"]?.string == "stored")
        _ = await console.ask(.post, "/v1/clock/advance", #"{"by":"31d"}"#)
        #expect(await console.push(newer)["outcome", "text"]?.string == "Not shown: expired")
        _ = await console.flip(#"{"online":true}"#)
        #expect(await console.screen()["lock"]?.array?.isEmpty == true)
        let none = await console.ask(.post, "/v1/pushes/assert", #"{"query":"outcome:shown","none":true}"#)
        #expect(none.status == 200)
        let stages = await console.push(newer)["timeline"]?.array?.compactMap { $0["stage"]?.string }
        #expect(stages == ["received", "judged", "stored", "expired"])
        await console.end()
    }

    @Test func `a Live Activity is started, updated and ended`() async throws {
        let console = try await Self.console()
        try await console.send(example: "live-activity-start", type: .liveactivity)
        let update = try await console.send(
            Repository.text("Examples/payloads/live-activity-update.json"), type: .liveactivity)
        let activity = await console.screen()["activities", "0"]
        #expect(activity?["title"]?.string == "Order 42")
        #expect(activity?["push"]?.integer == update)
        #expect(activity?["progress", "done"]?.number == 3)
        // The dates of the examples are those of one day.
        let later = "\(Int(console.mock.now.timeIntervalSince1970) + 3600)"
        try await console.send(
            Repository.text("Examples/payloads/live-activity-end.json").replacing("1795339306", with: later),
            type: .liveactivity)
        #expect(await console.screen()["activities", "0", "ended"]?.bool == true)
        _ = await console.ask(.post, "/v1/clock/advance", #"{"by":"5h"}"#)
        #expect(await console.screen()["activities"]?.array?.isEmpty == true)
        await console.end()
    }

    @Test func `every payload of the examples is looked at`() async throws {
        let console = try await Self.console()
        let names = try FileManager.default.contentsOfDirectory(atPath: Repository.url("Examples/payloads").path)
            .filter { $0.hasSuffix(".json") }
        #expect(names.count > 20)
        for name in names {
            let payload = Repository.text("Examples/payloads/\(name)")
            let word = name.split(separator: "-").first.map { $0.split(separator: ".")[0] } ?? ""
            let types = ["live": "liveactivity", "widget": "widgets"]
            let type = PushType(rawValue: types[String(word)] ?? String(word))
            let isKnown = PushType.known.contains(type)
            let push = try await console.send(payload, type: isKnown ? type : .alert)
            let answer = await console.push(push)
            let kind = answer["outcome", "kind"]?.string
            #expect(["shown", "quiet", "woke", "hidden", "replaced", "rejected"].contains(kind), "\(name)")
            #expect(kind != "hidden" || answer["outcome", "why"]?.string?.isEmpty == false, "\(name)")
        }
        await console.end()
    }
}

extension ConsoleAPI {
    /// Gives the main mock the phones of a file.
    func load(_ yaml: String, folder: String) throws {
        try ConsolePhones(feed: namespaces.main.phones).load(yaml, folder: folder)
    }
}

extension String {
    fileprivate static func alert(_ title: String, thread: String? = nil) -> String {
        #"{"aps":{"alert":{"title":"\#(title)","body":"x"}\#(thread.map { #","thread-id":"\#($0)""# } ?? "")}}"#
    }
}
