import PushYAML
import TestSupport
import Testing

@Suite struct YAMLDocumentTests {
    private func read(
        _ text: String, _ limits: YAMLLimits = YAMLLimits(bytes: 1 << 20)
    ) throws(YAMLError) -> YAMLNode? {
        try YAMLDocument.read(Array(text.utf8), limits: limits)
    }

    private func mistake(_ text: String, _ limits: YAMLLimits = YAMLLimits(bytes: 1 << 20)) -> YAMLError? {
        do throws(YAMLError) {
            _ = try read(text, limits)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a text becomes a tree with positions`() throws {
        let root = try #require(try read("a: é\nlist:\n  - 'x'\n  - {b: 1}\n"))
        guard case .mapping(let members) = root.content else { return #expect(Bool(false), "\(root)") }
        #expect(root.position == YAMLPosition(line: 1, column: 1))
        #expect(members.map(\.key.text) == ["a", "list"])
        #expect(members.map(\.keyPosition.line) == [1, 2])
        #expect(members[0].value.content == .scalar(YAMLScalar("é")))
        #expect(members[0].value.position == YAMLPosition(line: 1, column: 4))
        guard case .sequence(let items) = members[1].value.content else { return #expect(Bool(false), "\(root)") }
        #expect(items[0].content == .scalar(YAMLScalar("x", isPlain: false)))
        #expect(items.map(\.position) == [YAMLPosition(line: 3, column: 5), YAMLPosition(line: 4, column: 5)])
    }

    @Test(arguments: ["", "# nothing\n", "\u{FEFF}"])
    func `a text without a value is nil`(text: String) throws {
        #expect(try read(text) == nil)
    }

    @Test(
        arguments: [
            ("---\n", ""), ("\u{FEFF}a", "a"), ("--- a\n...\n", "a"), ("%YAML 1.1\n--- a", "a"), ("\"a\\0b\"", "a\0b"),
            (">-\n a\n b\n", "a b"), ("a # comment", "a"), ("- a\n", nil),
        ] as [(String, String?)])
    func `a scalar has its text`(text: String, expected: String?) throws {
        guard case .scalar(let scalar)? = try read(text)?.content else { return #expect(expected == nil) }
        #expect(scalar.text == expected)
    }

    @Test func `a byte order mark does not move the first line`() throws {
        guard case .mapping(let members)? = try read("\u{FEFF}a: 1\nb: 2\n")?.content else {
            return #expect(Bool(false))
        }
        #expect(members.map(\.key.text) == ["a", "b"])
        #expect(members.map(\.keyPosition) == [YAMLPosition(line: 1, column: 1), YAMLPosition(line: 2, column: 1)])
    }

    @Test func `an alias is replaced by its value`() throws {
        let root = try #require(try read("&k a: &v [x]\nb: *v\nc: *k\n"))
        guard case .mapping(let members) = root.content else { return #expect(Bool(false), "\(root)") }
        #expect(members[0].value == members[1].value)
        #expect(members[2].value.content == .scalar(YAMLScalar("a")))
        guard case .sequence(let items)? = try read("- &a x\n- &a y\n- *a")?.content else {
            return #expect(Bool(false))
        }
        #expect(items[2] == items[1])
    }

    /// A mistake, its line and column, and a part of the parser's words.
    @Test(arguments: [
        ("a: [\n", 2, 1, "did not find"), ("\ta: b", 1, 1, "cannot start any token"),
        ("a: b: c", 1, 5, "mapping values"),
        ("a: *b", 1, 4, "undefined alias"), ("&a [*a]", 1, 5, "undefined alias"), ("a\n--- b", 2, 1, "second document"),
        ("a: \"\\ud800\"", 1, 7, "invalid Unicode"), ("a: 1\nb: é\u{1}", 2, 5, "control characters"),
        ("!x!y a", 1, 1, "undefined tag handle"), ("a: 'b", 1, 6, "end of stream"),
    ])
    func `a mistake in syntax has a position`(text: String, line: Int, column: Int, words: String) throws {
        let error = try #require(mistake(text))
        guard case .syntax(let problem) = error.kind else { return #expect(Bool(false), "\(error)") }
        #expect(problem.contains(words))
        #expect(error.position == YAMLPosition(line: line, column: column), "\(text): \(error)")
    }

    @Test func `a key occurs once, and is a scalar`() {
        let first = YAMLPosition(line: 1, column: 1)
        #expect(mistake("a: 1\n'a': 2")?.kind == .duplicateKey("a", first: first))
        #expect(mistake("a: 1\n'a': 2")?.position == YAMLPosition(line: 2, column: 1))
        #expect(mistake("? [a]\n: b")?.kind == .keyIsNoScalar)
        #expect(mistake("- &x [a]\n- *x : b")?.kind == .keyIsNoScalar)
        #expect(mistake("- {a: 1}\n- {a: 1}") == nil)
    }

    @Test func `a text beyond a limit is refused`() {
        #expect(mistake("abcd", YAMLLimits(bytes: 3))?.kind == .tooLong)
        #expect(mistake("[a, b]", YAMLLimits(bytes: 99, values: 2))?.kind == .tooManyValues)
        #expect(mistake("[a, b]", YAMLLimits(bytes: 99, values: 3)) == nil)
        #expect(mistake("[&a [x], *a, *a]", YAMLLimits(bytes: 99, values: 7)) == nil)
        #expect(mistake("[&a [x], *a, *a]", YAMLLimits(bytes: 99, values: 6))?.kind == .tooManyValues)
        #expect(mistake("[&a x, *a, *a]", YAMLLimits(bytes: 99, aliases: 1))?.kind == .tooManyAliases)
        #expect(mistake("[[[]]]", YAMLLimits(bytes: 99, depth: 2)) == nil)
        #expect(mistake("[[[]]]", YAMLLimits(bytes: 99, depth: 1))?.kind == .tooDeep)
        #expect(mistake("[&a [[]], [*a]]", YAMLLimits(bytes: 99, depth: 3)) == nil)
        #expect(mistake("[&a [[]], [*a]]", YAMLLimits(bytes: 99, depth: 2))?.kind == .tooDeep)
    }

    @Test(arguments: [
        ("abcdefgh", "The file is larger than 7 B, the maximum."),
        ("a\n--- b", "This isn't valid YAML: there is a second document."),
        ("\ta: b", "This isn't valid YAML: a tab or a reserved character; indent with spaces."),
        ("a: b: c", "This isn't valid YAML: a second colon in one line; put the value in quotation marks."),
        ("a: \na: ", "\"a\" occurs twice, also in line 1. Give one of them another name, or remove it."),
        ("? [a]", "A key must be a word, not a list or a group."),
        ("[a, b]", "The file has more than 2 values. A value counts again for each alias (*name)."),
        ("[[[]]]", "The file has more than 1 levels."),
        ("[&a b, *a]", "The file has more than 0 YAML aliases (*name). Write the values instead."),
    ])
    func `a mistake has a sentence for the author of the text`(text: String, message: String) {
        let limits = YAMLLimits(
            bytes: text == "abcdefgh" ? 7 : 99, values: text == "[a, b]" ? 2 : 99, depth: text == "[[[]]]" ? 1 : 99,
            aliases: 0)
        #expect(mistake(text, limits)?.message(about: "file", limits: limits) == message)
    }

    @Test func `sizes are in KiB and MiB`() {
        for (bytes, size) in [(1 << 20, "1 MiB"), (256 << 10, "256 KiB")] {
            let limits = YAMLLimits(bytes: bytes)
            let error = mistake(String(repeating: "a", count: bytes + 1), limits)
            #expect(error?.message(about: "text", limits: limits) == "The text is larger than \(size), the maximum.")
        }
    }

    @Test func `a value that is not written is empty`() throws {
        for text in ["~", "null", "- ", "a:"] {
            let node = try #require(try read(text))
            switch node.content {
            case .scalar: #expect(node.isEmpty)
            case .sequence(let items): #expect(items[0].isEmpty && !node.isEmpty)
            case .mapping(let members): #expect(members[0].value.isEmpty && !node.isEmpty)
            }
        }
        for text in ["''", "'~'", "a"] { #expect(try read(text)?.isEmpty == false, "\(text)") }
    }

    @Test func `what is not UTF-8 is refused`() {
        for bytes in [[0x61, 0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xFF, 0xFE, 0x61, 0], [0xE2, 0x82]] as [[UInt8]]
        {
            #expect(throws: YAMLError.self) { try YAMLDocument.read(bytes, limits: YAMLLimits(bytes: 99)) }
        }
    }

    @Test func `aliases of aliases and deep texts are refused at once`() {
        var text = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
        for level in 1..<60 {
            let items = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ",")
            text += "a\(level): &a\(level) [\(items)]\n"
        }
        #expect(mistake(text)?.kind == .tooManyValues)
        for piece in ["[", "{a: ", "- ", "? ", "[{"] {
            #expect(mistake(String(repeating: piece, count: 100_000)) != nil, "\(piece)")
        }
    }

    /// Pieces of YAML in any order.
    @Test(arguments: 1...4) func `no text ends the process`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "a", ":", ": ", "\n", "\n  ", "- ", "? ", "[", "]", "{", "}", ",", "&a ", "*a", "!!str ", "!<tag:x%00> ",
            "! ",
            "|\n", ">-\n", "'", "\"", "\\u0000", "\\ud800", "\\x", "#", "%YAML 1.1\n", "%TAG ! x\n", "---\n", "...\n",
            "\t", "~", "<<", "=", "@", "`", "\u{FEFF}", "\u{85}", "\u{2028}", "é", "\u{0}", "\r", "0x1f", "1e999", "😀",
        ]
        for _ in 0..<5000 {
            let count = Int.random(in: 0...30, using: &generator)
            let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            guard let error = mistake(text) else { continue }
            let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }.count
            #expect((1...lines + 1).contains(error.position.line), "\(text.debugDescription): \(error)")
            #expect(error.position.column >= 1)
        }
    }
}
