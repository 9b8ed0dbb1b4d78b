import Foundation
import TestSupport
import Testing

@testable import PushJSON
@testable import PushProvider

@Suite struct JSONReaderTests {
    private func read(_ json: String) throws(JSONMistake) -> PushJSONValue {
        try JSONReader.read(Array(json.utf8))
    }

    @Test(
        arguments: [
            ("null", PushJSONValue.null), (" true ", true), ("false", false), ("0", 0), ("-0", 0), ("-12", -12),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .number(9_223_372_036_854_775_808)),
            ("1.0", .number(1)), ("0.5e-2", .number(0.005)), ("1E+2", .number(100)), ("1e-999", .number(0)),
            (#""""#, ""), (#""a\"\\\/\b\f\n\r\tb""#, "a\"\\/\u{8}\u{C}\n\r\tb"),
            (#""\u0041\u00e9\u00E9\u20ac\uD83D\uDC4B\u0000""#, "Aéé€👋\u{0}"), (#""é👋""#, "é👋"),
            ("\"\u{7F}\"", "\u{7F}"),
            ("[]", .array([])), ("[ ]", .array([])), ("[1,[2],\n{}]", [1, [2], .object([:])]),
            ("{}", .object([:])), ("\t{ \"a\" : 1 ,\r\n\"b\":{\"c\":[]}} ", ["a": 1, "b": ["c": .array([])]]),
            (#"{"a":1,"a":2}"#, ["a": 2]), (#"{"":1}"#, ["": 1]),
        ] as [(String, PushJSONValue)])
    func `JSON is read as RFC 8259 has it`(json: String, value: PushJSONValue) throws {
        #expect(try read(json) == value)
    }

    @Test(arguments: [
        ("", "not-json 1:1"), ("{", "missing-bracket 1:2"), ("[1,", "missing-bracket 1:4"),
        (#"{"aps":{"alert":"Hi",}}"#, "extra-comma 1:21"), ("[1,]", "extra-comma 1:3"), ("[,1]", "missing-value 1:2"),
        ("[1 2]", "missing-comma 1:3"), (#"{"a":1 "b":2}"#, "missing-comma 1:7"), (#"{"a" 1}"#, "missing-colon 1:5"),
        ("{\n  'a': 1\n}", "single-quotes 2:3"), ("{}\n{}", "text-after-end 2:1"), ("tru", "not-json 1:1"),
        ("[tru]", "unquoted-text 1:2"), ("NaN", "not-json 1:1"), ("[NaN]", "not-a-number 1:2"),
        ("+1", "number-form 1:1"),
        (".5", "number-form 1:1"), ("// no\n{}", "comment 1:1"), ("01", "number-form 1:1"), ("-", "number-form 1:1"),
        ("1.", "number-form 1:1"), ("1e", "number-form 1:1"), ("1e999", "not-a-number 1:1"),
        (#""a"#, "unclosed-text 1:1"), ("\"a\nb\"", "control-character 1:3"), (#""\x""#, "bad-escape 1:2"),
        (#""\u12"#, "bad-escape 1:2"), (#""\u12G4""#, "bad-escape 1:2"), (#""\ud83d""#, "bad-escape 1:2"),
        (#""\udc4b""#, "bad-escape 1:2"), (#""\ud83d\u0041""#, "bad-escape 1:2"),
        ("{}\u{0}", "text-after-end 1:3"), ("[1]\u{C}", "text-after-end 1:4"),
    ])
    func `what is not JSON is refused with its place`(json: String, mistake: String) {
        #expect {
            try read(json)
        } throws: { error in
            guard let error = error as? JSONMistake else { return false }
            let position = TextPosition(of: error.range.lowerBound, in: Array(json.utf8))
            return "\(error.kind.rawValue) \(position.line):\(position.column)" == mistake
        }
    }

    @Test func `bytes that are no UTF-8 are refused`() {
        for bytes: [UInt8] in [[0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0xFF], [0x22, 0xED, 0xA0, 0x80, 0x22]] {
            #expect(throws: JSONMistake.self) { try JSONReader.read(bytes) }
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
        #expect(throws: JSONMistake.self) { try JSONReader.read(brackets(129)) }
        #expect(throws: JSONMistake.self) { try JSONReader.read(Array(repeating: UInt8(ascii: "["), count: 1_000_000)) }
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
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes.remove(at: index)
                case 1: bytes.insert(letters.randomElement(using: &generator) ?? 0, at: index)
                default: bytes[index] = letters.randomElement(using: &generator) ?? 0
                }
            }
            guard let value = try? JSONReader.read(bytes) else { continue }
            taken += 1
            let other = try? JSONDecoder().decode(PushJSONValue.self, from: Data(bytes))
            #expect(other.map(Self.comparable) == Self.comparable(value), "\(String(decoding: bytes, as: UTF8.self))")
        }
        #expect(taken > 1_000)
    }

    /// Foundation tells whole numbers by their value, this reader by how they are written.
    private static func comparable(_ value: PushJSONValue) -> PushJSONValue {
        switch value {
        case .number(let number): Int(exactly: number).map(PushJSONValue.integer) ?? value
        case .array(let values): .array(values.map(comparable))
        case .object(let members): .object(members.mapValues(comparable))
        case .null, .bool, .integer, .string: value
        }
    }

    private static func random(depth: Int, _ generator: inout SeededGenerator) -> PushJSONValue {
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
