import Testing

@testable import pushsend

@Suite struct PrintableLinesTests {
    private static func text(_ write: (inout PrintableLines) -> Void) -> String {
        var lines = PrintableLines()
        write(&lines)
        return String(decoding: lines.bytes, as: UTF8.self)
    }

    @Test func `each hidden character is replaced, everything else stays`() {
        #expect(
            Self.text { $0.write("plain ~ é\u{85}é 日本\u{1B}語👍\n\u{202E}") }
                == "plain ~ é\u{FFFD}é 日本\u{FFFD}語👍\u{FFFD}\u{FFFD}")
    }

    @Test func `the start of a long body has a fixed number of characters, of any width`() {
        func start(_ body: String) -> String { Self.text { $0.write(startOf: Array(body.utf8), characters: 4) } }
        #expect(start("abcdef") == "abcd")
        #expect(start("abcd") == "abcd")
        #expect(start("ab") == "ab")
        #expect(start("") == "")
        // An accent that follows belongs to the last one.
        #expect(start("abcd\u{301}ef") == "abcd\u{301}")
        #expect(start("日本語👍🏽字") == "日本語👍🏽")
        // CR and LF are one character, and two bytes that must not reach a terminal.
        #expect(start("a\r\nbcd") == "a  bc")
    }

    @Test func `a body that is no text is mended`() {
        #expect(Self.text { $0.write(startOf: [0x61, 0xFF, 0x62], characters: 80) } == "a\u{FFFD}b")
    }

    @Test func `the time of day has two digits each, in UTC`() {
        #expect(Self.text { $0.write(timeOfDay: 1_700_000_000.9) } == "22:13:20Z")
        #expect(Self.text { $0.write(timeOfDay: 86_400 + 3 * 3600 + 4 * 60 + 5) } == "03:04:05Z")
    }

    @Test func `JSON stays as it is`() {
        #expect(Self.text { $0.write(asItIs: Array("\u{85}".utf8)) } == "\u{85}")
    }
}

@Suite struct InspectedTimeTests {
    @Test func `a time is written in UTC`() {
        #expect(InspectedTime.text(1_795_262_400) == "2026-11-21 12:00:00 UTC")
        #expect(InspectedTime.text(1_795_262_400_000) == "1795262400000 s since 1970")
        #expect(InspectedTime.day(1_795_262_400) == "2026-11-21")
    }
}
