import PushProvider
import Testing

@testable import pushsend

@Suite struct ComposedPayloadTests {
    @Test(arguments: [
        (#"{"Simulator Target Bundle":"a.b","aps":{}}"#, #"{"aps":{}}"#),
        (#"{ "aps" : {} , "Simulator Target Bundle" : "a.b" }"#, #"{ "aps" : {} }"#),
        (#"{"x":1,"Simulator Target Bundle":"a.b", "aps":{}}"#, #"{"x":1,"aps":{}}"#),
        (#"{"Simulator Target Bundle":"a.b"}"#, "{}"),
        (#"{"aps":{},"Simulator Target Bundle":"c","Simulator Target Bundle":"a.b"}"#, #"{"aps":{}}"#),
        (
            #"{"Simulator\u0020Target Bundle":"a.b","aps":{"Simulator Target Bundle":"x"}}"#,
            #"{"aps":{"Simulator Target Bundle":"x"}}"#
        ),
    ])
    func `the simulator key is taken out of the outermost object, and the rest stays as it was`(
        given: String, sent: String
    ) {
        let composed = ComposedPayload(raw: Array(given.utf8))
        #expect(String(decoding: composed.payload.bytes, as: UTF8.self) == sent)
        #expect(composed.bundleID == "a.b")
    }

    @Test(arguments: [#"{"aps":{}}"#, #"["Simulator Target Bundle"]"#, "{", ""])
    func `anything else is sent as it was given`(given: String) {
        let composed = ComposedPayload(raw: Array(given.utf8))
        #expect(String(decoding: composed.payload.bytes, as: UTF8.self) == given)
        #expect(composed.bundleID == nil)
    }

    @Test(arguments: [
        (#"{"aps":{"alert":"Hello"}}"#, #"{"aps":{"alert":"Hello (2)"}}"#),
        (#"{"aps":{"alert":{"title":"T","body":"Goal (7)"}}}"#, #"{"aps":{"alert":{"title":"T","body":"Goal (8)"}}}"#),
        (#"{"aps":{"alert":{"title":"T"}}}"#, #"{"aps":{"alert":{"title":"T (2)"}}}"#),
        (#"{"aps":{"badge":1}}"#, #"{"aps":{"badge":1}}"#),
    ])
    func `a counter stands at the end of the visible text`(given: String, second: String) {
        let numbered = NumberedPayload(PushPayload(json: Array(given.utf8)))
        #expect(String(decoding: numbered[1].bytes, as: UTF8.self) == second)
        #expect(numbered.counts == (given != second))
    }
}
