import Foundation
import PushProvider
import Testing

@testable import PushJSON

@Suite struct CustomVariablesTests {
    struct Rider: Encodable {
        var name: String
        var seats: [Int]
    }

    /// Holds no form in JSON.
    struct Stubborn: Encodable {
        struct Refused: Error {}
        func encode(to encoder: any Encoder) throws { throw Refused() }
    }

    private func text(_ payload: PushPayload) -> String {
        String(decoding: payload.bytes, as: UTF8.self)
    }

    @Test func `variables of any kind are the app's keys`() throws {
        let order = 42
        let note: String? = nil
        let payload = try PushPayload.alert(
            title: "T", badge: 1,
            custom: [
                "order": order, "paid": Bool("true"), "note": note, "rider": Rider(name: "Nora", seats: [1, 2]),
                "price": Decimal(string: "12.30"),
            ])
        #expect(
            text(payload) == """
                {"aps":{"alert":{"title":"T"},"badge":1},"note":null,"order":42,"paid":true,"price":12.3,\
                "rider":{"name":"Nora","seats":[1,2]}}
                """)
        #expect(payload.pushType == nil)
    }

    @Test func `every kind with keys of the app takes variables`() throws {
        let number = 7
        let custom = #""n":7"#
        #expect(
            text(try .alert(PushPayload.Alert(body: "B"), custom: ["n": number]))
                == #"{"aps":{"alert":{"body":"B"}},\#(custom)}"#)
        #expect(text(try .background(custom: ["n": number])) == #"{"aps":{"content-available":1},\#(custom)}"#)
        #expect(text(try .voip(custom: ["n": number])) == #"{"aps":{},\#(custom)}"#)
        #expect(text(try .complication(custom: ["n": number])) == #"{"aps":{},\#(custom)}"#)
        #expect(text(try .location(custom: ["n": number])) == #"{"aps":{},\#(custom)}"#)
        #expect(text(try .pushToTalk(custom: ["n": number])) == #"{"aps":{},\#(custom)}"#)
        #expect(try PushPayload.background(custom: ["n": number]).pushType == .background)
    }

    /// They need no `try`, as before: this test compiles or it does not.
    @Test func `literals and JSON values need no try`() {
        let values: [String: PushJSONValue] = ["n": 7]
        #expect(text(.alert(body: "B", custom: ["n": 7])) == text(.alert(body: "B", custom: values)))
        #expect(text(.background(custom: ["a": ["b": 1, "c": ["d", nil]]])).contains(#""a":{"b":1,"c":["d",null]}"#))
    }

    @Test func `a value without a form in JSON is reported with its path`() throws {
        let ratio = Double.nan
        let error = try #require(throws: PushPayloadError.self) { try PushPayload.alert(custom: ["ratio": ratio]) }
        #expect(error.code == .notFinite)
        #expect(error.path == "custom.ratio")
        let stubborn = try #require(throws: PushPayloadError.self) { try PushPayload.voip(custom: ["x": Stubborn()]) }
        #expect(stubborn.code == .cannotEncode)
        #expect(stubborn.path == "custom.x")
    }

    @Test func `no variable replaces aps`() throws {
        let number = 7
        let error = try #require(throws: PushPayloadError.self) { try PushPayload.background(custom: ["aps": number]) }
        #expect(error.code == .reservedKey)
    }
}
