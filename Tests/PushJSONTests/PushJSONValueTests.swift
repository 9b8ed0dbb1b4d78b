import Foundation
import TestSupport
import Testing

@testable import PushJSON
@testable import PushProvider

@Suite struct PushJSONValueTests {
    private func text(_ value: PushJSONValue) -> String {
        String(decoding: value.encoded, as: UTF8.self)
    }

    private func decoded(_ json: some Sequence<UInt8>) throws -> PushJSONValue {
        try JSONDecoder().decode(PushJSONValue.self, from: Data(json))
    }

    static let texts: [(PushJSONValue, String)] = [
        (.null, "null"), (.bool(true), "true"), (.bool(false), "false"),
        (.integer(0), "0"), (.integer(-1), "-1"), (.integer(.max), "9223372036854775807"),
        (.integer(.min), "-9223372036854775808"),
        (.number(1), "1.0"), (.number(0.1), "0.1"), (.number(-2.5e-7), "-2.5e-07"), (.number(1e300), "1e+300"),
        (.string(""), "\"\""), (.array([]), "[]"), (.object([:]), "{}"),
        ([1, [2, []], nil, "x"], #"[1,[2,[]],null,"x"]"#),
        (["b": 1, "a": ["d": true, "c": nil]], #"{"a":{"c":null,"d":true},"b":1}"#),
    ]

    @Test(arguments: texts)
    func `a value is compact JSON with its keys in order`(value: PushJSONValue, json: String) {
        #expect(text(value) == json)
    }

    @Test func `many keys come in the order of their names, each time`() {
        let keys = (0..<200).map { "key\(1000 + $0 * 7919 % 1000)" }
        let value = PushJSONValue.object(Dictionary(uniqueKeysWithValues: Set(keys).map { ($0, 1) }))
        #expect(text(value) == "{" + Set(keys).sorted().map { "\"\($0)\":1" }.joined(separator: ",") + "}")
    }

    @Test(arguments: [
        ("\"", #"\""#), ("\\", #"\\"#), ("\n", #"\n"#), ("\r", #"\r"#), ("\t", #"\t"#), ("\u{0}", #"\u0000"#),
        ("\u{8}", #"\u0008"#), ("\u{1F}", #"\u001f"#), ("\u{7F}", "\u{7F}"), ("/", "/"), ("é👋\u{2028}", "é👋\u{2028}"),
        ("\r\n", #"\r\n"#),
    ])
    func `what JSON asks to be escaped is escaped, in values and in keys`(character: String, escaped: String) {
        #expect(text(.string("a\(character)b")) == "\"a\(escaped)b\"")
        #expect(text(.object([character: 1])) == "{\"\(escaped)\":1}")
    }

    @Test func `every character survives the way out and back`() throws {
        for code in UInt32(0)...0x2FF {
            guard let scalar = Unicode.Scalar(code) else { continue }
            let value = PushJSONValue.object(["k\(Character(scalar))": .string("v\(Character(scalar))")])
            #expect(try decoded(value.encoded) == value)
        }
    }

    @Test func `values survive the way out and back`() throws {
        let value: PushJSONValue = [
            "null": nil, "true": true, "false": false, "one": 1, "half": 0.5, "max": .integer(.max),
            "min": .integer(.min), "text": "1", "empty": "", "array": [1, true, "1", nil, 0.25, [], [:]],
            "object": ["a": ["b": ["c": -7]]],
        ]
        #expect(try decoded(value.encoded) == value)
    }

    @Test func `random numbers survive the way out and back`() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            let number = Double(bitPattern: generator.next())
            guard number.isFinite, number != number.rounded() else { continue }
            #expect(try decoded(PushJSONValue.array([.number(number)]).encoded) == [.number(number)])
        }
    }

    @Test(arguments: [
        ("true", PushJSONValue.bool(true)), ("1", .integer(1)), ("\"1\"", .string("1")), ("1.5", .number(1.5)),
        ("0", .integer(0)), ("false", .bool(false)), ("null", .null), ("\"true\"", .string("true")),
        // Whole numbers are whole numbers, however they were written.
        ("1.0", .integer(1)), ("1e2", .integer(100)),
        ("9223372036854775808", .number(9_223_372_036_854_775_808)), ("-1.5e-3", .number(-0.0015)),
    ])
    func `numbers, truth values and texts are distinguished`(json: String, value: PushJSONValue) throws {
        #expect(try decoded(json.utf8) == value)
        #expect(try decoded("[\(json)]".utf8) == [value])
        #expect(try decoded("{\"k\":\(json)}".utf8) == ["k": value])
    }

    @Test func `literals make the values that they look like`() {
        let value: PushJSONValue = ["s": "x", "i": 1, "n": 1.0, "b": true, "a": [1], "z": nil]
        #expect(
            value
                == .object([
                    "s": .string("x"), "i": .integer(1), "n": .number(1), "b": .bool(true), "a": .array([.integer(1)]),
                    "z": .null,
                ]))
        let twice: PushJSONValue = ["a": 1, "a": 2]
        #expect(twice == ["a": 2])
    }

    @Test func `a key is looked up in objects only`() {
        let value: PushJSONValue = ["a": ["b": 1]]
        #expect(value["a"]?["b"] == 1)
        #expect(value["x"] == nil)
        #expect(value["a"]?["b"]?["c"] == nil)
        #expect(PushJSONValue.array([1])["a"] == nil)
    }

    @Test func `a number without a form in JSON is known by it`() {
        #expect(PushJSONValue.number(1).isFinite)
        #expect(!PushJSONValue.number(.nan).isFinite)
        #expect(!(["a": [.number(-.infinity)]] as PushJSONValue).isFinite)
    }
}
