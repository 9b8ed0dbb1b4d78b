import Testing

@testable import PushJSON
@testable import PushLint
@testable import PushProvider

/// What `--fix` writes is certain, and nothing in a payload ends the process or takes for ever.
@Suite struct CertainRepairTests {
    private static func repaired(_ json: String) -> String {
        String(decoding: PayloadLint.repaired(Array(json.utf8)).json, as: UTF8.self)
    }

    @Test(arguments: [
        (#"{"aps":{"alert":"x"},"a":[{}/**/[]]}"#, #"{"aps":{"alert":"x"},"a":[{}, []]}"#),
        (#"{"aps":{"alert":"x"},"a":[true/**/,"y"]}"#, #"{"aps":{"alert":"x"},"a":[true,"y"]}"#),
        (#"{"aps":{"alert":"x"/*why*/}}"#, #"{"aps":{"alert":"x"}}"#),
    ])
    func `what stood around a comment stays apart`(json: String, mended: String) throws {
        let result = Self.repaired(json)
        #expect(PushJSONValue(json: Array(result.utf8)) == PushJSONValue(json: Array(mended.utf8)), "\(result)")
    }

    @Test(arguments: [
        #"{"aps":{"alert":"x","badge":1,"badge":2,"badge":1}}"#,
        #"{"aps":{"alert":"x","contentAvailable":1,"content_available":0}}"#,
        #"{\"aps\":{\"alert\":\"a\\\\nb\"}}"#,
        // Each may be one value: a date, a number with spaces, a text that goes on.
        #"{"aps":{"alert":"x"},"dates":[2026-11-22]}"#,
        #"{"aps":{"alert":"x"},"range":[1e5-3]}"#,
        #"{"aps":{"alert":"x"},"price":[12 345]}"#,
        #"{"aps":{"alert":"x"},"size":[5"screen"]}"#,
        #"{"aps":{"alert":"x"},"a":[1/**/2]}"#,
        "{\"aps\":{\"alert\":{\"loc-key\":\"%@\",\"loc-args\":[\"a\"\n\"b\"]}}}",
        #"{"aps":{"alert":"x"},"names":{"Ann" "Bob"}}"#,
        #"{"a":"Ends "now: 5,"aps":{"alert":"x"}}"#,
        #"{"aps":{"alert":"x"},"amount":19"#,
        #"{"aps":{"alert":"x"},"k":[1"#,
        #"{"aps":{"alert":"x"},"phone":+491511234567}"#,
        #"{"Aps":{"alert":"x"},"APS":{"alert":"y"}}"#,
        // The same letter to the eye, and two keys to JSON.
        "{\"aps\":{\"alert\":\"x\"},\"caf\u{e9}\":1,\"cafe\u{301}\":1}",
        #"{"aps":{"alert":"x"},"caf\u00e9":1,"cafe\u0301":1}"#,
        "{\"aps\":{\"alert\":\"x\"}," + (0...16).map { "\"k\($0)\":0," }.joined()
            + "\"caf\u{e9}\":1,\"cafe\u{301}\":1}",
    ])
    func `what can be meant in two ways is left`(json: String) {
        #expect(Self.repaired(json) == json)
    }

    @Test(arguments: ["1e30", "1e300", "-1e300", "123456789012345678901234567890"])
    func `no number is too large to be judged`(number: String) {
        for key in ["timestamp", "stale-date", "dismissal-date", "badge", "relevance-score"] {
            let json = #"{"aps":{"event":"update","content-state":{},"\#(key)":\#(number)}}"#
            #expect(PayloadLint.findings(in: Array(json.utf8)).contains { $0.location != nil })
        }
    }

    @Test func `the report of a payload with very many members names the largest`() {
        let members = (0..<5_000).map { "\"\($0)\":1" }.joined(separator: ",")
        let json = "{\"aps\":{\"alert\":\"\(String(repeating: "x", count: 5000))\"},\(members)}"
        let findings = PayloadLint.findings(in: Array(json.utf8))
        #expect(
            findings.contains { $0.rule == "payload-too-large" && $0.description.contains("aps.alert 5010") },
            "\(findings)"
        )
    }

    @Test func `background that does not wake the app is an error`() {
        let findings = PushPayload(json: #"{"aps":{"content-available":0}}"#).findings(
            LintContext(pushType: .background))
        #expect(findings.contains { $0.severity == .error })
    }

    @Test(arguments: [PushType.voip, .location, .complication]) func `what needs no aps may be called anything`(
        type: PushType
    ) {
        for json in [#"{"app":{"sound":"ring.caf"}}"#, #"{"maps":{"badge":1}}"#, #"{"message":{"aps":{"alert":"x"}}}"#]
        {
            #expect(PushPayload(json: json).findings(LintContext(pushType: type)) == [])
        }
    }
}
