import Foundation
import PushQueue
import TestSupport
import Testing

@testable import PushService

@Suite struct ServiceTimeTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2026-11-25T20:15:30.123Z", 1_795_637_730_123),
        ("2000-02-29T12:00:00Z", 951_825_600_000),
        ("2026-11-25T21:15:30.1239+01:00", 1_795_637_730_123), ("2026-11-25t20:15:30z", 1_795_637_730_000),
        ("1969-12-31T23:59:59.5Z", -500), ("2100-03-01T00:00:00-00:00", 4_107_542_400_000),
    ])
    func `times are read`(text: String, milliseconds: Int64) {
        #expect(ServiceTime.time(text)?.milliseconds == milliseconds)
    }

    @Test(arguments: [
        "", "2026", "2026-11-25", "2026-11-25T20:15:30", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
        "2026-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-11-25T24:00:00Z",
        "2026-11-25T20:60:00Z", "2026-11-25T20:15:30.Z", "2026-11-25T20:15:30Zx", "2026-11-25T20:15:30+0100",
        "１970-01-01T00:00:00Z",
        "1795637730",
    ])
    func `what is no time is refused`(text: String) {
        #expect(ServiceTime.time(text) == nil)
    }

    @Test func `what is written is read again, and agrees with Foundation`() {
        var random = SeededGenerator(seed: 22)
        for _ in 0..<2000 {
            let time = QueueTime(milliseconds: Int64.random(in: 0...QueueTime.latest.milliseconds, using: &random))
            let text = ServiceTime.text(time)
            #expect(ServiceTime.time(text) == time)
            let seconds = Date(timeIntervalSince1970: Double(time.milliseconds / 1000))
            #expect(text.prefix(19) == seconds.formatted(.iso8601).prefix(19))
        }
    }

    @Test func `durations have a unit`() {
        #expect(ServiceTime.duration("250ms") == .milliseconds(250) && ServiceTime.duration("2h") == .seconds(7200))
        #expect(ServiceTime.duration("30d") == .seconds(30 * 86_400) && ServiceTime.duration("0s") == .zero)
        for text in ["", "2", "h", "-2h", "1.5h", "2 h", "2H", "+2h", "99999999999999999999s", "1000000001d"] {
            #expect(ServiceTime.duration(text) == nil, "\(text)")
        }
    }
}
