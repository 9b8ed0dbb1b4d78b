internal import Foundation
internal import FuzzSupport

@testable internal import PushJSON
@testable internal import PushLint
@testable internal import PushProvider

/// How the lint reads and repairs payloads that people wrote: positions, messages, and the repaired text.
enum LintFuzzing {
    static func run(_ bytes: [UInt8]) {
        let isJSON = (try? JSONReader.tree(bytes)) != nil && !bytes.starts(with: WholeText.mark)
        let context = LintContext(
            topic: "com.example.app", pushType: bytes.last.map { PushType.known[Int($0) % PushType.known.count] },
            now: Date(timeIntervalSince1970: 1_800_000_000))
        for context in [LintContext(), context] {
            let findings = PayloadLint.findings(in: bytes, context)
            check(findings, bytes)
            claim(isJSON || findings.contains(where: isAboutText), "a text that is not JSON has no finding about it")
            claim(!isJSON || !findings.contains(where: isAboutTextOnly), "a finding says that JSON is not JSON")
            mend(bytes, context)
        }
        _ = PayloadFacts(of: bytes)
    }

    private static func check(_ findings: [PushFinding], _ bytes: [UInt8]) {
        for finding in findings {
            claimPrintable(finding.description, "a finding")
            claimPrintable(finding.subject, "the subject of a finding")
            claim(finding.description.unicodeScalars.count < 600, "the text of a finding is too long")
            claim(LintRule.byID[finding.rule] != nil, "a finding names no rule")
            let ranges = finding.edits.map(\.range) + [finding.location?.bytes].compactMap { $0 }
            for range in ranges {
                claim(range.lowerBound >= 0 && range.upperBound <= bytes.count, "a position is outside the text")
            }
        }
    }

    /// A text with a certain repair is JSON, and a second repair changes nothing.
    private static func mend(_ bytes: [UInt8], _ context: LintContext) {
        let repair = PayloadLint.repaired(bytes, context)
        claim(!repair.mended.isEmpty || repair.json == bytes, "nothing was repaired, but the text has changed")
        if !repair.left.contains(where: isAboutText), !bytes.isEmpty {
            claim((try? JSONReader.tree(repair.json)) != nil, "the repaired text is not JSON")
        }
        let again = PayloadLint.repaired(repair.json, context)
        claim(again.mended.isEmpty && again.json == repair.json, "a second repair changes the text")
    }

    private static func isAboutText(_ finding: PushFinding) -> Bool {
        JSONMistake.Kind(rawValue: finding.rule) != nil || finding.rule == "payload-too-large"
    }

    /// A payload in quotation marks is also JSON.
    private static func isAboutTextOnly(_ finding: PushFinding) -> Bool {
        guard let kind = JSONMistake.Kind(rawValue: finding.rule) else { return false }
        return kind != .quotedPayload
    }

    static func seeds() -> [String: [UInt8]] {
        let texts = [
            #"{"aps":{"alert":{"title":"T","body":"B"},"badge":1,"sound":"a.caf"},"a":[1,null,{"b":"é"}]}"#,
            "{aps: {'alert': 'it\\'s', badge: +1, x: True, y: .5,},} // so", "{“aps”: “x”}", "{\"a\":\"one\ntwo\"}",
            #""{\"aps\":{\"alert\":\"Hi\"}}""#, #"'{"aps":{}}'"#, #"{\"aps\":{}}"#, #"{"aps":{"alert":"Hi"}"#,
            #"{"aps":{"timestamp":1800000000000,"event":"Update","content-state":{}}}"#,
            #"{"aps":{"contentAvailable":"1","threadId":"t","badge":"3","badge":"3"}}"#, "{\u{A0}\"a\"=>1;\"b\" 2}",
            "[1,,2]", "{\"a\":[1}", "{} {}", "/* x", "<html>", "\u{FEFF}{}",
        ]
        var seeds: [String: [UInt8]] = [:]
        for (index, text) in texts.enumerated() { seeds["text-\(index)"] = Array(text.utf8) }
        seeds["utf-16"] = "{\"a\":1}".utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        return seeds
    }
}

// libFuzzer calls both functions by these names.

@_cdecl("LLVMFuzzerInitialize")
func initialize(_: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?) -> Int32 {
    Seeds.writeIfAsked(LintFuzzing.seeds)
    return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    LintFuzzing.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
