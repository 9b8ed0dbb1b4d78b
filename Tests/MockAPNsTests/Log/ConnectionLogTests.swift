import TestSupport
import Testing

@testable import MockAPNs

@Suite struct ConnectionLogTests {
    @Test func `after a burst few are noted, and the next one says how many were left out`() {
        let (captured, time) = (CapturedLog(), ManualTime())
        let log = ConnectionLog(captured.logger, now: { UInt64(time.passed / .nanoseconds(1)) })
        for _ in 0..<600 { log.notice("gone") }
        #expect(captured.lines.count == 100)
        #expect(!captured.lines.contains { $0.contains("left out") })
        time.advance(by: .seconds(1))
        for _ in 0..<600 { log.notice("gone") }
        #expect(captured.lines.count == 110)
        let told = captured.lines.filter { $0.contains("left out") }
        #expect(told.map { $0.contains("gone (500 earlier notices were left out)") } == [true])
    }
}
