import Foundation
import PushCommandLine
import Testing

@testable import pushsend

@Suite struct StopTimeArgumentTests {
    private static let now = Date(timeIntervalSince1970: 1_795_330_800)

    @Test(
        arguments: [
            ("2h", 7_200_000), ("1.5m", 90_000), ("2026-11-22T07:00:01Z", 1000), ("2026-11-22T08:00:00.25+01:00", 250),
            ("2026-11-22 07:01", 60_000), ("2026-11-23", 61_200_000), ("2026-11-21T00:00:00Z", 0),
            ("@1795330801", 1000), ("1795330800.5", 500),
        ] as [(String, Int64)])
    func `the end of sending is a duration or a time`(text: String, milliseconds: Int64) {
        #expect(StopTimeArgument(argument: text)?.time(after: Self.now) == .milliseconds(milliseconds))
    }

    @Test func `a time that has passed is refused`() throws {
        let passed = try #require(StopTimeArgument(argument: "2026-11-22T06:59:59Z"))
        let failure = #expect(throws: CommandFailure.self) { try passed.requireLater(than: Self.now) }
        #expect(failure?.message.hasPrefix("--stop-at: 2026-11-22T06:59:59Z has passed: by the clock here") == true)
        for text in ["2026-11-22T07:00:01Z", "2h", "18:30"] {
            #expect(throws: Never.self) { try StopTimeArgument(argument: text)?.requireLater(than: Self.now) }
        }
    }

    @Test(arguments: ["", "0", "30", "tomorrow", "24:00", "2026-02-31", "2026-11-22T07", "0.5", "@soon"])
    func `other texts are refused`(text: String) {
        #expect(StopTimeArgument(argument: text) == nil)
    }
}
