import PushProvider
import Testing

@testable import PushLint
@testable import pushsend

@Suite struct SourceExcerptTests {
    /// The line and the mark of the last finding.
    private func excerpt(_ text: String) throws -> [String] {
        let bytes = Array(text.utf8)
        let finding = try #require(PayloadLint.findings(in: bytes).last { $0.location != nil })
        let excerpt = SourceExcerpt(of: try #require(finding.location), in: bytes)
        return [excerpt.line, excerpt.mark]
    }

    @Test func `the mark is under the position`() throws {
        #expect(
            try excerpt("{\n  \"aps\": {\"badge\": -12}\n}") == [
                #"  "aps": {"badge": -12}"#,
                #"                   ^~~"#,
            ])
    }

    @Test func `tabs, wide and combining characters do not shift it`() throws {
        #expect(
            try excerpt("\t{\"你好\":\"👋\",\"e\u{301}\":1,\"aps\":{\"badge\":-1}}") == [
                "    {\"你好\":\"👋\",\"e\u{301}\":1,\"aps\":{\"badge\":-1}}",
                String(repeating: " ", count: 4 + 7 + 1 + 4 + 1 + 6 + 15) + "^~",
            ])
    }

    @Test func `what does not show is shown`() throws {
        #expect(try excerpt("{\"a\":\"x\u{1}\"}") == ["{\"a\":\"x␁\"}", "       ^"])
        let lines = try excerpt("{\"a\":\"\u{202E}\u{1B}[0m\",}")
        #expect(lines[0] == "{\"a\":\"\u{FFFD}␛[0m\",}")
    }

    @Test func `what is missing at the end is marked behind the end`() throws {
        #expect(try excerpt(#"{"aps":{"#) == [#"{"aps":{"#, "        ^"])
        #expect(try excerpt("{\"aps\":{}\n") == ["{\"aps\":{}", "         ^"])
    }

    @Test(arguments: [0, 50, 3000])
    func `a long line is cut around the place`(padding: Int) throws {
        let text =
            "{\"a\":\"\(String(repeating: "x", count: padding))\",\"aps\":{\"badge\":-1},\"b\":\"\(String(repeating: "y", count: 3000))\"}"
        let lines = try excerpt(text)
        #expect(lines[0].count <= 102)
        #expect(lines[0].hasSuffix("…"))
        #expect(lines[0].hasPrefix("…") == (padding > 40))
        let column = try #require(lines[1].firstIndex(of: "^"))
        #expect(lines[0][lines[1].distance(from: lines[1].startIndex, to: column)...].hasPrefix("-1"))
    }

    @Test func `bytes that are no character are marked too`() throws {
        let bytes = Array("{\"a\":\"".utf8) + [0xE9, 0x22, 0x7D]
        let finding = try #require(PayloadLint.findings(in: bytes).first)
        let excerpt = SourceExcerpt(of: try #require(finding.location), in: bytes)
        #expect([excerpt.line, excerpt.mark] == ["{\"a\":\"\u{FFFD}\"}", "      ^"])
    }
}

extension String {
    fileprivate subscript(offset: PartialRangeFrom<Int>) -> Substring { dropFirst(offset.lowerBound) }
}
