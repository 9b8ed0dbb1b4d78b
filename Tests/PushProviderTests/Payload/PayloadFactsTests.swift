import Testing

@testable import PushJSON
@testable import PushLint
@testable import PushProvider

@Suite struct PayloadFactsTests {
    @Test(arguments: [
        "{}", #"{"aps":{}}"#, #"{"aps":{"alert":"é 👋 \u0041"}}"#, " \n{\"aps\":{}}\r\n", #"{"mdm":"x"}"#,
    ])
    func `an object can be a payload`(json: String) {
        #expect(PayloadFacts(of: Array(json.utf8)).problem == nil)
    }

    @Test(
        arguments: [
            ("", .notJSON), ("[]", .notAnObject), ("\"text\"", .notAnObject), ("42", .notAnObject),
            ("null", .notAnObject),
            (#"{"aps":"Hi"}"#, .apsIsNoObject), (#"{"aps":null}"#, .apsIsNoObject),
        ] as [(String, PayloadFacts.Mistake)])
    func `what cannot be one is known at once`(json: String, problem: PayloadFacts.Mistake) {
        #expect(PayloadFacts(of: Array(json.utf8)).problem == problem)
    }

    @Test(arguments: [
        " ", "{", #"{"aps":{"alert":"Hi"}"#, #"{"aps":{"alert":"Hi",}}"#, #"{'aps':{}}"#, #"{"aps":{}} x"#,
        "Hello", "<html>", #"{"aps":{"alert":"Hi}}"#, "{\"a\":\"\u{1}\"}", #"{"a":01}"#, #"{"a":NaN}"#, #"{"a":1e999}"#,
        #"{"a":"\ud800"}"#, #"// no comment"# + "\n{}", "\u{FEFF}{}",
    ])
    func `what is not JSON has findings, each on one line`(json: String) {
        #expect(PayloadFacts(of: Array(json.utf8)).problem == .notJSON)
        let findings = PushPayload(json: json).findings()
        #expect(!findings.isEmpty)
        for finding in findings {
            #expect(finding.severity == .error)
            #expect(!finding.description.contains("\n"))
            #expect(finding.description.count < 250, "\(finding)")
        }
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
    func `another encoding than UTF-8 is refused`(bytes: [UInt8]) {
        #expect(PayloadFacts(of: bytes).problem == .notJSON)
    }

    @Test func `deep nesting is refused and does no harm`() {
        let deep = String(repeating: #"{"a":"#, count: 100_000)
        #expect(PayloadFacts(of: Array(deep.utf8)).problem == .notJSON)
    }

    @Test func `a number that is not finite is refused, wherever it hides`() throws {
        let value: PushJSONValue = ["aps": ["alert": "Hi"], "deep": [["x": .number(.infinity)]]]
        #expect(PushPayload(value).reading.problem == .notFinite)
        #expect(PushPayload(["aps": [:], "nan": .number(.nan)]).reading.problem == .notFinite)
        #expect(PushPayload(["aps": [:], "big": .number(1e308)]).reading.problem == nil)
    }

    @Test(arguments: [
        (#"{"aps":{"alert":{}}}"#, true), (#"{"aps":{"badge":1}}"#, true), (#"{"aps":{"sound":{}}}"#, true),
        (#"{"aps":{"category":"C","mutable-content":1}}"#, false), (#"{"alert":"Hi"}"#, false),
        (#"{"aps":{"alert":null,"badge":null,"sound":null}}"#, false),
    ])
    func `an alert, a badge and a sound are what people notice`(json: String, isVisible: Bool) {
        #expect(PayloadFacts(of: Array(json.utf8)).isVisible == isVisible)
    }

    private static func utf16(_ text: String, bigEndian: Bool) -> [UInt8] {
        text.utf16.flatMap { unit in
            let bytes = [UInt8(truncatingIfNeeded: unit), UInt8(unit >> 8)]
            return bigEndian ? bytes.reversed() : bytes
        }
    }
}
