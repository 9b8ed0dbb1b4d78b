import Foundation
import PushTime
import TestSupport
import Testing

@Suite struct RFC3339Tests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2026-11-25T20:15:30.123Z", 1_795_637_730_123),
        ("2000-02-29T12:00:00Z", 951_825_600_000),
        ("2026-11-25T21:15:30.1239+01:00", 1_795_637_730_123), ("2026-11-25t20:15:30z", 1_795_637_730_000),
        ("1969-12-31T23:59:59.5Z", -500), ("2100-03-01T00:00:00-00:00", 4_107_542_400_000),
    ])
    func `times are read`(text: String, milliseconds: Int64) {
        #expect(RFC3339.millisecondsSince1970(text) == milliseconds)
    }

    @Test(arguments: [
        "", "2026", "2026-11-25", "2026-11-25T20:15:30", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
        "2026-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-11-25T24:00:00Z",
        "2026-11-25T20:60:00Z", "2026-11-25T20:15:30.Z", "2026-11-25T20:15:30Zx", "2026-11-25T20:15:30+0100",
        "１970-01-01T00:00:00Z",
        "1795637730",
    ])
    func `what is no time is refused`(text: String) {
        #expect(RFC3339.millisecondsSince1970(text) == nil)
    }

    @Test func `what is written is read again, and agrees with Foundation`() {
        var random = SeededGenerator(seed: 22)
        let gregorianBegin: Int64 = -12_219_292_800_000
        let years = Date.writable.lowerBound.timeIntervalSince1970...Date.writable.upperBound.timeIntervalSince1970
        for _ in 0..<2000 {
            let time = Int64(Double.random(in: years, using: &random) * 1000)
            let text = RFC3339.text(millisecondsSince1970: time)
            #expect(RFC3339.millisecondsSince1970(text) == time)
            // Before its beginning, Foundation counts with the Julian calendar, and RFC 3339 does not.
            guard time > gregorianBegin else { continue }
            let seconds = Date(timeIntervalSince1970: (Double(time) / 1000).rounded(.down))
            #expect(text.prefix(19) == seconds.formatted(.iso8601).prefix(19))
        }
    }

    @Test func `any number is a time`() {
        #expect(RFC3339.text(millisecondsSince1970: .max) == "9999-12-31T23:59:59.999Z")
        #expect(RFC3339.text(millisecondsSince1970: .min) == "0000-01-01T00:00:00.000Z")
    }

    @Test func `a date outside of the years 1 to 9999 is shown as the first or the last time`() {
        #expect(Date.distantPast.addingTimeInterval(-1e12).rfc3339 == "0001-01-01T00:00:00.000Z")
        #expect(Date(timeIntervalSince1970: .nan).rfc3339 == "0001-01-01T00:00:00.000Z")
        #expect(Date(timeIntervalSince1970: .infinity).rfc3339 == "9999-12-31T23:59:59.999Z")
        #expect(Date(timeIntervalSince1970: 1_795_262_400.007).rfc3339 == "2026-11-21T12:00:00.007Z")
    }

    @Test func `a date can be shown without fractions of a second`() {
        #expect(Date(timeIntervalSince1970: 1_795_262_400.9999).rfc3339Seconds == "2026-11-21T12:00:00Z")
        #expect(Date(timeIntervalSince1970: -0.5).rfc3339Seconds == "1969-12-31T23:59:59Z")
        #expect(Date(timeIntervalSince1970: .nan).rfc3339 == "0001-01-01T00:00:00.000Z")
        #expect(Date(timeIntervalSince1970: .infinity).rfc3339Seconds == "9999-12-31T23:59:59Z")
    }

    @Test func `a date is read`() {
        #expect(Date(rfc3339: "1970-01-01T00:00:01.500Z") == Date(timeIntervalSince1970: 1.5))
        #expect(Date(rfc3339: "1970-01-01") == nil)
    }
}
