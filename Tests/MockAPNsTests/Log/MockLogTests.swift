import APNSVocabulary
import PushPlatform
import TestSupport
import Testing

@testable import MockAPNs

@Suite struct MockLogTests {
    private static func arrival(_ number: Int, bodyBytes: Int = 0) -> MockArrival {
        let request = MockRequest(
            method: "POST", path: "/3/device/ab", fields: [], body: [UInt8](repeating: 0, count: bodyBytes))
        let verdict = MockVerdict(status: 200, messageID: "", fact: .accepted)
        return MockArrival(
            number: number, time: Date(timeIntervalSince1970: 0), connection: 1,
            judgedRequest: JudgedRequest(
                request, on: 1, verdict,
                by: MockArrival.Sender(token: nil, certificate: nil, environment: .sandbox)))
    }

    @Test func `the oldest entries give way to a bound in count`() {
        var log = MockLog(bound: .init(count: 3, bytes: 1 << 20))
        for number in 1...5 { log.add(Self.arrival(number)) }
        #expect(log.entries.map(\.number) == [3, 4, 5])
        #expect(log.total == 5)
    }

    @Test func `the oldest entries give way to a bound in bytes, the newest one stays whatever its size`() {
        var log = MockLog(bound: .init(count: 100, bytes: 3000))
        for number in 1...4 { log.add(Self.arrival(number, bodyBytes: 1000)) }
        #expect(log.entries.map(\.number) == [3, 4])
        log.add(Self.arrival(5, bodyBytes: 100_000))
        #expect(log.entries.map(\.number) == [5])
    }

    @Test func `an entry is found by its number, or the oldest one that is kept`() {
        var log = MockLog(bound: .init(count: 2, bytes: 1 << 20))
        for number in 1...4 { log.add(Self.arrival(number)) }
        #expect(log.entry(from: 4)?.number == 4)
        #expect(log.entry(from: 1)?.number == 3)
        #expect(log.entry(from: 5) == nil)
    }

    @Test func `entries are read by the handful from a number on, or from the oldest one that is kept`() {
        var log = MockLog(bound: .init(count: 4, bytes: 1 << 20))
        #expect(log.entries(from: 1, atMost: 10).isEmpty)
        for number in 1...6 { log.add(Self.arrival(number)) }
        #expect(log.entries(from: 1, atMost: 2).map(\.number) == [3, 4])
        #expect(log.entries(from: 5, atMost: 10).map(\.number) == [5, 6])
        #expect(log.entries(from: 7, atMost: 10).isEmpty)
    }

    @Test func `numbers go on after the log was emptied`() {
        var log = MockLog(bound: .init(count: 10, bytes: 1 << 20))
        log.add(Self.arrival(log.nextNumber))
        log.removeAll()
        log.add(Self.arrival(log.nextNumber))
        #expect(log.entries.map(\.number) == [2])
        #expect(log.entry(from: 1)?.number == 2)
    }
}

extension MockLog {
    fileprivate mutating func add(_ arrival: MockArrival) {
        var dropped: [MockArrival]?
        append(arrival, dropping: &dropped)
    }
}

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
