import TestSupport
import Testing

@testable import PushJSON
@testable import PushLint
@testable import PushProvider

/// Texts whose marks are single, curly, mixed or missing, so that they can be read in more than one way: nothing is written.
@Suite struct GuessedRepairTests {
    @Test(arguments: [
        // An apostrophe looks like the end of a text.
        "{'a':'the dogs', he said'}", "{'a':'it's'}", "['rock 'n', roll', 'x']", "['the dogs', roll', 'x']",
        "['the dogs' 'x']", "{‘a’:‘it’s’}", "{'it's':1}", #"{'a':'C:\','b':'x'}"#,
        // Marks of two kinds, each of which could be the one that counts.
        #"{'a":1, "b':2}"#, #"{'a':'say "hi", then'}"#, #"{"a":'b"}"#, #"{'a":'b'}"#, #"{“a”:“say "hi" now”}"#,
        #"{“a”:“b "c", d”}"#, #"{“a”:“x\”}"#,
        // A curly mark in a plain text.
        #"{"a":"He said “hi”}"#, #"{"a":"He said “hi”, then left}"#, #"{"a":"Size 5”}"#, "{“a”:“b “c” d”}",
        // A text without its end, and a comma behind it.
        #"{"a":"x, "b":"y"}"#, "{\"a\":\"x,\n\"b\":\"y\"}", "{'a':'x, 'b':'y'}", "['a, 'b']", "['a','b]",
        "{'a:1,'b':2}", "{'a':'x', 'b:'y'}", #"["a, "b"]"#, #"{"a" "b":1}"#,
        // A text without its beginning.
        "['a', b']", #"{"a":Hello, world"}"#, "{aps:{alert:Hello}}", "{a:Hello, 'b':True}",
        // Two texts, or one with marks in it.
        #"["a " " b"]"#, #"["the " "best"]"#, #"["a" 1]"#,
        // What looks like a comment, a comma or a bracket too many, and is a part of the text.
        ##"{"aps":{"alert":"We are "#1", "badge":1}}"##, #"{"aps":{"alert":"Read "//this"}}"#, "[#fff,\n1]",
        #"{"a":"x", #1 "fan", "b":2}"#, #"{"aps":{"alert":"Hi" #1}}"#, #"{"a":"say ",} and more", "c":1}"#,
        "{\"a\":\"x\" // \"y\"\n}", #"{"a":"x","b":''}//x ","c":[""]}"#, #"{"a":'b'/*"*/}"#,
        "{\"a\": 'x', \"b\": \"one\ntwo\", \"c\": \"say \"hi\"\"}",
        // One that is certain by itself, beside one that is not.
        "{'a':1,'b':'it's'}", "{a:1,'b':}", "/* x */ {'a':'it's',}",
    ])
    func `a guessed repair is reported and not written`(text: String) {
        let repair = PayloadLint.repaired(Array(text.utf8))
        #expect(String(decoding: repair.json, as: UTF8.self) == text)
        #expect(repair.left.contains { JSONMistake.Kind(rawValue: $0.rule) != nil })
        #expect(!repair.left.contains { $0.isRepairable })
    }

    @Test(arguments: [
        ("{'a':'the dogs','b':'he said'}", #"{"a":"the dogs","b":"he said"}"#),
        (#"{'a':'it\'s "so"','b':"it's"}"#, #"{"a":"it's \"so\"","b":"it's"}"#),
        ("{“a”: “b, c”, ‘d’: ‘e’}", #"{"a": "b, c", "d": "e"}"#),
        ("{'a':'“hi”, she said','b':'5”'}", #"{"a":"“hi”, she said","b":"5”"}"#),
        ("[\n1\n2\n]", "[\n1,\n2\n]"),
        (
            "{\n  // \"old\": \"x\",\n  'a': \"b\", // \"new\"\n  # more\n  c: 1\n}",
            "{\n  \n  \"a\": \"b\", \n  \n  \"c\": 1\n}"
        ),
        ("\u{FEFF}{'a':'it's'}", "{'a':'it's'}"),
    ])
    func `what can be read in one way only is mended`(broken: String, mended: String) {
        #expect(String(decoding: PayloadLint.repaired(Array(broken.utf8)).json, as: UTF8.self) == mended)
    }

    /// The text, written properly, can mean no other payload: each is repaired to what was meant, or left.
    @Test func `what was quoted in another way is mended to what it was, or left`() throws {
        var generator = SeededGenerator(seed: 88)
        let pieces = [
            "a", "it's", "'", "\"", "“", "”", "’", ", ", ": ", "}", "{", "]", "[", " ", "#1", "//x", "/*x*/", "\\", "é",
            "5",
        ]
        var (mended, left) = (0, 0)
        for _ in 0..<4_000 {
            var texts: [String] = []
            for _ in 0..<3 {
                let count = Int.random(in: 0..<5, using: &generator)
                texts.append((0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined())
            }
            let marks =
                [("'", "'"), ("“", "”"), ("‘", "’"), ("", "\""), ("\"", "")].randomElement(using: &generator) ?? (
                    "", ""
                )
            let odd = Int.random(in: 0..<3, using: &generator)
            let quoted = texts.enumerated().map { index, text in
                // Nothing is escaped but what JSON has to have: that is how people change quotation marks by hand.
                index == odd
                    ? marks.0 + text + marks.1 : String(decoding: PushJSONValue.string(text).encoded, as: UTF8.self)
            }
            let json = "{\"a\":\(quoted[0]),\"b\":\(quoted[1]),\"c\":[\(quoted[2])]}"
            let repair = PayloadLint.repaired(Array(json.utf8))
            guard let value = PushJSONValue(json: repair.json) else {
                left += 1
                continue
            }
            if repair.mended.isEmpty { continue }
            mended += 1
            #expect(
                Self.sayTheSame(value, texts, odd), "\(json) became \(String(decoding: repair.json, as: UTF8.self))")
        }
        #expect(mended > 100 && left > 1_000, "\(mended) \(left)")
    }

    /// The texts that were well have to be there as they were; the odd one may differ by what its escapes mean.
    private static func sayTheSame(_ value: PushJSONValue, _ texts: [String], _ odd: Int) -> Bool {
        guard case .array(let list)? = value["c"] else { return false }
        let found = [value["a"], value["b"], list.count == 1 ? list[0] : nil]
        return texts.indices.allSatisfy { index in
            if index == odd { return found[index] != nil }
            return found[index] == .string(texts[index])
        }
    }
}
