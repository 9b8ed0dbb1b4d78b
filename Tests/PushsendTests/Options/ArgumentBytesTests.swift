import PushCommandLine
import Testing

struct ArgumentBytesTests {
    private static func problem(_ arguments: [UInt8]...) -> String? {
        ArgumentBytes.problem(in: [Array("pushsend".utf8), Array("send".utf8)] + arguments)
    }

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func `any UTF-8 is taken, and what the program is called does not matter`() {
        #expect(Self.problem() == nil)
        #expect(Self.problem(Self.bytes("-m"), Self.bytes("Grüße 🎈 \u{FFFD}"), []) == nil)
        #expect(ArgumentBytes.problem(in: [[0xFF], Self.bytes("send")]) == nil)
        #expect(ArgumentBytes.problem(in: []) == nil)
    }

    @Test(arguments: [
        ("-m", "The argument after -m"), ("--thread-id", "The argument after --thread-id"),
        ("5f3a", "Argument 3"), ("-psecret", "Argument 3"), ("--title=x", "Argument 3"),
    ])
    func `what is not UTF-8 is named by its option, byte and offset`(before: String, words: String) throws {
        let problem = try #require(Self.problem(Self.bytes(before), [0x67, 0x72, 0xC3, 0xBC, 0xFC, 0x65]))
        #expect(problem.hasPrefix("\(words) isn't UTF-8: byte 0xFC at offset 4."))
    }

    @Test func `the contents of a .p12 in place of its path are named, and not their encoding`() {
        let problem = Self.problem(Self.bytes("--p12"), [0x30, 0x82, 0x0A, 0xFF])
        let sentence = "The argument after --p12 is the contents of a key or certificate: give the path of its file."
        #expect(problem == sentence)
    }

    @Test(
        arguments: [[0xC3], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xF5, 0x80, 0x80, 0x80]] as [[UInt8]])
    func `halves, surrogates and overlong forms are no UTF-8`(bytes: [UInt8]) {
        #expect(Self.problem(bytes)?.contains("at offset 0") == true)
    }
}
