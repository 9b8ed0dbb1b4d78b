import Testing

@testable import APNSVocabulary

@Suite struct PeerTextTests {
    @Test func `what Unicode calls a control, a format character or a separator does not stay`() {
        // Visible, though Unicode calls them format characters: signs that stand around numbers in Arabic and Kaithi.
        let visible: Set<UInt32> = [
            0x600, 0x601, 0x602, 0x603, 0x604, 0x605, 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD,
        ]
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), !visible.contains(value) else { continue }
            let properties = scalar.properties
            let isHostile =
                switch properties.generalCategory {
                case .control, .lineSeparator, .paragraphSeparator: true
                // Hieroglyphs are arranged by these, which some fonts show.
                case .format: !(0x13430...0x1345F).contains(value)
                default: properties.isDefaultIgnorableCodePoint
                }
            let shown = PeerText.printable("a\(scalar)b")
            #expect(shown.unicodeScalars.contains(scalar) == !isHostile, "U+\(String(value, radix: 16))")
        }
    }

    @Test(arguments: [
        "", "plain ~", "é 日本語", "👍🏽 👨‍👩‍👧 ❤️‍🔥 1️⃣ #️⃣", "می‌خواهم", "क्‍ष", "\u{F8FF}", "\u{A0}\u{3000}", "ᠠ\u{180B}",
    ])
    func `what people write stays`(text: String) {
        #expect(PeerText.printable(text) == text)
        #expect(PeerText.printableLines(text) == text)
        #expect(PeerText.printableJSON(Array(text.utf8)) == Array(text.utf8))
    }

    @Test(arguments: [
        ("a\u{1B}[2Jb", "a\u{FFFD}[2Jb"), ("a\r\nb\t", "a\u{FFFD}\u{FFFD}b\u{FFFD}"),
        ("\u{C2}\u{9B}31m", "\u{C2}\u{FFFD}31m"),
        ("a\u{200D}b", "a\u{FFFD}b"), ("é\u{200D}b", "é\u{FFFD}b"), ("é\u{200D}", "é\u{FFFD}"),
        ("é\u{200D}\u{200D}é", "é\u{FFFD}\u{FFFD}é"), ("a\u{FE0F}", "a\u{FFFD}"),
        ("é\u{FE0F}\u{FE0F}", "é\u{FE0F}\u{FFFD}"),
        ("\u{FE0F}", "\u{FFFD}"), ("1\u{FE0F}\u{20E3}", "1\u{FE0F}\u{20E3}"),
        ("\u{1F3F4}\u{E0067}", "\u{1F3F4}\u{FFFD}"),
    ])
    func `each hidden character is replaced by one that shows`(text: String, shown: String) {
        #expect(Array(PeerText.printable(text).unicodeScalars) == Array(shown.unicodeScalars))
    }

    @Test func `a long text loses its middle`() {
        #expect(PeerText.printable(String(repeating: "x", count: 200)).count == 200)
        let text = "begin" + String(repeating: "x", count: 1000) + "end"
        let shown = PeerText.printable(text)
        #expect(shown.count == 200)
        #expect(shown.hasPrefix("beginx") && shown.hasSuffix("xend") && shown.contains("x…x"))
        #expect(PeerText.printable("a" + String(repeating: "\u{301}", count: 1000)).unicodeScalars.count == 200)
        #expect(PeerText.printable(text, atMost: .max) == text)
    }

    @Test func `lines keep their breaks and tabs, and no other control`() {
        #expect(PeerText.printableLines("a\n\tb\r\nc\u{85}d\u{2028}e") == "a\n\tb\u{FFFD}\nc\u{FFFD}d\u{FFFD}e")
    }

    @Test func `JSON keeps its value`() {
        let json = "{\n\t\"\u{9B}\": \"\u{202E}\u{7F}\u{E0041}é👨‍👩‍👧\"}"
        let safe = #"\u009b": "\u202e\u007f\udb40\udc41é👨‍👩‍👧"}"#
        #expect(String(decoding: PeerText.printableJSON(Array(json.utf8)), as: UTF8.self) == "{\n\t\"" + safe)
        var bytes = Array("\u{9B}\n\u{9B}".utf8)
        PeerText.makePrintable(json: &bytes, from: 3)
        #expect(String(decoding: bytes, as: UTF8.self) == "\u{9B}\n\\u009b")
    }
}
