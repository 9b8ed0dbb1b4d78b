import PushYAML
import Testing

@Suite struct YAMLScalarValueTests {
    @Test(
        arguments: [
            ("", .null), ("~", .null), ("null", .null), ("NULL", .null), ("nUll", .string("nUll")),
            ("true", .bool(true)), ("False", .bool(false)), ("tRUE", .string("tRUE")),
            ("yes", .string("yes")), ("off", .string("off")),
            ("0", .integer(0)), ("-12", .integer(-12)), ("+7", .integer(7)), ("1_000", .integer(1000)),
            ("0x1F", .integer(31)), ("-0x1f", .integer(-31)), ("0b101", .integer(5)), ("0o17", .integer(15)),
            ("017", .integer(15)), ("089", .float(89)), ("9223372036854775808", .float(9_223_372_036_854_775_808)),
            ("1.5", .float(1.5)), ("1e3", .float(1000)), (".5", .float(0.5)), ("0.25", .float(0.25)),
            (".inf", .string(".inf")), (".nan", .string(".nan")), ("inf", .string("inf")), ("1e999", .string("1e999")),
            ("12:30", .string("12:30")), ("2026-11-25", .string("2026-11-25")), ("_", .string("_")),
            ("1.2.3", .string("1.2.3")), ("- 1", .string("- 1")), ("0x", .string("0x")), ("é", .string("é")),
        ] as [(String, YAMLScalar.Value)])
    func `a plain scalar means`(text: String, value: YAMLScalar.Value) {
        #expect(YAMLScalar(text).value == value)
    }

    @Test(arguments: ["", "~", "null", "true", "1", "1.5"])
    func `a scalar in quotation marks, or with the tag of strings, is a string`(text: String) {
        #expect(YAMLScalar(text, isPlain: false).value == .string(text))
        #expect(YAMLScalar(text, tag: "tag:yaml.org,2002:str").value == .string(text))
        #expect(YAMLScalar(text, tag: "!").value == .string(text))
    }

    @Test(arguments: [
        ("'1'", false, nil), ("|\n 1\n", false, nil), ("1", true, nil), ("!!str 1", true, "tag:yaml.org,2002:str"),
    ])
    func `the style and the tag are read`(text: String, isPlain: Bool, tag: String?) throws {
        let node = try YAMLDocument.read(Array(text.utf8), limits: YAMLLimits(bytes: 99))
        guard case .scalar(let scalar)? = node?.content else { return #expect(Bool(false), "\(text)") }
        #expect(scalar.isPlain == isPlain)
        #expect(scalar.tag == tag)
    }
}
