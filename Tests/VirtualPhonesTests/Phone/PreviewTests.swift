import APNSVocabulary
import PushPlatform
import Testing

@testable import VirtualPhones

/// A push is tried on a phone that stays as it is.
@Suite struct PreviewTests {
    @Test func `a preview has the actions and the badge of the phone, and changes nothing`() throws {
        var phones = try Phones.withApp(#""categories":[{"id":"C","actions":[{"id":"LIKE","title":"Like"}]}]"#)
        phones.receive(.sample(1, .alert("First")))
        let before = try phones.screen()
        let preview = try #require(
            phones.preview(.sample(0, .alert("Second", #""category":"C","badge":4"#)), on: "desk"))
        #expect(preview.record.outcome.kind == .shown)
        #expect(preview.record.card?.actions.map(\.id) == ["LIKE"])
        #expect(preview.screen.badges == ["com.example.app": 4])
        #expect(preview.screen.lock.first?.more == [1])
        #expect(try phones.screen() == before)
        #expect(phones.record(of: 0) == nil)
        #expect(phones.counts[.shown] == 1)
        #expect(phones.takeChanges().flatMap(\.pushes).contains(0) == false)
    }

    @Test func `a preview says what it would replace, and why nothing is shown`() throws {
        var phones = try Phones.withApp()
        phones.receive(.sample(1, .alert("First"), collapse: "news"))
        let replacing = try #require(phones.preview(.sample(0, .alert("Second"), collapse: "news"), on: "desk"))
        #expect(replacing.record.outcome.replaces == 1)
        #expect(replacing.screen.lock.map(\.card.push) == [0])
        var change = Phones.AppChange()
        change.permission = .denied
        phones.change("com.example.app", on: "desk", at: .start, change)
        let denied = try #require(phones.preview(.sample(0, .alert("Third")), on: "desk"))
        #expect(denied.record.outcome.kind == .hidden)
    }

    @Test(arguments: [(false, "keeps one"), (true, "keeps several")])
    func `a preview on a phone that is offline says how many pushes APNs keeps`(several: Bool, words: String) throws {
        var phones = try Phones.withApp("", #""online":false,"stores_several":\#(several)"#)
        phones.receive(.sample(1, .alert("One")))
        let preview = try #require(phones.preview(.sample(0, .alert("Two")), on: "desk")).record.outcome
        #expect(preview.kind == .stored && preview.why?.contains(words) == true, "\(preview)")
        #expect(try phones.outcome(1).kind == .stored)
    }

    @Test func `an app that the phone does not have, another phone, and a phone that does not exist`() throws {
        let phones = try Phones.sample(#"[{"id":"desk"},{"id":"qa","muted":true}]"#)
        let push = PhonePush.sample(0, .alert("New", #""sound":"default""#), topic: "org.example.other")
        #expect(phones.preview(push, on: "desk")?.record.card?.topic == "org.example.other")
        #expect(phones.preview(push, on: "qa")?.record.phone == "qa")
        #expect(phones.preview(push, on: "none") == nil)
        #expect(phones.phone("desk")?.apps.isEmpty == true)
    }

    @Test func `the header fields of a draft are read as those of a request`() {
        let push = PhonePush(
            number: 0, time: .start, target: .device(""), headerTopic: "com.example.app.push-type.liveactivity",
            type: "", collapseID: "", body: [], origin: "A preview")
        #expect(push.topic == "com.example.app")
        #expect(push.type == .liveactivity)
        #expect(push.collapseID == nil)
    }
}
