import Testing

@testable import MockAPNs

@Suite struct MockFaultDelayTests {
    /// Evenly over all that can be drawn.
    private static func times(_ delay: MockFault.Delay, of count: Int = 1000) -> [Double] {
        (0..<count).map { index in
            let time = delay.time(drawn: (Double(index) + 0.5) / Double(count))
            return Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
        }
    }

    @Test func `a time that is given is that time`() {
        #expect(MockFault.Delay.exactly(.milliseconds(7)).time(drawn: 0.9) == .milliseconds(7))
    }

    @Test func `between two times each is as likely as the other`() {
        let times = Self.times(.between(.seconds(1), .seconds(3)))
        #expect(abs(times.reduce(0, +) / 1000 - 2) < 0.01)
        #expect(times.min() ?? 0 >= 1 && times.max() ?? 9 <= 3)
    }

    @Test func `exponential times have their mean, and a long tail`() {
        let times = Self.times(.mean(.seconds(2)))
        #expect(abs(times.reduce(0, +) / 1000 - 2) < 0.02)
        #expect(abs(times[500] - 1.386) < 0.01)
        #expect(times[999] > 10)
    }

    @Test func `log-normal times have their median and their ninety-ninth percentile`() {
        let times = Self.times(.quantiles(median: .milliseconds(50), p99: .milliseconds(800)))
        #expect(abs(times[500] - 0.05) < 0.001)
        #expect(times.count { $0 > 0.8 } == 10)
        #expect(times[0] > 0)
        #expect(times == times.sorted())
    }

    @Test(arguments: [
        MockFault.Delay.mean(.seconds(3600)), .quantiles(median: .nanoseconds(1), p99: .seconds(3600)),
        .quantiles(median: .seconds(1), p99: .seconds(1)),
    ])
    func `no draw is longer than an hour or shorter than nothing`(delay: MockFault.Delay) {
        for chance in [0, 1e-300, 0.5, 1 - 0x1p-53] {
            let time = delay.time(drawn: chance)
            #expect(time >= .zero && time <= .seconds(3600))
        }
    }
}
