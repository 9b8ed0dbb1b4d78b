import Foundation
import Testing

@testable import PushProvider

@Suite struct JSONReaderTests {
    private func read(_ json: String) throws(JSONError) -> JSONValue {
        try JSONReader.read(Array(json.utf8))
    }

    @Test(
        arguments: [
            ("null", JSONValue.null), (" true ", true), ("false", false), ("0", 0), ("-0", 0), ("-12", -12),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .number(9_223_372_036_854_775_808)),
            ("1.0", .number(1)), ("0.5e-2", .number(0.005)), ("1E+2", .number(100)), ("1e-999", .number(0)),
            (#""""#, ""), (#""a\"\\\/\b\f\n\r\tb""#, "a\"\\/\u{8}\u{C}\n\r\tb"),
            (#""\u0041\u00e9\u00E9\u20ac\uD83D\uDC4B\u0000""#, "Aéé€👋\u{0}"), (#""é👋""#, "é👋"),
            ("\"\u{7F}\"", "\u{7F}"),
            ("[]", .array([])), ("[ ]", .array([])), ("[1,[2],\n{}]", [1, [2], .object([:])]),
            ("{}", .object([:])), ("\t{ \"a\" : 1 ,\r\n\"b\":{\"c\":[]}} ", ["a": 1, "b": ["c": .array([])]]),
            (#"{"a":1,"a":2}"#, ["a": 2]), (#"{"":1}"#, ["": 1]),
        ] as [(String, JSONValue)])
    func `JSON is read as RFC 8259 has it`(json: String, value: JSONValue) throws {
        #expect(try read(json) == value)
    }

    @Test(arguments: [
        ("", "it ends in the middle at line 1, column 1"),
        ("{", "a key in quotation marks was expected at line 1, column 2"),
        ("[1,", "it ends in the middle at line 1, column 4"),
        (#"{"aps":{"alert":"Hi",}}"#, "a key in quotation marks was expected at line 1, column 22"),
        ("[1,]", "a value was expected at line 1, column 4"),
        ("[,1]", "a value was expected at line 1, column 2"),
        ("[1 2]", "a comma or ] was expected at line 1, column 4"),
        (#"{"a":1 "b":2}"#, "a comma or } was expected at line 1, column 8"),
        (#"{"a" 1}"#, "a colon was expected after the key \"a\" at line 1, column 6"),
        ("{\n  'a': 1\n}", "a key in quotation marks was expected at line 2, column 3"),
        ("{}\n{}", "there is more after the end of the value at line 2, column 1"),
        ("tru", "a value was expected at line 1, column 1"),
        ("NaN", "a value was expected at line 1, column 1"),
        ("+1", "a value was expected at line 1, column 1"),
        (".5", "a value was expected at line 1, column 1"),
        ("// no\n{}", "a value was expected at line 1, column 1"),
        ("01", "a number cannot begin with 0 at line 1, column 2"),
        ("-", "a digit was expected at line 1, column 2"),
        ("1.", "a digit was expected at line 1, column 3"),
        ("1e", "a digit was expected at line 1, column 3"),
        ("1e999", "the number 1e999 is too large at line 1, column 6"),
        (#""a"#, "a text has no closing quotation mark at line 1, column 3"),
        ("\"a\nb\"", "a line break or control character stands in a text at line 1, column 3"),
        (#""\x""#, "this escape does not exist in JSON at line 1, column 3"),
        (#""\u12"#, "four hex digits were expected after \\u at line 1, column 6"),
        (#""\u12G4""#, "four hex digits were expected after \\u at line 1, column 6"),
        (#""\ud83d""#, "half a surrogate pair at line 1, column 8"),
        (#""\udc4b""#, "half a surrogate pair at line 1, column 8"),
        (#""\ud83d\u0041""#, "half a surrogate pair at line 1, column 14"),
        ("{}\u{0}", "there is more after the end of the value at line 1, column 3"),
        ("[1]\u{C}", "there is more after the end of the value at line 1, column 4"),
    ])
    func `what is not JSON is refused with its place`(json: String, problem: String) {
        #expect { try read(json) } throws: { "\($0)" == problem }
    }

    @Test func `bytes that are no UTF-8 are refused`() {
        for bytes: [UInt8] in [[0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0xFF], [0x22, 0xED, 0xA0, 0x80, 0x22]] {
            #expect(throws: JSONError.self) { try JSONReader.read(bytes) }
        }
    }

    @Test func `a byte order mark is passed over`() throws {
        #expect(try JSONReader.read([0xEF, 0xBB, 0xBF, 0x31]) == 1)
    }

    @Test func `nesting has an end`() throws {
        let brackets = { (count: Int) in
            Array((String(repeating: "[", count: count) + String(repeating: "]", count: count)).utf8)
        }
        #expect(throws: Never.self) { try JSONReader.read(brackets(128)) }
        #expect(throws: JSONError.self) { try JSONReader.read(brackets(129)) }
        #expect(throws: JSONError.self) { try JSONReader.read(Array(repeating: UInt8(ascii: "["), count: 1_000_000)) }
    }

    @Test func `nesting is counted in depth and not in number`() throws {
        let many = "[" + Array(repeating: "[{}]", count: 1_000).joined(separator: ",") + "]"
        #expect(throws: Never.self) { try read(many) }
    }

    @Test func `what was written is read again`() throws {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<500 {
            let value = Self.random(depth: 4, &generator)
            #expect(try JSONReader.read(value.encoded) == value)
        }
    }

    /// Whatever this reader takes, another reader takes too and understands in the same way.
    @Test func `a damaged text is refused, or read as another reader reads it`() throws {
        var generator = SeededGenerator(seed: 4)
        let text = #"{"aps":{"alert":"H\u00e9\n","badge":-1.5e3},"x":[1,true,null,"",{}]}"#
        let letters = Array(#"{}[]",:\0123eE+-. tnfu"#.utf8) + [0x0A, 0x00, 0xC3, 0xFF]
        var taken = 0
        for _ in 0..<20_000 {
            var bytes = Array(text.utf8)
            for _ in 0...Int.random(in: 0..<2, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes.remove(at: place)
                case 1: bytes.insert(letters.randomElement(using: &generator) ?? 0, at: place)
                default: bytes[place] = letters.randomElement(using: &generator) ?? 0
                }
            }
            guard let value = try? JSONReader.read(bytes) else { continue }
            taken += 1
            let other = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))
            #expect(other.map(Self.comparable) == Self.comparable(value), "\(String(decoding: bytes, as: UTF8.self))")
        }
        #expect(taken > 1_000)
    }

    /// Foundation tells whole numbers by their value, this reader by how they are written.
    private static func comparable(_ value: JSONValue) -> JSONValue {
        switch value {
        case .number(let number): Int(exactly: number).map(JSONValue.integer) ?? value
        case .array(let values): .array(values.map(comparable))
        case .object(let members): .object(members.mapValues(comparable))
        case .null, .bool, .integer, .string: value
        }
    }

    private static func random(depth: Int, _ generator: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &generator) {
        case 0: return .null
        case 1: return .bool(.random(using: &generator))
        case 2:
            return .integer(Int(truncatingIfNeeded: generator.next() >> UInt64.random(in: 0..<64, using: &generator)))
        case 3: return .number(Double.random(in: -1e6...1e6, using: &generator))
        case 4: return .string(text(&generator))
        case 5: return .array((0..<3).map { _ in random(depth: depth - 1, &generator) })
        default:
            let keys = (0..<3).map { _ in text(&generator) }
            return .object(
                Dictionary(
                    keys.map { ($0, random(depth: depth - 1, &generator)) }, uniquingKeysWith: { first, _ in first }))
        }
    }

    private static func text(_ generator: inout SeededGenerator) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0..<6, using: &generator) {
            let most: UInt32 = generator.oneIn(2) ? 0x7F : 0x10FFFF
            if let scalar = Unicode.Scalar(UInt32.random(in: 0...most, using: &generator)) { text.append(scalar) }
        }
        return String(text)
    }
}
