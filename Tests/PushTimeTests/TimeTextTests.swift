import PushTime
import Testing

@Suite struct TimeTextTests {
    @Test(
        arguments: [
            ("1732240000", 1_732_240_000_000), ("0", 0), ("-1", -1000), ("1695782874.475", 1_695_782_874_475),
            ("1695782874.475123", 1_695_782_874_475), ("1695782874.4", 1_695_782_874_400), ("-0.25", -250),
            ("1.695782874475e9", 1_695_782_874_475), ("1970-01-02", 86_400_000),
            ("2026-11-22T07:00:00Z", 1_795_330_800_000), ("2026-11-22 07:00", 1_795_330_800_000),
            ("2026-11-22T07:00:00.25-0130", 1_795_336_200_250), ("2026-11-22T07:00+01", 1_795_327_200_000),
            ("2026-11-22 07:00z", 1_795_330_800_000), ("2026-11-22T07:00:00.1239+01:00", 1_795_327_200_123),
            ("2026-11-22 07:00:00 UTC", 1_795_330_800_000), ("2026-11-22 07:00:00 gmt", 1_795_330_800_000),
            ("2026-11-22 07:00:00 +00:00", 1_795_330_800_000), ("2026-11-22 08:00:00 +0100", 1_795_330_800_000),
            ("2026-11-22 07:00:00.5 +0000 UTC", 1_795_330_800_500), ("2026-11-22 07:00:00 Z", 1_795_330_800_000),
            ("2026-11-22 UTC", 1_795_305_600_000), ("@1732240000", 1_732_240_000_000),
        ] as [(String, Int64)]) func `times as people and programs write them`(text: String, milliseconds: Int64)
    {
        #expect(TimeText(text) == .time(milliseconds))
    }

    @Test(arguments: [
        "", " ", "soon", "2026-13-01", "2026-02-31", "2026-02-29T00:00:00Z", "2026-11-22T25:00",
        "2026-11-22T07:00:00Zx",
        "2026-11-22T07", "2026-11-22T07:00:00+01::30", "2026-11-22+01:00", "２026-11-22", "+5", ".5", "5.", "1.2.3",
        "1e",
        "nan", "inf", "0x10", "1_000", "1e400", "9223372036854775808", "@", "@@1", "@soon", "2026-11-22 07:00:00 CET",
        "UTC", "12 UTC",
    ])
    func `other texts are none`(text: String) {
        #expect(TimeText(text) == nil)
    }

    @Test func `a number that is too large for seconds says in which unit it is`() throws {
        #expect(TimeText("99999999999") == .time(99_999_999_999_000))
        #expect(TimeText("100000000000") == .tooFine(.milliseconds, 100_000_000_000))
        #expect(TimeText("1695782874475.5") == .tooFine(.milliseconds, 1_695_782_874_475))
        #expect(TimeText("1695782874475123") == .tooFine(.microseconds, 1_695_782_874_475_123))
        #expect(TimeText("1695782874475123456") == .tooFine(.nanoseconds, 1_695_782_874_475_123_456))
        #expect(TimeText.millisecondsSince1970("1695782874475") == nil)
        #expect(
            try TimeText.millisecondsSince1970("1695782874475", in: "at", takesMilliseconds: true) == 1_695_782_874_475)
        let mistake = #expect(throws: TimeText.Mistake.self) {
            try TimeText.millisecondsSince1970("1695782874475123", in: "at", takesMilliseconds: true)
        }
        #expect(
            mistake?.description
                == #""at" is 1695782874475123, which isn't in seconds since 1970 but looks like microseconds. "#
                + "Did you mean 1695782874?")
        // In milliseconds, it would be in 1978.
        let late = #expect(throws: TimeText.Mistake.self) {
            try TimeText.millisecondsSince1970("253402300800", in: "at")
        }
        #expect(late?.description.contains("too late in seconds") == true)
        #expect(late?.description.contains("Did you mean") == false)
    }
}
