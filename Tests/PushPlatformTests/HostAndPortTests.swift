import PushPlatform
import Testing

struct HostAndPortTests {
    @Test(
        arguments: [
            ("localhost", "localhost", nil), ("localhost:443", "localhost", "443"), ("[::1]:443", "::1", "443"),
            ("[::1]", "::1", nil), ("localhost:", "localhost", ""), (":443", "", "443"), ("", "", nil),
            ("[]:1", "", "1"),
        ] as [(String, String, String?)])
    func `a host and a port`(text: String, host: String, port: String?) throws {
        let parts = try HostAndPort(text[...])
        #expect(parts.host == host && parts.port.map { String($0) } == port)
        #expect(parts.isBracketed == text.hasPrefix("["))
    }

    @Test(
        arguments: [
            ("::1:443", .noBrackets), ("::1", .noBrackets), ("a:1:2", .noBrackets), ("[::1", .noClosingBracket),
            ("[::1]443", .textAfterBracket),
        ] as [(String, HostAndPort.Mistake)])
    func `what is none`(text: String, mistake: HostAndPort.Mistake) {
        #expect(throws: mistake) { try HostAndPort(text[...]) }
    }

    @Test(
        arguments: [
            ("a:0", 0), ("a:65535", 65_535), ("a:65536", nil), ("a:-1", nil), ("a:+1", nil), ("a:", nil), ("a", nil),
            ("a:１", nil),
        ] as [(String, Int?)])
    func `the number of a port has digits only`(text: String, number: Int?) throws {
        #expect(try HostAndPort(text[...]).portNumber == number)
    }

    @Test func `an address gets its brackets`() {
        #expect(HostAndPort.bracketed("::1:33891") == "[::1]:33891")
        #expect(HostAndPort.bracketed("2001:db8::7:443") == "[2001:db8::7]:443")
        #expect(HostAndPort.bracketed("::1") == "[::1]")
        #expect(HostAndPort.bracketed("fe80::1") == "[fe80::1]")
        #expect(HostAndPort.bracketed("fe80::a:b") == "[fe80::a:b]")
        #expect(HostAndPort.bracketed("1:2:3:4:5:6:7:8") == "[1:2:3:4:5:6:7:8]")
        #expect(HostAndPort.bracketed("1:2:3:4:5:6:7:8:443") == "[1:2:3:4:5:6:7:8]:443")
        #expect(HostAndPort.bracketed("::ffff:1.2.3.4:443") == "[::ffff:1.2.3.4]:443")
        #expect(HostAndPort.bracketed("fe80::1%eth0:443") == "[fe80::1%eth0]:443")
        #expect(HostAndPort.bracketed("::1:0") == "[::1]:0")
        #expect(HostAndPort.bracketsAdvice(for: "::1:80") == "An IPv6 address needs brackets: [::1]:80.")
        #expect(HostAndPort.bracketsAdvice(for: "::1%\u{1B}[2J:80") == nil)
        // What is no address gets none: the brackets would be refused too.
        for text in ["1:2:3", "a:b:c", "localhost:1:2", "", "::1:443x"] {
            #expect(HostAndPort.bracketed(text[...]) == nil)
        }
    }
}
