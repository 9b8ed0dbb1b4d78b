import APNSVocabulary
import PushPlatform
import Testing

@testable import VirtualPhones

@Suite struct TextTests {
    @Test(arguments: [
        ("%@ – %@", ["Rovers", "United"], "Rovers – United"), ("%2$@ : %1$@", ["a", "b"], "b : a"),
        ("100 %% of %@", ["it"], "100 % of it"), ("%@ and %@", ["one"], "one and "), ("%d %", [], "%d %"),
        ("%0$@ %999$@", ["a"], "%0$@ "),
    ])
    func `a format is filled`(format: String, arguments: [String], text: String) {
        #expect(LocalizedText.filled(format, arguments) == text)
    }

    @Test func `keys are looked up in the tables of the app`() throws {
        var phones = try Phones.withApp(#""strings":{"TITLE":"%@ : %@","BODY":"Minute %@"}"#)
        let payload = #"""
            {"aps":{"alert":{"title-loc-key":"TITLE","title-loc-args":["Rovers","United"],"loc-key":"BODY",
            "loc-args":["63"],"subtitle-loc-key":"NONE"}}}
            """#
        phones.receive(.sample(1, payload))
        let card = try #require(phones.record(of: 1)?.card)
        #expect(card.title == "Rovers : United")
        #expect(card.body == "Minute 63")
        #expect(card.subtitle == "NONE")
        #expect(try phones.outcome(1).why == "The app has no text for the key \"NONE\", so the key is shown")
    }

    @Test(arguments: [
        "", "{", "[]", "null", #"{"aps":null}"#, #"{"aps":{"alert":[]}}"#, #"{"aps":{"alert":{"title":{}}}}"#,
        #"{"aps":{"alert":"x","sound":{}}}"#, #"{"aps":{"alert":"x","badge":-1}}"#,
        #"{"aps":{"alert":"x","badge":1e400}}"#, #"{"aps":{"alert":"x","interruption-level":"loud"}}"#,
        #"{"__proto__":{"aps":1}}"#, #"{"aps":{"alert":{"summary-arg-count":-99999999999999999999}}}"#,
        #"{"aps":{"timestamp":-1e308,"event":"update","stale-date":1e308,"content-state":[]}}"#,
    ])
    func `no payload ends anything`(payload: String) throws {
        for type in ["alert", "background", "liveactivity", "voip", "pushtotalk"] {
            var phones = Phones()
            phones.receive(.sample(1, payload, type: .init(rawValue: type)))
            #expect(phones.record(of: 1) != nil)
            phones.timePassed(to: .distantFuture)
            _ = phones.screen(of: "phone", at: .distantFuture)
        }
    }
}
