import NIOConcurrencyHelpers
import Testing

@testable import PushService

@Suite struct KeyRatesTests {
    @Test func `a bucket fills steadily, and each key has its own`() {
        let time = NIOLockedValueBox(ContinuousClock.now)
        let rates = KeyRates(perSecond: 10) { time.withLockedValue { $0 } }
        #expect(rates.take(10, of: "a") == nil)
        #expect(rates.take(1, of: "a") == 0.1)
        #expect(rates.take(1, of: "b") == nil)
        time.withLockedValue { $0 += .milliseconds(500) }
        #expect(rates.take(5, of: "a") == nil)
        #expect(rates.take(1, of: "a") != nil)
        time.withLockedValue { $0 += .seconds(100) }
        #expect(rates.take(10, of: "a") == nil)
        #expect(rates.take(1, of: "a") != nil)
    }

    @Test func `more than a bucket is possible, and is paid back`() {
        let time = NIOLockedValueBox(ContinuousClock.now)
        let rates = KeyRates(perSecond: 10) { time.withLockedValue { $0 } }
        #expect(rates.take(30, of: "a") == nil)
        time.withLockedValue { $0 += .seconds(2) }
        #expect(rates.take(1, of: "a") != nil)
        time.withLockedValue { $0 += .seconds(1) }
        #expect(rates.take(1, of: "a") == nil)
    }

    @Test(arguments: [0.001, 1, 10])
    func `the rest of a request is taken as if all of it came at once`(perSecond: Double) {
        let time = NIOLockedValueBox(ContinuousClock.now)
        let rates = KeyRates(perSecond: perSecond) { time.withLockedValue { $0 } }
        #expect(rates.take(1, of: "a") == nil)
        #expect(rates.take(499, of: "a", after: 1) == nil)
        #expect(rates.take(1, of: "a") != nil)
    }

    @Test func `a request whose rest is refused succeeds after the time that the refusal names`() throws {
        let time = NIOLockedValueBox(ContinuousClock.now)
        let rates = KeyRates(perSecond: 10) { time.withLockedValue { $0 } }
        #expect(rates.take(4, of: "a") == nil)
        #expect(rates.take(1, of: "a") == nil)
        let seconds = try #require(rates.take(7, of: "a", after: 1))
        time.withLockedValue { $0 += .seconds(seconds) + .nanoseconds(1) }
        #expect(rates.take(1, of: "a") == nil)
        #expect(rates.take(7, of: "a", after: 1) == nil)
        #expect(rates.take(1, of: "a") != nil)
    }

    @Test func `of two large requests at the same time, one is accepted`() {
        let time = NIOLockedValueBox(ContinuousClock.now)
        let rates = KeyRates(perSecond: 10) { time.withLockedValue { $0 } }
        #expect(rates.take(1, of: "a") == nil)
        #expect(rates.take(1, of: "a") == nil)
        #expect(rates.take(499, of: "a", after: 1) == 0.1)
        #expect(rates.take(499, of: "a", after: 1) == nil)
        #expect(rates.take(1, of: "a") != nil)
    }

    @Test func `requests that are refused again and again use up the rate`() {
        let time = NIOLockedValueBox(ContinuousClock.now)
        let rates = KeyRates(perSecond: 10) { time.withLockedValue { $0 } }
        #expect(rates.take(5, of: "a") == nil)
        for _ in 1...10 {
            #expect(rates.take(1, of: "a") == nil)
            #expect(rates.take(9, of: "a", after: 1) == 0.5)
        }
        // Five more, and then no request begins.
        for number in 1...5 {
            #expect(rates.take(1, of: "a") == nil)
            #expect(rates.take(9, of: "a", after: 1) == 0.5 + 0.1 * Double(number))
        }
        #expect(rates.take(1, of: "a") == 0.1)
    }

    @Test func `without a rate everything is taken`() {
        let rates = KeyRates(perSecond: nil)
        #expect((0..<1000).allSatisfy { _ in rates.take(1000, of: "a") == nil })
    }
}
