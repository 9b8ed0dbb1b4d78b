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

    @Test func `without a rate everything is taken`() {
        let rates = KeyRates(perSecond: nil)
        #expect((0..<1000).allSatisfy { _ in rates.take(1000, of: "a") == nil })
    }
}
