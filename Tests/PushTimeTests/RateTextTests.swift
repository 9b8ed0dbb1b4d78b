import PushTime
import Testing

@Suite struct RateTextTests {
    @Test(
        arguments: [
            ("500/s", 500), ("30_000/m", 500), ("60/m", 1), ("7200/h", 2), ("0.5/s", 0.5), ("1000000000/s", 1e9),
        ] as [(String, Double)])
    func `rates are for each second, minute or hour`(text: String, perSecond: Double) {
        #expect(Double(rateText: text) == perSecond)
        #expect(Double(rateText: text, needsUnit: false) == perSecond)
    }

    @Test(arguments: ["", "/s", "0/s", "-1/s", "5/d", "5/s/s", "inf/s", "0", "-3", "1000000001/s", "5 /s"])
    func `other texts are no rates`(text: String) {
        #expect(Double(rateText: text) == nil)
        #expect(Double(rateText: text, needsUnit: false) == nil)
    }

    @Test func `a number without a unit is for each second, where that is accepted`() {
        #expect(Double(rateText: "500") == nil)
        #expect(Double(rateText: "500", needsUnit: false) == 500)
    }
}
