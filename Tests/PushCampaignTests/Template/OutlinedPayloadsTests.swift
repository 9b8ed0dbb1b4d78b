import TestSupport
import Testing

@testable import PushCampaign
@testable import PushProvider

/// Payloads that are read once for many.
struct OutlinedPayloadsTests {
    private static func outline(_ json: String) -> String? {
        let bytes = Array(json.utf8)
        var memory = [UInt8](repeating: 0, count: PayloadOutline.room)
        let length = bytes.withUnsafeBufferPointer { json in
            memory.withUnsafeMutableBufferPointer { PayloadOutline.write(json, to: $0) }
        }
        return length.map { String(decoding: memory[..<$0], as: UTF8.self) }
    }

    @Test func `what no rule looks at is not in the outline`() {
        let json = #"""
            {"aps":{"alert":{"title":"A","body":"B","loc-args":["x","y"]},"badge":7,"sound":"a.caf","thread-id":"t"},
            "id":42,"tags":["a","b"],"items":[{"id":1},{"id":2},{"no":true}],"own":{"a":null}}
            """#
        let outline = #"{"aps"{"alert"{"title"T"body"T"loc-args"[ss]}"badge"N"sound"v"a.caf""thread-id"s}"#
        #expect(Self.outline(json) == outline + #""id"n"tags"[s]"items"[{"id"n}{"no"b}]"own"{"a"z}}"#)
    }

    @Test(arguments: [
        #"{"aps":{"alert":""}}"#, #"{"aps":{"alert":{"body":""}}}"#, #"{"aps":{"badge":-1}}"#,
        #"{"aps":{"badge":1.5}}"#, #"{"aps":{"badge":1e2}}"#, #"{"aps":{"badge":"1"}}"#, #"{"aps":{"sound":"ping"}}"#,
        #"{"aps":{"relevance-score":1.5}}"#, #"{"aps":{"relevance-score":0.5e1}}"#, #"{"aps":{"thread-id":1}}"#,
        #"{"aps":{"timestamp":1700000000000}}"#, #"{"aps":{"interruption-level":"Critical"}}"#, #"{"mdm":7}"#,
        #"{"aps":{"badge":1},"attachment-url":"https://a.b/c"}"#, #"{"aps":{"badge":1},"my-Attachment":"a"}"#,
    ])
    func `a value that may break a rule stays in the outline`(json: String) {
        // The value is the last thing but for brackets and quotation marks.
        let value = json.drop { $0 != ":" }.split(separator: ":", maxSplits: 9).last?.prefix { $0 != "}" } ?? ""
        #expect(Self.outline(json)?.contains("v") == true)
        #expect(Self.outline(json)?.contains(value) == true)
    }

    /// A rule compares them with each other and with the clock.
    @Test(arguments: ["timestamp", "stale-date", "dismissal-date"])
    func `the times of a Live Activity are in the outline`(key: String) {
        #expect(Self.outline(#"{"aps":{"\#(key)":1700000000}}"#)?.contains("1700000000") == true)
    }

    @Test(arguments: [
        "[]", "{", "{}}", #"{"a":1e5}"#, #"{"a":1E5}"#, #"{"a":\#(String(repeating: "1", count: 301))}"#,
        #"{"\u0061ps":{}}"#, #"{"a":"#, #"{"a":"b"#, #"{"a":"b\"#, "{\"a\":\(String(repeating: "[", count: 200))",
        #"{"a":"\#(String(repeating: "x", count: 4089))"}"#,
    ])
    func `what is not an ordinary payload has no outline`(json: String) {
        #expect(Self.outline(json) == nil)
    }

    @Test func `payloads of one outline are read once, and keep their own bytes`() {
        var outlined = OutlinedPayloads()
        func payload(_ json: String) -> PushPayload { outlined.payload(Array(json.utf8), reading: nil) }
        let (first, second) = (payload(#"{"aps":{"alert":"A"},"id":1}"#), payload(#"{"aps":{"alert":"B"},"id":22}"#))
        #expect(first.shape != nil && first.shape === second.shape)
        #expect(second.bytes == Array(#"{"aps":{"alert":"B"},"id":22}"#.utf8))
        #expect(second.reading == PushPayload(json: second.bytes).reading)
        let silent = payload(#"{"aps":{"content-available":1},"id":1}"#)
        #expect(silent.shape !== first.shape)
        #expect(silent.reading.plainPushType == .background)
        #expect(payload(#"{"aps":[]}"#).reading.problem == .apsIsNoObject)
        #expect(payload(#"{"aps":[]}"#).shape == nil)
        #expect(outlined.count == 2)
    }

    @Test func `the number of outlines is bounded`() {
        var outlined = OutlinedPayloads()
        var maximum = 0
        for number in 0..<3 * OutlinedPayloads.maximum {
            let payload = outlined.payload(Array(#"{"aps":{"alert":"A"},"key\#(number)":1}"#.utf8), reading: nil)
            #expect(payload.shape != nil)
            maximum = max(maximum, outlined.count)
        }
        #expect(maximum == OutlinedPayloads.maximum)
    }

    @Test func `a shape that was clean for one push type is examined for another`() throws {
        var reader = RowReader(BatchDefaults(topic: "com.example.app"))
        var lint = BatchLint(nil, BatchFindings())
        func rules(_ number: Int, _ fields: String = "") -> [String] {
            let line = #"{"token":"00","payload":{"aps":{"alert":"Text \#(number)"}}\#(fields)}"#
            let notification = reader.notification(Array(line.utf8), index: number, line: number + 1, file: 0)
            return lint.findings(in: notification).map(\.rule)
        }
        #expect(rules(0) == [])
        #expect(rules(1) == [])
        #expect(rules(2, #","push_type":"background","priority":5"#).contains("background-visible"))
        #expect(rules(3) == [])
        #expect(rules(4, #","collapse_id":"\#(String(repeating: "x", count: 65))""#) == ["collapse-id-length"])
        #expect(rules(5, #","collapse_id":"order-5""#) == [])
    }

    @Test func `a payload of a clean shape that is too large is refused`() throws {
        var reader = RowReader(BatchDefaults(topic: "com.example.app"))
        var lint = BatchLint(nil, BatchFindings())
        for (length, isLarge) in [(10, false), (4096, false), (4097, true), (4096, false), (5121, true)] {
            let payload = RuleFixture.payload(bytes: max(length, 20))
            let line = #"{"token":"00","payload":\#(payload)}"#
            let notification = reader.notification(Array(line.utf8), index: 0, line: 1, file: 0)
            #expect((lint.findings(in: notification).refusal != nil) == isLarge, "\(length)")
        }
    }
}
