import PushPlatform
import Testing

@testable import VirtualPhones

@Suite struct ActionTests {
    private static let categories = """
        "categories": [{"id": "PHOTO", "custom_dismiss": true, "actions": [
            {"id": "REPLY", "title": "Reply", "kind": "text"}, {"id": "LIKE", "title": "Like"},
            {"id": "OPEN", "title": "Open", "foreground": true, "authentication_required": true}]},
            {"id": "PLAIN", "actions": [{"id": "OK"}]}]
        """

    private static func shown(_ app: String = categories, category: String = "PHOTO") throws -> Phones {
        var phones = try Phones.withApp(app)
        phones.receive(.sample(1, .alert("Nora", #""category":"\#(category)""#)))
        return phones
    }

    @Test func `a tap opens the app`() throws {
        var phones = try Self.shown()
        try phones.act(.tap(1))
        #expect(try phones.outcome(1) == PhoneOutcome(.acted, "Opened by a tap", why: "Default action"))
        let screen = try phones.screen()
        #expect(screen.entries.isEmpty)
        #expect(!screen.isLocked)
        #expect(screen.foreground?.topic == "com.example.app")
    }

    @Test func `a dismissal is reported only if the category asks for it`() throws {
        var phones = try Self.shown()
        try phones.act(.dismiss(1))
        #expect(try phones.outcome(1).kind == .acted)
        var plain = try Self.shown(category: "PLAIN")
        try plain.act(.dismiss(1))
        #expect(try plain.outcome(1) == PhoneOutcome(.removed, "Removed", why: "Dismissed; not reported to the app"))
    }

    @Test func `buttons are pressed, and a reply has its text`() throws {
        var phones = try Self.shown()
        try phones.act(.press(1, action: "REPLY", text: "Lovely!"), at: 26)
        let stage = try #require(phones.record(of: 1)?.timeline.last)
        #expect(stage.text == "“Lovely!” sent by “Reply”")
        #expect(stage.at == .start.addingTimeInterval(26))
        #expect(try phones.outcome(1).why == "Action REPLY. App not opened")
        #expect(try phones.screen().isLocked)
        phones.receive(.sample(2, .alert("Nora", #""category":"PHOTO""#)))
        try phones.act(.press(2, action: "OPEN", text: nil))
        #expect(try phones.screen().foreground?.topic == "com.example.app")
        #expect(phones.record(of: 2)?.timeline.last?.note == "The user unlocked the phone")
    }

    @Test func `impossible actions are refused, with those that are possible, and change nothing`() throws {
        var phones = try Self.shown()
        let expected: [(PhoneAction, PhoneActionError.Code, String)] = [
            (.press(1, action: "BLOCK", text: nil), .unknownAction, "It has: REPLY, LIKE, OPEN, tap, dismiss"),
            (.press(1, action: "REPLY", text: nil), .textMissing, "Give the text"),
            (.press(1, action: "LIKE", text: "x"), .textUnwanted, "Leave out"), (.tap(9), .neverShown, ""),
            (.keep(1), .unknownAction, "It has"), (.openApp("nowhere"), .noApp, "com.example.app"),
        ]
        for (action, code, words) in expected {
            let error = #expect(throws: PhoneActionError.self) { try phones.act(action) }
            #expect(error?.code == code)
            #expect(words.isEmpty || error?.description.contains(words) == true)
        }
        #expect(try phones.lock() == [1])
        try phones.act(.tap(1))
        let error = #expect(throws: PhoneActionError.self) { try phones.act(.tap(1)) }
        #expect(error?.code == .notShown)
        #expect(error?.remedy == "Opened by a tap: Default action.")
    }

    @Test func `clear all and remove take notifications away`() throws {
        var phones = try Self.shown()
        phones.receive(.sample(2, .alert()))
        phones.receive(.sample(3, .alert()))
        try phones.act(.remove(2))
        #expect(try phones.outcome(2).why == "Removed by the app")
        try phones.act(.clearAll)
        #expect(try phones.screen().entries.isEmpty)
        #expect(try phones.outcome(1).why == "Cleared with “clear all”")
    }

    @Test func `what was delivered on trial is kept or turned off`() throws {
        var kept = try Self.shown(#""permission":"provisional""#)
        try kept.act(.keep(1))
        #expect(try kept.screen().center.map(\.card.push) == [1])
        kept.receive(.sample(2, .alert()))
        #expect(try kept.lock() == [2])
        var off = try Self.shown(#""permission":"provisional""#)
        off.receive(.sample(2, .alert()))
        try off.act(.turnOff(2))
        #expect(try off.outcome(1).kind == .removed)
        #expect(try off.outcome(2).text == "Turned off")
        off.receive(.sample(3, .alert()))
        #expect(try off.outcome(3).text == "Not shown: denied")
    }

    private static let view =
        categories + """
            , "content_extensions": [{"categories": ["PHOTO"], "shows": ["title", "imageName", "missing"],
                "hides_default": true, "ratio": 0.6, "answers": {"LIKE": "keep", "UNLIKE": "keep", "OPEN": "dismiss"},
                "replaces": {"LIKE": [{"id": "UNLIKE", "title": "Unlike"}], "UNLIKE": [{"id": "LIKE", "title": "Like"}]}}]
            """

    @Test func `a content extension shows custom keys, keeps the notification and replaces its buttons`() throws {
        var phones = try Phones.withApp(Self.view)
        phones.receive(
            .sample(1, .alert("Nora", #""category":"PHOTO""#, #""title":"Harbour","imageName":"pier","other":1"#)))
        let content = try #require(phones.record(of: 1)?.card?.content)
        #expect(content.fields == [.init(key: "title", value: "Harbour"), .init(key: "imageName", value: "pier")])
        #expect(content.hidesDefault)
        #expect(content.ratio == 0.6)
        try phones.act(.expand(1))
        #expect(try phones.screen().expanded == 1)
        try phones.act(.press(1, action: "LIKE", text: nil))
        #expect(try phones.screen().card(of: 1)?.actions.map(\.id) == ["UNLIKE"])
        #expect(try phones.screen().expanded == 1)
        try phones.act(.press(1, action: "UNLIKE", text: nil))
        #expect(try phones.screen().card(of: 1)?.actions.map(\.id) == ["LIKE"])
        try phones.act(.collapse)
        #expect(try phones.screen().expanded == nil)
    }

    @Test func `a content extension dismisses, or forwards to the app`() throws {
        var phones = try Phones.withApp(Self.view)
        phones.receive(.sample(1, .alert("Nora", #""category":"PHOTO""#)))
        try phones.act(.press(1, action: "OPEN", text: nil))
        #expect(try phones.screen().entries.isEmpty)
        #expect(try phones.screen().foreground == nil)
        #expect(try phones.outcome(1).why == "Action OPEN. The content extension handled it")
        phones.receive(.sample(2, .alert("Nora", #""category":"PHOTO""#)))
        try phones.act(.press(2, action: "REPLY", text: "Hi"))
        #expect(phones.record(of: 2)?.timeline.last?.note?.contains("dismiss_and_forward") == true)
    }
}
