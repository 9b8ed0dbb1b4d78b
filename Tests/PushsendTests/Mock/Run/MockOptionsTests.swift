import ArgumentParser
import MockAPNs
import Testing

@testable import pushsend

@Suite struct MockOptionsTests {
    @Test func `a longer log may have more bytes, a shorter one has the usual number`() throws {
        let usual = MockConfiguration().logBytes
        let long = try MockOptions.parse(["--log-count", "100000"]).configuration
        #expect(long.logCount == 100_000)
        #expect(long.logBytes == 100_000 * 2048)
        let short = try MockOptions.parse(["--log-count", "5"]).configuration
        #expect(short.logBytes == usual)
    }
}
