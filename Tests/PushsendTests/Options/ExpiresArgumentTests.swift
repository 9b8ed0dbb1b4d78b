import PushProvider
import Testing

@testable import pushsend

@Suite struct ExpiresArgumentTests {
    @Test(arguments: ["2026-11-22T07:00:00+0100", "2026-11-22T06:00", "2026-11-22 06:00:00Z"])
    func `a time can have a short zone or no seconds`(text: String) {
        #expect(ExpiresArgument(argument: text)?.expiration == .until(secondsSince1970: 1_795_327_200))
    }

    @Test func `a date that does not exist is no time`() {
        #expect(ExpiresArgument(argument: "2026-02-31") == nil)
    }
}
