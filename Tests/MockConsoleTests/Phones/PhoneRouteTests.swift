import Foundation
import HTTPTypes
import MockAPNs
import PushJSON
import PushProvider
import TestSupport
import Testing
import VirtualPhones

@testable import MockConsole

@Suite(.timeLimit(.minutes(10))) struct PhoneRouteTests {
    @Test func `the outcomes of searches are those of phones, and others are refused`() async throws {
        #expect(Set(PhoneResult.outcomes) == Set(PhoneOutcome.Kind.allCases.map(\.rawValue)))
        let console = try await Console()
        let answer = await console.ask(.get, "/v1/pushes/count?q=outcome:shwn")
        #expect(answer.status == 400 && answer.text.contains("shown, quiet"), "\(answer.text)")
        #expect(await console.ask(.get, "/v1/pushes/count?q=outcome:Shown").status == 200)
        await console.end()
    }

    @Test func `an attachment in a namespace has an address below it`() async throws {
        let console = try await Console()
        await console.ask(.post, "/v1/namespaces", #"{"name": "team-a"}"#)
        let base = "/v1/namespaces/team-a"
        let picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
        let made = await console.ask(
            .put, "\(base)/phones/desk",
            #"{"id": "desk", "apps": [{"topic": "com.example.app", "service_extension": {"attaches": {"key": "photo", "files": {"a": {"name": "a.png", "base64": "\#(picture)"}}}}}]}"#
        )
        #expect(made.status == 201 || made.status == 200, "\(made.text)")
        let port = try #require(await console.ask(.get, base)["port"]?.integer)
        let client = try PushClient.sample(.local(port: port))
        _ = await client.outcome(
            of: PushNotification(
                to: try DeviceToken(DeviceToken.sampleHex), topic: "com.example.app",
                payload: PushPayload(
                    json: Array(#"{"aps":{"alert":"Hello","mutable-content":1},"photo":"a"}"#.utf8))))
        let push = await console.ask(.get, "\(base)/pushes/1")
        let url = try #require(push["card", "attachment", "url"]?.string, "\(push.text)")
        #expect(url == "\(base)/phones/desk/attachments/1")
        #expect(await console.ask(.get, url).status == 200)
        await client.shutdown()
        await console.end()
    }

    @Test func `without a profile there is one phone, which every token belongs to`() async throws {
        let console = try await Console()
        let push = try await console.push()
        let phones = await console.ask(.get, "/v1/phones")
        #expect(phones["items"]?.array?.count == 1)
        #expect(phones["items", "0", "id"]?.string == "phone")
        #expect(phones["items", "0", "profile"]?.string == "default")
        let phone = await console.ask(.get, "/v1/phones/phone")
        #expect(phone["apps", "0", "topic"]?.string == "com.example.app")
        #expect(phone["apps", "0", "tokens", "0"]?.string == DeviceToken.sampleHex)
        let screen = await console.screen("phone")
        #expect(screen["lock", "0", "push"]?.integer == push)
        #expect(screen["lock", "0", "card", "title"]?.string == "Hello")
        let listed = await console.ask(.get, "/v1/pushes")
        #expect(listed["items", "0", "outcome", "kind"]?.string == "shown")
        #expect(listed["items", "0", "phone"]?.string == "phone")
        await console.end()
    }

    @Test func `a push is previewed on a phone, and none arrives`() async throws {
        let console = try await Console()
        let preview = await console.ask(
            .post, "/v1/phones/phone/preview",
            ##"{"payload": "{\"aps\":{\"alert\":{\"title\":\"Try\"},\"badge\":3}}", "topic": "com.example.app"}"##)
        #expect(preview.status == 200, "\(preview.text)")
        #expect(preview["outcome", "kind"]?.string == "shown")
        #expect(preview["card", "title"]?.string == "Try")
        #expect(preview["screen", "badges", "com.example.app"]?.integer == 3)
        #expect(await console.ask(.get, "/v1/pushes/count")["count"]?.integer == 0)
        #expect(await console.screen("phone")["lock"]?.array?.isEmpty == true)
        let incomplete = await console.ask(.post, "/v1/phones/phone/preview", #"{"payload": "{}"}"#)
        #expect(incomplete.status == 400 && incomplete.text.contains("topic"), "\(incomplete.text)")
        let missing = await console.ask(.post, "/v1/phones/desk/preview", #"{"payload": "{}", "topic": "a"}"#)
        #expect(missing.status == 404)
        let broken = await console.ask(.post, "/v1/phones/phone/preview", #"{"payload": "[", "topic": "a"}"#)
        #expect(broken["outcome", "kind"]?.string == "hidden", "\(broken.text)")
        await console.end()
    }

    @Test func `a phone that does not exist is not found, with those that exist`() async throws {
        let console = try await Console()
        let requests: [(HTTPRequest.Method, String, String?)] = [
            (.get, "/v1/phones/desk", nil), (.get, "/v1/phones/desk/screen", nil), (.patch, "/v1/phones/desk", "{}"),
            (.delete, "/v1/phones/desk", nil), (.get, "/v1/phones/desk/attachments/1", nil),
            (.patch, "/v1/phones/desk/apps/x", "{}"),
            (.post, "/v1/phones/desk/actions", #"{"action":"clear_all"}"#),
        ]
        for (method, path, body) in requests {
            let answer = await console.ask(method, path, body)
            #expect(answer.status == 404, "\(path)")
            #expect(answer["remedy"]?.string == "Phones: phone.", "\(path)")
        }
        await console.end()
    }

    @Test func `an action that the category does not have is refused, with those that it has`() async throws {
        let console = try await Console()
        await console.putPhone(
            "apps: [{topic: com.example.app, categories: [{id: C, actions: [{id: LIKE}, {id: SAY, kind: text}]}]}]")
        let push = try await console.send(#"{"aps":{"alert":"x","category":"C"}}"#)
        let unknown = await console.act(#"{"push":\#(push),"action":"BLOCK"}"#)
        #expect(unknown.status == 422)
        #expect(unknown["code"]?.string == "unknown_action")
        #expect(unknown["remedy"]?.string?.hasPrefix("It has: LIKE, SAY, tap") == true)
        #expect(await console.act(#"{"push":\#(push),"action":"SAY"}"#)["code"]?.string == "text_missing")
        #expect(await console.act(#"{"push":9,"action":"tap"}"#).status == 404)
        #expect(await console.act(#"{"action":"tap"}"#).status == 400)
        _ = await console.act(#"{"push":\#(push),"action":"tap"}"#)
        let gone = await console.act(#"{"push":\#(push),"action":"LIKE"}"#)
        #expect(gone.status == 409)
        #expect(gone["remedy"]?.string?.contains("Opened by a tap") == true)
        await console.end()
    }

    @Test func `a profile with a mistake is refused with its place, and the phone stays`() async throws {
        let console = try await Console()
        let yaml = "name: Desk\napps:\n  - topic: com.example.app\n    permision: denied\n"
        let answer = await console.ask(.put, "/v1/phones/desk", yaml, type: "application/yaml")
        #expect(answer.status == 400)
        #expect(answer["code"]?.string == "invalid_profile")
        #expect(answer["line"]?.integer == 4)
        #expect(answer["column"]?.integer == 5)
        #expect(answer["field"]?.string == "/apps/0/permision")
        #expect(answer["remedy"]?.string?.hasPrefix("Did you mean \"permission\"?") == true)
        #expect(await console.ask(.get, "/v1/phones")["items"]?.array?.count == 1)
        let other = await console.ask(.put, "/v1/phones/desk", #"{"id":"qa"}"#)
        #expect(other["field"]?.string == "/id")
        #expect(await console.ask(.put, "/v1/phones/a%20b", "{}").status == 400)
        await console.end()
    }

    @Test func `phones are added, changed and deleted, but for the last one`() async throws {
        let console = try await Console()
        #expect(await console.ask(.delete, "/v1/phones/phone").status == 409)
        #expect(await console.ask(.put, "/v1/phones/desk", #"{"name":"Desk"}"#).status == 201)
        #expect(await console.ask(.put, "/v1/phones/desk", #"{"name":"Other"}"#)["name"]?.string == "Other")
        #expect(await console.flip(#"{"focus":"Work","muted":true}"#)["focus"]?.string == "Work")
        #expect(await console.flip(#"{"focus":null}"#)["focus"] == nil)
        #expect(await console.flip(#"{"focus":""}"#)["code"]?.string == "invalid_value")
        #expect(await console.flip(#"{"locked":true,"foreground":"x"}"#).status == 400)
        #expect(await console.flip(#"{"lock":true}"#)["code"]?.string == "unknown_member")
        #expect(await console.ask(.delete, "/v1/phones/phone").status == 204)
        #expect(await console.ask(.get, "/v1/phones")["items"]?.array?.count == 1)
        await console.end()
    }

    @Test func `files are only read from the folder of the profile`() async throws {
        let console = try await Console()
        let service = { (path: String) in
            """
            apps:
              - topic: com.example.app
                service_extension: {attaches: {key: url, files: {"u": "\(path)"}}}
            """
        }
        let payload = #"{"aps":{"alert":"x","mutable-content":1},"url":"u"}"#
        _ = await console.ask(.put, "/v1/phones/desk", service("/etc/passwd"), type: "application/yaml")
        let first = await console.push(try await console.send(payload))
        #expect(first["outcome", "why"]?.string?.contains("only for profiles that it was started with") == true)
        let folder = Repository.url("Examples/phones").path
        for path in ["/etc/passwd", "../payloads/rich.json", "../../../../../../etc/passwd"] {
            try console.api.load("id: desk\n" + service(path), folder: folder)
            let push = try await console.send(payload)
            #expect(await console.push(push)["outcome", "why"]?.string?.contains("outside of the folder") == true)
            #expect(await console.ask(.get, "/v1/phones/desk/attachments/\(push)").status == 404)
        }
        try console.api.load("id: desk\n" + service("one-app.yaml"), folder: folder)
        let text = try await console.send(payload)
        #expect(await console.push(text)["outcome", "why"]?.string?.contains("of a type that can be attached") == true)
        await console.end()
    }

    @Test func `searches, waits and assertions know what is on the phones`() async throws {
        let console = try await Console()
        await console.putPhone(
            #"""
            {"apps":[{"topic":"com.example.app","service_extension":{"attaches":{"key":"url","files":
            {"u":{"name":"pier.gif","base64":"R0lGODlhAQABAAAAACw="}}}}}]}
            """#)
        let push = try await console.send(#"{"aps":{"alert":"x","mutable-content":1},"url":"u"}"#)
        for query in ["outcome:shown", "phone:desk", "attachment:pier.gif", "attachment:pier*", "attachment:any"] {
            let found = await console.ask(.get, "/v1/pushes?q=\(query)")
            #expect(found["items", "0", "number"]?.integer == push, "\(query)")
            let held = await console.ask(.post, "/v1/pushes/assert", #"{"query":"\#(query)","exactly":1}"#)
            #expect(held.status == 200, "\(query)")
        }
        let refuted = await console.ask(.post, "/v1/pushes/assert", #"{"query":"outcome:hidden"}"#)
        #expect(refuted.status == 409)
        #expect(refuted["near_misses", "0", "differences", "0", "found"]?.string == "shown")
        async let waiting = console.ask(
            .post, "/v1/pushes/wait", #"{"query":"outcome:acted","within":"60s"}"#)
        _ = await console.act(#"{"push":\#(push),"action":"tap"}"#)
        #expect(await waiting["matches", "0", "outcome", "kind"]?.string == "acted")
        await console.end()
    }

    @Test func `rejections and counts are in the summary`() async throws {
        let console = try await Console()
        try await console.push()
        console.mock.settings.acceptsMagicTokens = true
        let magic = try #require(MockMagicToken.allCases.first).exampleToken
        try await console.send(#"{"aps":{"alert":"x"}}"#, token: magic)
        let summary = await console.ask(.get, "/v1/pushes/summary")
        #expect(summary["counts", "all"]?.integer == 2)
        #expect(summary["counts", "shown"]?.integer == 1)
        #expect(summary["counts", "rejected"]?.integer == 1)
        #expect(summary["minutes"]?.array?.count == 40)
        // A reset empties the log. The numbers of the pushes go on, and the counts begin again.
        _ = await console.ask(.post, "/v1/reset", "{}")
        #expect(await console.ask(.get, "/v1/pushes/summary")["counts", "all"]?.integer == 0)
        try await console.push()
        let afterwards = await console.ask(.get, "/v1/pushes/summary")
        #expect(afterwards["counts", "all"]?.integer == 1 && afterwards["counts", "shown"]?.integer == 1)
        #expect(await console.ask(.get, "/v1/pushes/count")["count"]?.integer == 1)
        let page = await console.ask(.get, "/v1/pushes?order=newest")
        #expect(page["total"]?.integer == 3 && page["kept"]?.integer == 1, "\(page.text)")
        await console.end()
    }

    @Test func `pushes that are removed from the log do not count, and stay on the screens`() async throws {
        let console = try await Console()
        for _ in 1...3 { try await console.push() }
        _ = await console.ask(.delete, "/v1/pushes/2")
        func counts() async -> [Int?] {
            let summary = await console.ask(.get, "/v1/pushes/summary")
            let page = await console.ask(.get, "/v1/pushes")
            return [
                summary["counts", "all"]?.integer, summary["counts", "shown"]?.integer, page["kept"]?.integer,
                page["items"]?.array?.count,
            ]
        }
        #expect(await counts() == [2, 2, 2, 2])
        #expect(await console.ask(.delete, "/v1/pushes").status == 204)
        #expect(await counts() == [0, 0, 0, 0])
        // What happens to an old push on its phone does not count either.
        _ = await console.act(#"{"push":1,"action":"tap"}"#)
        #expect(await counts() == [0, 0, 0, 0])
        try await console.push()
        #expect(await counts() == [1, 1, 1, 1])
        await console.end()
    }

    @Test func `a namespace has its own phones, and a reset empties them`() async throws {
        let console = try await Console()
        _ = await console.ask(.post, "/v1/namespaces", #"{"name":"other"}"#)
        try await console.push()
        #expect(await console.screen("phone")["lock"]?.array?.count == 1)
        let other = await console.ask(.get, "/v1/namespaces/other/phones/phone/screen")
        #expect(other["lock"]?.array?.isEmpty == true)
        _ = await console.ask(.post, "/v1/reset", "{}")
        #expect(await console.screen("phone")["lock"]?.array?.isEmpty == true)
        let push = try await console.push()
        #expect(await console.screen("phone")["lock", "0", "push"]?.integer == push)
        await console.end()
    }

    @Test func `a broadcast updates the Live Activity that listens to its channel`() async throws {
        let console = try await Console { $0.sandboxChannelsPort = 0 }
        let port = try #require(console.mock.channelsPort(of: .sandbox))
        let channels = try PushChannels(
            environment: try .local(port: port), credentials: .token(MockCredentials.ofThisProcess.providerKey),
            logger: .silent)
        let id = try await channels.create(for: "com.example.app", storage: .none)
        try await console.send(
            """
            {"aps":{"timestamp":1,"event":"start","attributes-type":"Match","attributes":{"home":"Rovers"},
            "content-state":{"goals":0},"input-push-channel":"\(id)","alert":{"title":"Kick-off"}}}
            """, type: .liveactivity)
        _ = try await console.client.send(
            PushBroadcast(
                to: id, bundleID: "com.example.app",
                payload: PushPayload(
                    json: Array(#"{"aps":{"timestamp":2,"event":"update","content-state":{"goals":1}}}"#.utf8))))
        let activity = await console.screen("phone")["activities", "0"]
        #expect(activity?["channel"]?.string == "\(id)")
        #expect(activity?["fields", "0"]?.array?.compactMap(\.string) == ["goals", "1"])
        #expect(await console.push(3)["outcome", "text"]?.string == "Activity updated")
        #expect(await console.push(1)["outcome"] == nil)
        await channels.shutdown()
        await console.end()
    }

    @Test func `events have the outcome, and say what changed on a phone`() async throws {
        let console = try await Console()
        let events = Watched("")
        async let answer = console.ask(.get, "/v1/events?after=0", arriving: events)
        // It tells what changes on phones from its beginning on.
        try await events.texts("retry: 1000")
        try await console.send(#"{"aps":{"alert":"one"}}"#, collapse: "a")
        _ = await console.screen("phone")
        try await console.send(#"{"aps":{"alert":"two"}}"#, collapse: "a")
        _ = await console.screen("phone")
        try await events.texts(
            "event: push\nid: 2\n", #""outcome":{"kind":"shown""#, "event: phone",
            #""number":1,"outcome":{"kind":"replaced""#)
        console.api.end()
        #expect(await answer.status == 200)
        await console.end()
    }

    @Test func `a burst is looked at, or counted as missed, and nothing is lost in between`() async throws {
        let console = try await Console { $0.logCount = 100_000 }
        let count = 3000
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { _ = try await console.push() } }
            try await group.waitForAll()
        }
        // A read waits for the phones, but not for ever.
        var known = 0
        for _ in 0..<50 where known < count {
            let summary = await console.ask(.get, "/v1/pushes/summary")
            #expect(summary["counts", "all"]?.integer == count)
            known = ["shown", "forgotten", "missed"].reduce(0) { $0 + (summary["counts", $1]?.integer ?? 0) }
        }
        #expect(known == count)
        await console.end()
    }
}
