import Foundation
import Testing

@testable import pushsend

@Suite struct StopTimeArgumentTests {
    private static let now = Date(timeIntervalSince1970: 1_795_330_800)

    @Test(
        arguments: [
            ("2h", 7_200_000), ("1.5m", 90_000), ("2026-11-22T07:00:01Z", 1000), ("2026-11-22T08:00:00.25+01:00", 250),
            ("2026-11-22 07:01", 60_000), ("2026-11-23", 61_200_000), ("2026-11-21T00:00:00Z", 0),
        ] as [(String, Int64)])
    func `the end of sending is a duration or a time`(text: String, milliseconds: Int64) {
        #expect(StopTimeArgument(argument: text)?.time(after: Self.now) == .milliseconds(milliseconds))
    }

    @Test(arguments: ["", "0", "30", "tomorrow", "24:00", "2026-02-31", "2026-11-22T07"])
    func `other texts are refused`(text: String) {
        #expect(StopTimeArgument(argument: text) == nil)
    }
}
