import PushTime
import Testing

@Suite struct DurationTextTests {
    @Test(
        arguments: [
            ("500ms", 500), ("30s", 30_000), ("1.5m", 90_000), ("2h", 7_200_000), ("7d", 604_800_000), ("0s", 0),
            ("1_000ms", 1000), ("0.5s", 500),
        ] as [(String, Int64)])
    func `durations have a unit`(text: String, milliseconds: Int64) {
        #expect(Duration(unitText: text) == .milliseconds(milliseconds))
    }

    @Test(arguments: [
        "", "5", "s", "-5s", "+5s", "1e3s", "0x1s", "infs", "nand", "1..5s", "5 s", "５s", "5S", "1000000000s",
        "99999999999999999999s",
    ])
    func `other texts are no durations`(text: String) {
        #expect(Duration(unitText: text) == nil)
    }

    @Test func `a duration can be signed`() {
        #expect(Duration(unitText: "-1.5h", signed: true) == .seconds(-5400))
        #expect(Duration(unitText: "2s", signed: true) == .seconds(2))
        #expect(Duration(unitText: "--2s", signed: true) == nil)
    }

    @Test func `a duration can be limited to whole numbers`() {
        #expect(Duration(unitText: "30d", isWhole: true) == .seconds(30 * 86_400))
        for text in ["1.5h", "1_000ms", "-2h"] { #expect(Duration(unitText: text, isWhole: true) == nil, "\(text)") }
    }

    @Test(
        arguments: [
            ("500ms", 500), ("90s", 90_000), ("2m", 120_000), ("3h", 10_800_000), ("2d", 172_800_000), ("1500ms", 1500),
            ("0ms", 0), ("-2m", -120_000),
        ] as [(String, Int64)])
    func `a duration is written in its largest unit`(text: String, milliseconds: Int64) {
        #expect(Duration.milliseconds(milliseconds).unitText == text)
    }

    @Test(arguments: [
        (0, "0 seconds"), (1, "1 second"), (119, "119 seconds"), (120, "2 minutes"), (-7199, "119 minutes"),
        (7200, "2 hours"), (172_799, "47 hours"), (172_800, "2 days"), (.min, "106751991167300 days"),
    ])
    func `an approximate duration has its largest unit`(seconds: Int, text: String) {
        #expect(Duration.seconds(seconds).approximateText == text)
    }
}
