import Foundation
import MockAPNs
import PushJSON
import PushProvider
import TestSupport
import Testing
import VirtualPhones

@testable import MockConsole

@Suite(.timeLimit(.minutes(10))) struct PhoneFileTests {
    @Test(arguments: ["one-app", "three-phones"])
    func `the profiles of the examples are read, and their files are found`(name: String) throws {
        let text = Repository.text("Examples/phones/\(name).yaml")
        let profiles = try PhoneProfile.list(try YAMLReader.read(Array(text.utf8)))
        let files = PhoneFiles(folder: Repository.url("Examples/phones").path)
        for app in profiles.map(files.found).flatMap(\.apps) {
            for file in app.serviceExtension?.attachment?.files.values.map(\.self) ?? [] {
                #expect(file.problem == nil)
                #expect(file.content?.byteCount == 4930)
            }
        }
    }

    @Test func `the profile in the documentation is read`() throws {
        let page = Repository.text("docs/phones.md")
        let block = try #require(page.components(separatedBy: "```yaml\n").dropFirst().first)
        let text = try #require(block.components(separatedBy: "```").first)
        let phone = try #require(try PhoneProfile.list(try YAMLReader.read(Array(text.utf8))).first)
        #expect(phone.switches.focus == "Work")
        #expect(phone.apps.first?.categories.first?.actions.count == 4)
        #expect(phone.apps.first?.serviceExtension?.duration == .milliseconds(1600))
        #expect(phone.apps.first?.contentExtensions.first?.answers.count == 3)
    }

    @Test func `all outcomes and all steps are in the documentation`() {
        let page = Repository.text("docs/phones.md")
        for kind in PhoneOutcome.Kind.allCases { #expect(page.contains("| `\(kind.rawValue)` |")) }
        for kind in PhoneStage.Kind.allCases { #expect(page.contains("`\(kind.rawValue)`")) }
    }

    @Test func `the Swift API says what a user would see, and does what a user does`() async throws {
        let mock = try await MockServer.start(credentials: .ofThisProcess)
        let console = try await MockConsole.start(for: mock)
        let client = try PushClient.sample(to: mock)
        try console.phones.load(
            "{id: desk, apps: [{topic: com.example.app, categories: [{id: C, actions: [{id: LIKE}]}]}]}")
        _ = await client.outcome(
            of: PushNotification(
                to: try DeviceToken(DeviceToken.sampleHex), topic: "com.example.app",
                payload: PushPayload(json: Array(#"{"aps":{"alert":"Hi","thread-id":"t","category":"C"}}"#.utf8))))
        #expect(await console.phones.record(of: 1)?.outcome.kind == .shown)
        #expect(await console.phones.screen(of: "desk")?.card(of: 1)?.group == "t")
        try await console.phones.perform(.press(1, action: "LIKE", text: nil), on: "desk")
        #expect(await console.phones.record(of: 1)?.outcome.kind == .acted)
        #expect(await console.phones.flip("desk") { $0.online = false }?.switches.online == false)
        var change = Phones.AppChange()
        change.permission = .denied
        #expect(await console.phones.change("com.example.app", on: "desk", change)?.apps.first?.permission == .denied)
        #expect(await console.phones.put(PhoneProfile(id: "qa")))
        #expect(console.phones.ids == ["desk", "qa"])
        let error = #expect(throws: MockPhoneFileError.self) { try console.phones.load("{id: desk, muted: 1}") }
        #expect(error?.line == 1)
        #expect(error?.column == 19)
        #expect(console.phones(in: "none") == nil)
        console.phones.reset()
        #expect(console.phones.ids == ["desk"])
        #expect(await console.phones.record(of: 1) == nil)
        await client.shutdown()
        await console.stop()
        await mock.stop()
    }
}
