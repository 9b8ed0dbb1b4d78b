import Testing

@testable import pushsend

@Suite struct TerminalLinesTests {
    @Test func `a text is broken at its spaces, its later lines indented like the first`() {
        #expect(TerminalLines.wrapped("aaa bb c dddd", first: "- ", width: 8) == ["- aaa bb", "  c dddd"])
    }

    @Test func `a word that is wider than a line has a line of its own`() {
        #expect(TerminalLines.wrapped("a bbbbbbbbbb c", width: 5) == ["a", "bbbbbbbbbb", "c"])
        #expect(TerminalLines.wrapped("bbbbbbbbbb", first: "- ", width: 5) == ["- bbbbbbbbbb"])
    }

    @Test func `a line may be as wide as the width, and no wider`() {
        #expect(TerminalLines.wrapped("aaaa bbbb", width: 9) == ["aaaa bbbb"])
        #expect(TerminalLines.wrapped("aaaa bbbb", width: 8) == ["aaaa", "bbbb"])
    }

    @Test func `without words there is still a line`() {
        #expect(TerminalLines.wrapped("  ", first: "x") == ["x"])
    }
}
