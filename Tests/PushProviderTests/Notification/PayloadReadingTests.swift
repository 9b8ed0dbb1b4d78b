import Testing

@testable import PushProvider

@Suite struct PayloadReadingTests {
    @Test(arguments: [
        "{}", #"{"aps":{}}"#, #"{"aps":{"alert":"é 👋 \u0041"}}"#, " \n{\"aps\":{}}\r\n", #"{"mdm":"x"}"#,
    ])
    func `an object can be a payload`(json: String) {
        #expect(PayloadReading(of: Array(json.utf8)).problem == nil)
    }

    @Test(arguments: [
        ("", "there is nothing in it"),
        ("[]", "it is JSON but not an object: a payload begins with { and holds \"aps\""),
        ("\"text\"", "it is JSON but not an object: a payload begins with { and holds \"aps\""),
        ("42", "it is JSON but not an object: a payload begins with { and holds \"aps\""),
        ("null", "it is JSON but not an object: a payload begins with { and holds \"aps\""),
        (#"{"aps":"Hi"}"#, "its \"aps\" is not an object"),
        (#"{"aps":null}"#, "its \"aps\" is not an object"),
    ])
    func `what cannot be one has its sentence`(json: String, problem: String) {
        #expect(PayloadReading(of: Array(json.utf8)).problem == problem)
    }

    @Test(arguments: [
        " ", "{", #"{"aps":{"alert":"Hi"}"#, #"{"aps":{"alert":"Hi",}}"#, #"{'aps':{}}"#, #"{"aps":{}} x"#,
        "Hello", "<html>", #"{"aps":{"alert":"Hi}}"#, "{\"a\":\"\u{1}\"}", #"{"a":01}"#, #"{"a":NaN}"#, #"{"a":1e999}"#,
        #"{"a":"\ud800"}"#, #"// no comment"# + "\n{}",
    ])
    func `what is not JSON is told in one line, without the decoder's wrapping`(json: String) throws {
        let problem = try #require(PayloadReading(of: Array(json.utf8)).problem)
        #expect(problem.hasPrefix("it is not JSON: "))
        #expect(!problem.contains("DecodingError"))
        #expect(!problem.contains("NSCocoaError"))
        #expect(!problem.contains("\n"))
        #expect(problem.count < 150, "\(problem)")
    }

    /// JSON on a wire is UTF-8 (RFC 8259 section 8.1), although the decoder here reads more than that.
    @Test(arguments: [
        utf16("{\"aps\":{}}", bigEndian: false),
        [0xFF, 0xFE] + utf16("{}", bigEndian: false),
        utf16("{}", bigEndian: true),
        [0xFE, 0xFF] + utf16("{}", bigEndian: true),
        [0x7B, 0, 0, 0, 0x7D, 0, 0, 0],
        [0x7B, 0x22, 0x61, 0x22, 0x3A, 0x22, 0xFF, 0x22, 0x7D],
        [0x7B, 0x22, 0xC3, 0x22, 0x3A, 0x31, 0x7D],
    ])
    func `another encoding than UTF-8 is refused`(bytes: [UInt8]) throws {
        let problem = try #require(PayloadReading(of: bytes).problem)
        #expect(problem.hasPrefix("it is not JSON"), "\(problem)")
    }

    @Test func `deep nesting is refused and does no harm`() {
        let deep = String(repeating: #"{"a":"#, count: 100_000)
        #expect(PayloadReading(of: Array(deep.utf8)).problem != nil)
    }

    @Test func `a number that is not finite is refused, wherever it hides`() {
        let value: JSONValue = ["aps": ["alert": "Hi"], "deep": [["x": .number(.infinity)]]]
        #expect(PayloadReading(of: value).problem == "a number in it is not finite and has no form in JSON")
        #expect(PayloadReading(of: ["aps": [:], "nan": .number(.nan)]).problem != nil)
        #expect(PayloadReading(of: ["aps": [:], "big": .number(1e308)]).problem == nil)
    }

    @Test(arguments: [
        (#"{"aps":{"alert":{}}}"#, true), (#"{"aps":{"badge":1}}"#, true), (#"{"aps":{"sound":{}}}"#, true),
        (#"{"aps":{"category":"C","mutable-content":1}}"#, false), (#"{"alert":"Hi"}"#, false),
    ])
    func `an alert, a badge and a sound are what people notice`(json: String, isVisible: Bool) {
        #expect(PayloadReading(of: Array(json.utf8)).isVisible == isVisible)
    }

    private static func utf16(_ text: String, bigEndian: Bool) -> [UInt8] {
        text.utf16.flatMap { unit in
            let bytes = [UInt8(truncatingIfNeeded: unit), UInt8(unit >> 8)]
            return bigEndian ? bytes.reversed() : bytes
        }
    }
}
