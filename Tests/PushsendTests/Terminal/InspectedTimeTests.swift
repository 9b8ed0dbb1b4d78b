import Testing

@testable import pushsend

@Suite struct InspectedTimeTests {
    @Test func `a time is written in UTC`() {
        #expect(InspectedTime.text(1_795_262_400) == "2026-11-21 12:00:00 UTC")
        #expect(InspectedTime.day(1_795_262_400) == "2026-11-21")
    }

    @Test(arguments: [
        (0, "0 seconds"), (1, "1 second"), (119, "119 seconds"), (120, "2 minutes"), (-7199, "119 minutes"),
        (7200, "2 hours"), (172_799, "47 hours"), (172_800, "2 days"), (.min, "106751991167300 days"),
    ])
    func `a span has its largest unit`(seconds: Int, text: String) {
        #expect(InspectedTime.span(seconds) == text)
    }
}
