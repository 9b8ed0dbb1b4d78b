import Testing

@testable import pushsend

@Suite struct InspectedTimeTests {
    @Test func `a time is written in UTC`() {
        #expect(InspectedTime.text(1_795_262_400) == "2026-11-21 12:00:00 UTC")
        #expect(InspectedTime.text(1_795_262_400_000) == "1795262400000 s since 1970")
        #expect(InspectedTime.day(1_795_262_400) == "2026-11-21")
    }
}
