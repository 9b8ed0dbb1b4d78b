import PushPlatform
import Testing

@Suite struct PercentEncodingTests {
    @Test(arguments: [
        ("", ""), ("aZ09-._~", "aZ09-._~"), ("a b", "a%20b"), ("a/b?c=d&e", "a%2Fb%3Fc%3Dd%26e"), ("\u{1}%", "%01%25"),
        ("é+", "%C3%A9%2B"),
    ])
    func `what a URI cannot have is encoded, and decoded again`(text: String, encoded: String) {
        #expect(PercentEncoding.encoded(text) == encoded)
        #expect(PercentEncoding.text(encoded) == text)
    }

    @Test func `digits are of either case, and other characters stay`() {
        #expect(PercentEncoding.text("%c3%A9:/é") == "é:/é")
        #expect(PercentEncoding.text("a%20b"[...]) == "a b")
    }

    @Test func `a plus sign is a space only where it is asked for`() {
        #expect(PercentEncoding.text("a+b%2Bc") == "a+b+c")
        #expect(PercentEncoding.text("a+b%2Bc", plusIsBlank: true) == "a b+c")
    }

    @Test(arguments: ["%", "%2", "a%", "%2g", "%g2", "%+2", "%-0", "% 2", "%%20", "%２0"])
    func `an incomplete escape is refused`(text: String) {
        #expect(PercentEncoding.bytes(text) == nil)
        #expect(PercentEncoding.text(text) == nil)
    }

    @Test func `bytes need not be text`() {
        #expect(PercentEncoding.bytes("%ff%00") == [0xFF, 0])
        #expect(PercentEncoding.text("%ff") == nil)
    }
}

@Suite struct CountedTests {
    @Test func `only one thing has the form for one`() {
        #expect([-1, 0, 1, 2].map { counted($0, "line") } == ["-1 lines", "0 lines", "1 line", "2 lines"])
        #expect(counted(UInt64.max, "line") == "18446744073709551615 lines")
    }

    @Test func `a noun can have its own form for several, and the number its own form`() {
        #expect(counted(1, "job waits", "jobs wait") == "1 job waits")
        #expect(counted(3, "authority", "authorities") == "3 authorities")
        #expect(counted(9_998_213, "line", shown: "9,998,213") == "9,998,213 lines")
    }
}

@Suite struct WholeNumberTests {
    @Test(arguments: [("5", 5), ("-5", -5), ("007", 7), ("0", 0)])
    func `digits are a number`(text: String, number: Int) {
        #expect(WholeNumber.of(text) == number)
    }

    @Test(arguments: ["", "+5", "+", "-", " 5", "5 ", "5.0", "1e3", "0x5", "٥", "99999999999999999999"])
    func `everything else is none`(text: String) {
        #expect(WholeNumber.of(text) == nil)
    }
}
