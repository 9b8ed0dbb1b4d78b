import PushTime
import Testing

@Suite struct GregorianCalendarTests {
    @Test(
        arguments: [
            (1970, 1, 1, 0), (1969, 12, 31, -1), (2000, 2, 29, 11_016), (2000, 3, 1, 11_017), (2026, 11, 22, 20_779),
            (2100, 3, 1, 47_541), (0, 3, 1, -719_468),
        ] as [(Int, Int, Int, Int)])
    func `dates are days since 1970`(year: Int, month: Int, day: Int, days: Int) {
        #expect(GregorianCalendar.days(year: year, month: month, day: day) == days)
        let date = GregorianCalendar.date(days: days)
        #expect([date.year, date.month, date.day] == [year, month, day])
    }

    @Test(
        arguments: [
            (2026, 2, 29), (2026, 2, 31), (2100, 2, 29), (2026, 4, 31), (2026, 1, 0), (2026, 1, 32), (2026, 0, 1),
            (2026, 13, 1),
        ] as [(Int, Int, Int)])
    func `impossible dates are refused`(year: Int, month: Int, day: Int) {
        #expect(GregorianCalendar.days(year: year, month: month, day: day) == nil)
    }
}
