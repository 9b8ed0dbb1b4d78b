import Testing

@testable import PushLint
@testable import PushProvider

/// What stands in the place of a text in the alert of a Live Activity.
@Suite struct TranslationTests {
    private func update(_ title: String) -> [UInt8] {
        Array(
            #"{"aps":{"timestamp":1,"event":"update","content-state":{},"alert":{"title":\#(title),"body":"B"}}}"#.utf8)
    }

    @Test(arguments: [
        (#"{"loc-key":1}"#, ["error translation-object payload.aps.alert.title.loc-key"]),
        (#"{"loc-key":"K","loc-args":"x"}"#, ["error translation-object payload.aps.alert.title.loc-args"]),
        (#"{"loc-key":"K","loc-args":["x",2]}"#, ["error translation-object payload.aps.alert.title.loc-args[1]"]),
        (#"{"loc-args":["x"]}"#, ["error translation-object payload.aps.alert.title.loc-args"]),
        ("{}", ["error translation-object payload.aps.alert.title"]),
        (
            #"{"text":"T"}"#,
            [
                "error translation-object payload.aps.alert.title",
                "warning translation-object payload.aps.alert.title.text",
            ]
        ),
        (#"{"loc-key":"K","sound":"default"}"#, ["warning translation-object payload.aps.alert.title.sound"]),
        (#"{"locKey":"K"}"#, ["error translation-object payload.aps.alert.title.locKey"]),
        (#"{"loc-key":"%@","loc-args":[]}"#, ["warning loc-args-count payload.aps.alert.title.loc-key"]),
        (#"{"loc-key":"K","loc-args":[]}"#, []), (#"{"loc-key":"K"}"#, []),
    ])
    func `a translated text is looked into`(title: String, expected: [String]) {
        let found = PayloadLint.findings(in: update(title)).map { "\($0.severity) \($0.rule) \($0.subject)" }
        #expect(found == expected)
    }

    @Test func `a key in other letters is mended, where it is the only one`() {
        #expect(PayloadLint.repaired(update(#"{"locKey":"K"}"#)).json == update(#"{"loc-key":"K"}"#))
        for title in [#"{"locKey":"K","loc-key":"L"}"#, #"{"locKey":"K","loc_key":"L"}"#] {
            #expect(PayloadLint.repaired(update(title)).json == update(title))
        }
    }

    @Test func `elsewhere a text is a text`() {
        let found = PayloadLint.findings(in: Array(#"{"aps":{"alert":{"title":{"loc-key":"K"}}}}"#.utf8))
        #expect(found.map(\.rule) == ["wrong-type"])
    }
}
