import Testing

@testable import PushJSON
@testable import PushProvider

@Suite struct PushPayloadTests {
    private func text(_ payload: PushPayload) -> String {
        String(decoding: payload.bytes, as: UTF8.self)
    }

    @Test func `an alert with everything has each key of Apple's table`() {
        let payload = PushPayload.alert(
            title: "T", subtitle: "S", body: "B \"q\"", badge: 3, sound: "default", category: "C", threadID: "th",
            mutableContent: true, contentAvailable: true, custom: ["order": 42, "tags": ["new", nil, true, 0.5]])
        #expect(
            text(payload) == """
                {"aps":{"alert":{"body":"B \\"q\\"","subtitle":"S","title":"T"},"badge":3,"category":"C",\
                "content-available":1,"mutable-content":1,"sound":"default","thread-id":"th"},\
                "order":42,"tags":["new",null,true,0.5]}
                """)
    }

    @Test func `what is left out is left out`() {
        #expect(text(.alert(title: "T")) == #"{"aps":{"alert":{"title":"T"}}}"#)
        #expect(text(.alert(subtitle: "S")) == #"{"aps":{"alert":{"subtitle":"S"}}}"#)
        #expect(text(.alert(body: "B")) == #"{"aps":{"alert":{"body":"B"}}}"#)
        #expect(text(.alert(badge: 0)) == #"{"aps":{"badge":0}}"#)
        #expect(text(.alert(sound: "s.caf")) == #"{"aps":{"sound":"s.caf"}}"#)
        #expect(text(.alert()) == #"{"aps":{}}"#)
        #expect(text(.alert(body: "")) == #"{"aps":{"alert":{"body":""}}}"#)
    }

    @Test func `a background payload has its flag and the app's keys`() {
        #expect(text(.background()) == #"{"aps":{"content-available":1}}"#)
        #expect(text(.background(custom: ["a": ["b": 1]])) == #"{"a":{"b":1},"aps":{"content-available":1}}"#)
    }

    @Test func `an app's key cannot replace aps`() {
        #expect(text(.alert(body: "B", custom: ["aps": 1])) == #"{"aps":{"alert":{"body":"B"}}}"#)
    }

    @Test func `JSON that is given is sent byte for byte`() {
        let json = "{ \"aps\" : {\"alert\":\"\\u00e9\"},\n\"n\":1.0 }"
        #expect(text(PushPayload(json: json)) == json)
        #expect(PushPayload(json: Array(json.utf8)).bytes == Array(json.utf8))
    }

    @Test func `payloads are the same when their bytes are`() {
        let payloads: [PushPayload] = [.alert(body: "B"), .init(json: #"{"aps":{"alert":{"body":"B"}}}"#)]
        #expect(payloads[0] == payloads[1])
        #expect(Set(payloads).count == 1)
        #expect(payloads[0] != .alert(body: "C"))
    }
}
