import TestSupport
import Testing

@testable import PushProvider

@Suite struct ProxyAnswerReaderTests {
    private typealias ParseResult = ProxyAnswerReader.ParseResult

    private static func read(_ text: String) -> ParseResult {
        var reader = ProxyAnswerReader()
        return reader.receive(text.unicodeScalars.map { UInt8($0.value) })
    }

    @Test(arguments: [
        ("HTTP/1.1 200 Connection established\r\n\r\n", 200, "Connection established"),
        ("HTTP/1.0 200\r\n\r\n", 200, ""), ("HTTP/1.1 204 \r\n\r\n", 204, ""),
        ("HTTP/1.1 200 OK\nVia: x\n\n", 200, "OK"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\nTransfer-Encoding: chunked\r\n\r\n", 200, "OK"),
        ("HTTP/1.1 403 Nein\r\nX-Empty:\r\n\r\n", 403, "Nein"), ("HTTP/1.1 599 a b  c\r\n\r\n", 599, "a b  c"),
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", 200, "OK"),
    ])
    func `an answer is read to its end and not further, in one piece or in many`(
        text: String, status: Int, reason: String
    ) {
        let expected = ProxyAnswer(status: status, reason: reason)
        let rest = "\u{16}\u{3}\u{3}HTTP/1.1 500\r\n\r\n"
        #expect(Self.read(text + rest) == .answer(expected, consumed: text.utf8.count))
        let bytes = Array(text.utf8)
        for cut in 1..<bytes.count {
            var reader = ProxyAnswerReader()
            #expect(reader.receive(bytes[..<cut]) == .needsMore)
            #expect(reader.receive(bytes[cut...]) == .answer(expected, consumed: bytes.count - cut))
        }
        var reader = ProxyAnswerReader()
        for byte in bytes.dropLast() { #expect(reader.receive([byte]) == .needsMore) }
        #expect(reader.receive(bytes.suffix(1)) == .answer(expected, consumed: 1))
    }

    @Test func `the authentication schemes of a proxy are reported`() {
        let text = """
            HTTP/1.1 407 Who\r\nProxy-Authenticate: Negotiate\r\nPROXY-AUTHENTICATE:\tBasic realm="x, y"\r\n\
            WWW-Authenticate: Digest\r\n\r\n
            """
        guard case .answer(let answer, _) = Self.read(text) else {
            Issue.record("no answer")
            return
        }
        #expect(answer.schemes == ["Negotiate", "Basic"])
        #expect(!answer.opensTunnel)
    }

    @Test(arguments: [
        ("SSH-2.0-OpenSSH\r\n", ProxyAnswerReader.Failure.notHTTP(beginning: "SSH-2.0-OpenSSH")),
        ("HTTP/2 200\r\n\r\n", .notHTTP(beginning: "HTTP/2 200")), ("S", .notHTTP(beginning: "S")),
        ("\r\n", .notHTTP(beginning: "")), ("\u{15}\u{3}\u{3}", .speaksTLS), ("\u{16}", .speaksTLS),
        ("HTTP/1.1 2000 OK\r\n", .malformed(line: "HTTP/1.1 2000 OK")), ("HTTP/1.1\r\n", .malformed(line: "HTTP/1.1")),
        ("HTTP/1.1 099 x\r\n", .malformed(line: "HTTP/1.1 099 x")),
        ("HTTP/1.1  200 OK\r\n", .malformed(line: "HTTP/1.1  200 OK")),
        ("HTTP/1.1 +20 OK\r\n", .malformed(line: "HTTP/1.1 +20 OK")),
        ("HTTP/1.x 200 OK\r\n", .malformed(line: "HTTP/1.x 200 OK")),
        ("HTTP/1.1 200 O\u{1B}K\r\n", .malformed(line: "HTTP/1.1 200 O\u{FFFD}K")),
        ("HTTP/1.1 200 OK\r\nno colon\r\n", .malformed(line: "no colon")),
        ("HTTP/1.1 200 OK\r\n folded: x\r\n", .malformed(line: " folded: x")),
        ("HTTP/1.1 200 OK\r\nname : x\r\n", .malformed(line: "name : x")),
        ("HTTP/1.1 200 OK\r\n: x\r\n", .malformed(line: ": x")),
        ("HTTP/1.1 200 OK\r\nname: a\rb\r\n", .malformed(line: "name: a\u{FFFD}b")),
        ("HTTP/1.1 101 Switching\r\n\r\n", .malformed(line: "101 Switching")),
    ])
    func `bytes that are not an answer are reported at once`(text: String, problem: ProxyAnswerReader.Failure) {
        #expect(Self.read(text) == .failed(problem))
    }

    @Test func `a head without an end is given up`() {
        var reader = ProxyAnswerReader()
        #expect(reader.receive(Array("HTTP/1.1 200 OK\r\n".utf8)) == .needsMore)
        var last = ParseResult.needsMore
        for _ in 0..<200 where last == .needsMore {
            last = reader.receive(Array("Filler: \(String(repeating: "x", count: 200))\r\n".utf8))
        }
        #expect(last == .failed(.tooLong))
        var line = ProxyAnswerReader()
        #expect(line.receive(Array("HTTP/1.1 200 \(String(repeating: "x", count: 20_000))".utf8)) == .failed(.tooLong))
        var interim = ProxyAnswerReader()
        let many = String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 1000)
        #expect(interim.receive(Array(many.utf8)) == .failed(.tooLong))
    }

    @Test func `no bytes at all end the process`() {
        for seed in 1...2_000 as ClosedRange<UInt64> {
            var chance = SeededGenerator(seed: seed)
            var reader = ProxyAnswerReader()
            var bytes = Array("HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic x\r\n\r\n".utf8)
            for _ in 0..<Int.random(in: 0..<6, using: &chance) {
                bytes[Int.random(in: 0..<bytes.count, using: &chance)] = .random(in: 0...255, using: &chance)
            }
            while !bytes.isEmpty {
                let count = Int.random(in: 1...bytes.count, using: &chance)
                if case .answer(_, let consumed) = reader.receive(bytes.prefix(count)) {
                    #expect(consumed <= count)
                    break
                }
                bytes.removeFirst(count)
            }
        }
    }
}
