import PushCampaign
import PushProvider
import Testing

@testable import PushDelivery

struct ReadPayloadsTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private func filled(_ template: String, _ variables: String) throws -> String {
        var payloads = ReadPayloads()
        return String(
            decoding: try payloads.payload(bytes(template), variables: bytes(variables)).bytes, as: UTF8.self)
    }

    @Test func `a payload without variables is sent as it is`() throws {
        var payloads = ReadPayloads()
        let text = #"{ "aps" : {"alert":"{{name}}"} }"#
        #expect(try payloads.payload(bytes(text), variables: nil).bytes == bytes(text))
    }

    @Test(arguments: [
        (#"{"name":"A"}"#, "A"), (#" { "x" : [1,{"name":"no"}] , "name" : "B" } "#, "B"),
        (#"{"name":"A","name":"C"}"#, "C"),
        (#"{"n\u0061me":"D"}"#, "D"), ("{}", "you"), (#"{"name":null}"#, "you"), (#"{"name":12}"#, "12"),
    ])
    func `variables fill a template`(variables: String, name: String) throws {
        #expect(try filled(#"{"aps":{"alert":"Hi {{name|you}}"}}"#, variables) == #"{"aps":{"alert":"Hi \#(name)"}}"#)
    }

    @Test(arguments: ["", "[]", "{", #"{"name"}"#, #"{"name":}"#, #"{"name":"A"} x"#, #"{"name":"A",}"#, "null"])
    func `what is no object does not fit`(variables: String) {
        #expect(throws: PushTemplateError.self) { try filled(#"{"aps":{"alert":"Hi {{name|you}}"}}"#, variables) }
    }

    @Test func `a value cannot change the structure around it`() throws {
        let text = try filled(#"{"aps":{"alert":"{{a}}!"}}"#, #"{"a":"\"},\"x\":{\""}"#)
        #expect(text == #"{"aps":{"alert":"\"},\"x\":{\"!"}}"#)
        #expect(throws: PushTemplateError.self) { try filled(#"{"aps":{"alert":"{{a}}!"}}"#, #"{"a":{}}"#) }
    }

    @Test func `a template whose payload would be too large is not filled`() {
        let template = #"{"aps":{"alert":"x"},"d":"\#(String(repeating: "{{a}}", count: 400))"}"#
        let variables = #"{"a":"\#(String(repeating: "y", count: 64_000))"}"#
        #expect(throws: PushTemplateError.self) { try filled(template, variables) }
    }

    @Test func `the memory for payloads is bounded`() throws {
        var payloads = ReadPayloads()
        for number in 0..<10 * ReadPayloads.maximum {
            _ = try payloads.payload(bytes(#"{"aps":{"badge":\#(number)}}"#), variables: nil)
        }
        #expect(payloads.count <= 2 * ReadPayloads.maximum)
    }
}
