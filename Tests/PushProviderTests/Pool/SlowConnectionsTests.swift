import Testing

@testable import PushProvider

@Suite struct SlowConnectionsTests {
    private func statistics(_ number: Int, _ time: Duration, inFlight: Int = 10) -> ConnectionStatistics {
        var pace = ConnectionPace()
        pace.answered(after: time, now: .at(1_000_000))
        return ConnectionStatistics(
            number: number, time: .at(1_000_000), loop: 0, isServing: true, inFlight: inFlight, allowedStreams: 1000,
            pace: pace)
    }

    private func retired(_ statistics: [ConnectionStatistics], after seconds: Int) -> Int? {
        var slow = SlowConnections()
        for second in 0..<seconds { _ = slow.observe(statistics, now: .at(UInt64(1 + second))) }
        return slow.observe(statistics, now: .at(UInt64(1 + seconds)))
    }

    @Test func `one that is much slower than the others is to go, after a while`() {
        let connections = [
            statistics(1, .milliseconds(100)), statistics(2, .milliseconds(500)), statistics(3, .milliseconds(120)),
        ]
        #expect(retired(connections, after: 2) == nil)
        var slow = SlowConnections()
        var gone: [Int] = []
        for second in 1...10 {
            if let number = slow.observe(connections, now: .at(UInt64(second))) { gone.append(number) }
        }
        // Not one after the other.
        #expect(gone == [2])
        for second in 11...60 {
            if let number = slow.observe(connections, now: .at(UInt64(second))) { gone.append(number) }
        }
        #expect(gone == [2, 2])
    }

    @Test func `one alone is not slow, nor one that carries nothing`() {
        #expect(retired([statistics(1, .seconds(5))], after: 10) == nil)
        let idle = [statistics(1, .milliseconds(100)), statistics(2, .seconds(5), inFlight: 0)]
        #expect(retired(idle, after: 10) == nil)
    }

    @Test func `small differences are none`() {
        #expect(retired([statistics(1, .milliseconds(2)), statistics(2, .milliseconds(40))], after: 10) == nil)
        #expect(retired([statistics(1, .milliseconds(200)), statistics(2, .milliseconds(500))], after: 10) == nil)
    }

    @Test func `one that has stopped answering is slow`() {
        var silent = statistics(2, .milliseconds(100))
        var pace = ConnectionPace()
        pace.answered(after: .milliseconds(100), now: .at(1))
        silent.pace = pace
        var slow = SlowConnections()
        var gone: Int?
        for second in 1...10 {
            var lively = statistics(1, .milliseconds(100))
            lively.pace.answered(after: .milliseconds(100), now: .at(UInt64(second)))
            gone = gone ?? slow.observe([lively, silent], now: .at(UInt64(second)))
        }
        #expect(gone == 2)
    }
}
