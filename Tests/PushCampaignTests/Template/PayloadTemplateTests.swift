import Testing

@testable import PushCampaign
@testable import PushProvider

/// Payloads with places for what differs.
struct PayloadTemplateTests {
    /// What a template becomes for a line with these variables, or what the line lacks.
    private static func render(_ template: String, _ variables: String) throws -> String {
        let template = try PayloadTemplate(json: template.utf8)
        var fields = RowFields(names: template.names)
        var outlined = OutlinedPayloads()
        return Array("{\"token\":\"00\",\"vars\":\(variables)}".utf8).withUnsafeBufferPointer { json in
            if let problem = fields.find(in: json) { return problem }
            do throws(PushTemplateError) {
                return String(decoding: try template.payload(json, fields.values, &outlined).bytes, as: UTF8.self)
            } catch {
                return "!\(error)"
            }
        }
    }

    @Test(arguments: [
        (#"{"aps":{"alert":"Hello {{name}}!"}}"#, #"{"name":"Ann"}"#, #"{"aps":{"alert":"Hello Ann!"}}"#),
        (#"{"aps":{"alert":"{{ a }}-{{b}}-{{a}}"}}"#, #"{"a":1,"b":true}"#, #"{"aps":{"alert":"1-true-1"}}"#),
        (#"{"aps":{"badge":"{{n}}"},"o":"{{o}}"}"#, #"{"n":3,"o":{"x":[1]}}"#, #"{"aps":{"badge":3},"o":{"x":[1]}}"#),
        (#"{"aps":{"alert":"{{t}}"}}"#, #"{"t":"a\"b\\\u00e4\n"}"#, #"{"aps":{"alert":"a\"b\\\u00e4\n"}}"#),
        (#"{"aps":{"alert":"x{{t}}"}}"#, #"{"t":"\",\"evil\":\""}"#, #"{"aps":{"alert":"x\",\"evil\":\""}}"#),
        (#"{"aps":{"alert":"Hi {{name|there}}"}}"#, "{}", #"{"aps":{"alert":"Hi there"}}"#),
        (#"{"aps":{"alert":"Hi {{name|}}."}}"#, #"{"name":null}"#, #"{"aps":{"alert":"Hi ."}}"#),
        (#"{"aps":{"alert":"{{name|there}}"}}"#, "{}", #"{"aps":{"alert":"there"}}"#),
        (#"{"aps":{"badge":"{{n:number|1}}"}}"#, "{}", #"{"aps":{"badge":1}}"#),
        (#"{"aps":{"badge":"{{n:number}}"}}"#, #"{"n":"7"}"#, #"{"aps":{"badge":7}}"#),
        (#"{"aps":{},"e":"{{e:json}}"}"#, #"{"e":"{\"a\":[1]}"}"#, #"{"aps":{},"e":{"a":[1]}}"#),
        (#"{"aps":{},"e":"{{e:json|{\"a\":1}}}"}"#, "{}", #"{"aps":{},"e":{"a":1}}"#),
        (#"{"aps":{},"e":"{{e}}"}"#, #"{"e":null}"#, #"{"aps":{},"e":null}"#),
        (
            #"{"aps":{"alert":"Hi {{name}}"}}"#, #"{"nam":"x"}"#,
            "!The payload needs \"name\", but the line doesn't have it."
        ),
        (
            #"{"aps":{"alert":"Hi {{name}}"}}"#, #"{"name":[1]}"#,
            "!\"name\" is an array, which can't be part of a string."
        ),
        (#"{"aps":{"badge":"{{n:number}}"}}"#, #"{"n":"many"}"#, "!\"n\" must be a number, but is many."),
        (#"{"aps":{},"e":"{{e:json}}"}"#, #"{"e":"{"}"#, "!\"e\" must be JSON, but isn't."),
        (#"{"aps":{"alert":"no {place}"}}"#, "{}", #"{"aps":{"alert":"no {place}"}}"#),
    ]) func `values take their indices`(template: String, variables: String, result: String) throws {
        #expect(try Self.render(template, variables) == result)
    }

    @Test(arguments: [
        (#"{"aps":{"badge":{{n}}}}"#, "in quotation marks"), (#"{"aps":{"alert":"{{name"}}"#, "without the closing"),
        (#"{"aps":{"alert":"{{}}"}}"#, "without a valid name"),
        (#"{"aps":{"alert":"{{name|{{points}}}}"}}"#, "has a placeholder in it"), (#"{"{{k}}":1}"#, "only values"),
        (#"{"aps":{"badge":"{{n:nmber}}"}}"#, "Use number or json"),
        (#"{"aps":{"alert":"x {{n:number}}"}}"#, "part of a string"),
        (#"{"aps":{"badge":"{{n:number|x}}"}}"#, "default"),
        ("[1]", "not an object"),
    ]) func `what is no template says where`(template: String, words: String) {
        let error = #expect(throws: PushTemplateError.self) { try PayloadTemplate(json: template.utf8) }
        #expect(error?.description.contains(words) == true, "\(error as Any)")
    }

    @Test(arguments: [
        (#"{"aps":{"alert":"{{a}}"}}"#, #"{"a":"x"}"#), (#"{"aps":{"content-available":"{{a}}"}}"#, #"{"a":1}"#),
        (#"{"aps":"{{a}}"}"#, #"{"a":{"content-available":1}}"#), (#"{"aps":"{{a}}"}"#, #"{"a":7}"#),
        (#"{"aps":{"content-available":1},"x":"{{a}}"}"#, #"{"a":7}"#),
    ]) func `what is inferred from a payload is what is in it`(template: String, variables: String) throws {
        let template = try PayloadTemplate(json: template.utf8)
        var fields = RowFields(names: template.names)
        var outlined = OutlinedPayloads()
        let payload = try Array("{\"token\":\"00\",\"vars\":\(variables)}".utf8).withUnsafeBufferPointer { json in
            _ = fields.find(in: json)
            return try template.payload(json, fields.values, &outlined)
        }
        #expect(payload.reading == PayloadFacts(of: payload.bytes))
    }
}
