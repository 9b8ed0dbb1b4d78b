import PushTime
import Testing

@Suite struct ISOTimeTests {
    @Test(
        arguments: [
            ("2026-11-22", 1_795_305_600_000), ("2026-11-22 07:00", 1_795_330_800_000),
            ("2026-11-22T07:00Z", 1_795_330_800_000), ("2026-11-22T07:00:00.123+0100", 1_795_327_200_123),
            ("2026-11-22T07:00:00-01", 1_795_334_400_000), ("2026-11-22 07:00 UTC", 1_795_330_800_000),
            ("2026-11-22T07:00:00+01:00", 1_795_327_200_000),
        ] as [(String, Int64)])
    func `parts of a time can be missing`(text: String, milliseconds: Int64) {
        #expect(ISOTime.millisecondsSince1970(text) == milliseconds)
    }

    @Test(arguments: [
        "", "2026", "2026-02-31", "2026-11-22T", "2026-11-22T07", "07:00", "2026-11-22T07:00+1", "1795330800",
    ])
    func `other texts are no times`(text: String) {
        #expect(ISOTime.millisecondsSince1970(text) == nil)
    }
}
