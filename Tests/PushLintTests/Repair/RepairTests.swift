import TestSupport
import Testing

@testable import PushJSON
@testable import PushLint
@testable import PushProvider

@Suite struct RepairTests {
    private func repaired(_ json: String) -> String {
        String(decoding: PayloadLint.repaired(Array(json.utf8)).json, as: UTF8.self)
    }

    @Test(arguments: [
        ("{\"a\":1,}", "{\"a\":1}"), ("{,\"a\":1,,\"b\":2,,}", "{\"a\":1,\"b\":2}"), ("[1,2,]", "[1,2]"),
        ("// x\n{} # y", "\n{} "), ("{/* x */}", "{}"),
        (#"{'a':'it\'s "so"'}"#, #"{"a":"it's \"so\""}"#), ("{“a”:‘b’}", #"{"a":"b"}"#), (#"{“a":1}"#, #"{"a":1}"#),
        ("{aps:{}}", #"{"aps":{}}"#), (#"{aps":{}}"#, #"{"aps":{}}"#), (#"{"a":b"}"#, #"{"a":"b"}"#),
        (#"{"a":1 "b":2}"#, #"{"a":1, "b":2}"#), ("[[1] {}]", "[[1], {}]"), (#"{"a":1;"b":2}"#, #"{"a":1,"b":2}"#),
        (#"{"a" 1}"#, #"{"a": 1}"#), (#"{"a"=>1,"b"=2}"#, #"{"a":1,"b":2}"#),
        ("[True,FALSE,None,nil,NULL]", "[true,false,null,null,null]"),
        ("[+1,.5,-.5,5.,0x1F,1_000]", "[1,0.5,-0.5,5,31,1000]"),
        ("[-0x1f,+.5e3,1_0.2_5,5.e2,-0.0_1]", "[-31,0.5e3,10.25,5e2,-0.01]"),
        (#"{"aps":{"alert":"Hi"}"# + "\n", #"{"aps":{"alert":"Hi"}}"# + "\n"),
        (#"{"aps":{"alert":"Hi""#, #"{"aps":{"alert":"Hi"}}"#),
        ("{}}", "{}"), ("{};", "{}"), ("{},\n", "{}\n"),
        (#""aps": {"alert":"Hi"}"#, #"{"aps": {"alert":"Hi"}}"#),
        ("  \"aps\": {\"alert\":\"Hi\"},\n  \"order\": 1,\n", "  {\"aps\": {\"alert\":\"Hi\"},\n  \"order\": 1}\n"),
        (#""aps":{"alert":"Hi"}}"#, #"{"aps":{"alert":"Hi"}}"#),
        (#""order":1,"aps":{"alert":'Hi'}"#, #"{"order":1,"aps":{"alert":"Hi"}}"#),
        ("{\"a\":\"one\ntwo\tthree\"}", #"{"a":"one\ntwo\tthree"}"#), (#"{"a":"it\'s"}"#, #"{"a":"it's"}"#),
        ("\u{FEFF}{\u{A0}\"a\":\u{200B}1}", "{ \"a\":1}"),
        (#""{\"a\":1}""#, #"{"a":1}"#), (#"'{"a":1}'"#, #"{"a":1}"#), (#"{\"a\":\"b\"}"#, #"{"a":"b"}"#),
        (#"{"aps":{"content_available":"1","badge":"3"}}"#, #"{"aps":{"content-available":1,"badge":3}}"#),
        (#"{"Aps":{"alert":"x"}}"#, #"{"aps":{"alert":"x"}}"#),
        (
            #"{"aps":{"alert":"x","interruption-level":"timeSensitive"}}"#,
            #"{"aps":{"alert":"x","interruption-level":"time-sensitive"}}"#
        ),
        (#"{"a":1,"a":1}"#, #"{"a":1}"#),
    ])
    func `what is certain is mended in its place`(broken: String, mended: String) {
        #expect(repaired(broken) == mended)
    }

    @Test(arguments: [
        "", "{", "[1,,2]", #"{"a":}"#, #"{"a"}"#, #"{"a":NaN}"#, #"{"a":undefined}"#, #"{"a":007}"#, #"{"a":0x+5}"#,
        #"{"a":+-5}"#, #"{"a":0x-5}"#, #"{"a":--5}"#, #"{"a":+}"#, #"{"a":1.5.}"#, #"{"a":1e5.}"#,
        #"{"a":1__0}"#, #"{"a":5_}"#, #"{"a":1_e5}"#, #"{"a":0_7}"#, #"{"a":0x20000000000001}"#, #"{"a":0x}"#,
        #"{"a":+.}"#,
        #"{"a":.e5}"#, #"{"a":1e}"#, #"{"a":Hello}"#,
        #"{"a":"He said "hi""}"#, "{\"a\":\"Hi\n}", #"{"a":[1}"#, "{}{}", "Hello", #"{"a":"\x41"}"#, #"{"a":"\ud800"}"#,
        #"{"aps":{"alert":"Hi"},"a":{"b":1,"c":2}"#, #"{"a":1,"a":2}"#, #"{"aps":{"alrt":"x"}}"#, "<a>", "/* x",
        #""aps": Hello"#, #""aps""#, #""aps":"#, #""aps" {"alert":"Hi"}"#,
        #"{"aps":{"badge":-1}}"#, #"{"aps":{"badge":"many"}}"#, #"{"aps":{"badge":1,"Badge":2}}"#,
    ])
    func `what could mean something else stays as it is`(text: String) {
        let repair = PayloadLint.repaired(Array(text.utf8))
        #expect(String(decoding: repair.json, as: UTF8.self) == text)
        #expect(repair.mended.isEmpty)
        #expect(!repair.left.isEmpty)
    }

    @Test func `UTF-16 becomes UTF-8, in both orders, with and without a mark`() {
        let text = "{\"a\":\"é👋\"}"
        for isBigEndian in [false, true] {
            for mark: [UInt16] in [[], [0xFEFF]] {
                let bytes = (mark + Array(text.utf16)).flatMap { unit in
                    let pair = [UInt8(truncatingIfNeeded: unit), UInt8(unit >> 8)]
                    return isBigEndian ? pair.reversed() : pair
                }
                #expect(PayloadLint.repaired(bytes).json == Array(text.utf8))
            }
        }
    }

    @Test func `what is mended was not damaged`() {
        let repair = PayloadLint.repaired(Array("{'aps':{'alert':'x',},} // so".utf8))
        #expect(repair.left.isEmpty)
        #expect(
            repair.mended.map(\.rule).sorted() == [
                "comment", "extra-comma", "extra-comma", "single-quotes", "single-quotes", "single-quotes",
            ])
    }

    @Test func `the remaining findings are about the repaired text, also its size`() {
        let text = RuleFixture.payload(bytes: 4096).dropLast() + ",}"
        #expect(PayloadLint.repaired(Array(text.utf8)).left == [])
        var context = RuleFixture.alert
        context.payloadByteCount = 4097
        #expect(PayloadLint.repaired(Array(text.utf8), context).left == [])
        context.payloadByteCount = 4098
        #expect(PayloadLint.repaired(Array(text.utf8), context).left.map(\.rule) == ["payload-too-large"])
    }

    /// Damage at random: places lie in the text, what has no mistake left is JSON, and mending again changes nothing.
    @Test func `for every text, positions are inside it and the repair ends`() throws {
        var generator = SeededGenerator(seed: 8)
        let text = Array(
            #"{"aps":{"alert":{"title":"T","body":"B\n"},"badge":1,"sound":"a.caf"},"x":[1,true,null,{"y":"é"}]}"#.utf8)
        let letters = Array(#"{}[]",:'\/#;=01x+-. tTN“"#.utf8) + [0x0A, 0x00, 0xC3, 0xFF, 0xE2, 0x80, 0x9C]
        var (mended, whole) = (0, 0)
        for _ in 0..<2_000 {
            var bytes = text
            for _ in 0...Int.random(in: 0..<4, using: &generator) {
                guard !bytes.isEmpty else { continue }
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes.remove(at: index)
                case 1: bytes.insert(letters.randomElement(using: &generator) ?? 0, at: index)
                case 2: bytes.removeSubrange(index...)
                default: bytes[index] = letters.randomElement(using: &generator) ?? 0
                }
            }
            try Self.check(bytes, &mended, &whole)
        }
        #expect(mended > 100)
        #expect(whole > 100)
    }

    private static func check(_ bytes: [UInt8], _ mended: inout Int, _ whole: inout Int) throws {
        let findings = PayloadLint.findings(in: bytes)
        let isJSON = (try? JSONReader.tree(bytes)) != nil
        let isText = { (finding: PushFinding) in JSONMistake.Kind(rawValue: finding.rule) != nil }
        #expect(isJSON || findings.contains(where: isText), "\(String(decoding: bytes, as: UTF8.self))")
        for finding in findings {
            guard let location = finding.location else { continue }
            #expect(location.bytes.lowerBound >= 0 && location.bytes.upperBound <= bytes.count)
            #expect(finding.edits.allSatisfy { $0.range.lowerBound >= 0 && $0.range.upperBound <= bytes.count })
        }
        let repair = PayloadLint.repaired(bytes)
        if !repair.mended.isEmpty { mended += 1 }
        #expect(PayloadLint.repaired(repair.json).json == repair.json)
        guard !repair.left.contains(where: isText) else { return }
        whole += 1
        _ = try JSONReader.tree(repair.json)
    }
}
