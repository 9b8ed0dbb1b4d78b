import Testing

@testable import PushProvider

@Suite struct HTTPDateTests {
    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Thu, 29 Feb 2024 23:59:60 GMT", 1_709_251_200), ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200),
        ("Wed, 31 Dec 2025 23:59:59 GMT", 1_767_225_599), ("Monday, 01-Jan-01 00:00:00 GMT", 978_307_200),
        ("Tue, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
    ])
    func `all three forms are read`(text: String, seconds: Int) {
        #expect(HTTPDate.seconds(text) == seconds)
    }

    @Test(arguments: [
        "", "soon", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, 32 Nov 1994 08:49:37 GMT", "Thu, 29 Feb 2100 08:49:37 GMT",
        "Sun, 06 Nov 194 08:49:37 GMT", "Sun, xx Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 99999999999999999999 08:49:37 GMT", "a b c d e", "Sun, 06 Nov 1994 08:4+9:37 GMT",
    ])
    func `anything else is no date`(text: String) {
        #expect(HTTPDate.seconds(text) == nil)
    }

    // MARK: retry-after

    private static let now = 784_111_777

    @Test(arguments: [
        ("0", 0), ("7", 7), ("900", 900), ("Sun, 06 Nov 1994 08:49:47 GMT", 10), ("2147483647", 2_147_483_647),
    ])
    func `a pause is asked for in seconds or by a date`(text: String, seconds: Int) {
        #expect(RetryAfter.pause(text, secondsSince1970: Self.now) == .seconds(seconds))
    }

    /// RFC 9111 section 1.2.2 names 2147483648 for what cannot be counted.
    @Test(arguments: [
        "2147483648", "99999999999", "99999999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT",
        String(repeating: "9", count: 10_000),
    ])
    func `a pause beyond all numbers is a long one`(text: String) {
        #expect(RetryAfter.pause(text, secondsSince1970: Self.now) == .seconds(2_147_483_648))
    }

    @Test func `zeros in front change nothing`() {
        #expect(RetryAfter.pause(String(repeating: "0", count: 40) + "7", secondsSince1970: Self.now) == .seconds(7))
        #expect(RetryAfter.pause("000", secondsSince1970: Self.now) == .zero)
    }

    @Test(arguments: [
        nil, "", "-1", "-99999999999999999999999", "+5", "soon", "1.5", "7 s", "0x10", "\u{0664}", "1e9", "--1",
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 99999 08:49:37 GMT",
    ])
    func `what cannot be used is passed over`(text: String?) {
        #expect(RetryAfter.pause(text, secondsSince1970: Self.now) == nil)
    }
}
