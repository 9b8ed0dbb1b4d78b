import PushProvider
import Testing

@testable import PushDelivery

struct PaceTests {
    private static let start = MonotonicTime(nanoseconds: 1_000_000_000)

    private static func after(_ duration: Duration) -> MonotonicTime { start.advanced(by: duration) }

    // MARK: Rate

    @Test func `a bucket lets a tenth of a second through at once, and then the rate`() {
        var bucket = PushRateLimiter(rate: 100, now: Self.start)
        #expect(bucket.available(at: Self.start) == 10)
        bucket.take(10, at: Self.start)
        #expect(bucket.available(at: Self.start) == 0)
        #expect(bucket.available(at: Self.after(.milliseconds(50))) == 5)
        #expect(bucket.available(at: Self.after(.seconds(60))) == 10)
    }

    @Test func `the next time of an empty bucket is when a few may be sent together`() {
        var bucket = PushRateLimiter(rate: 100, now: Self.start)
        bucket.take(10, at: Self.start)
        #expect(bucket.nextTime(after: Self.start) == Self.after(.milliseconds(20)))
        #expect(bucket.available(at: Self.after(.milliseconds(21))) == 2)
    }

    @Test func `a slow rate lets one through at a time`() {
        var bucket = PushRateLimiter(rate: 0.5, now: Self.start)
        #expect(bucket.available(at: Self.start) == 1)
        bucket.take(1, at: Self.start)
        #expect(bucket.available(at: Self.after(.milliseconds(1900))) == 0)
        #expect(bucket.available(at: Self.after(.milliseconds(2001))) == 1)
    }

    @Test func `a bucket whose rate changes gives nothing for the time before`() {
        var bucket = PushRateLimiter(rate: 100, now: Self.start, isFull: false)
        #expect(bucket.available(at: Self.start) == 0)
        bucket.change(to: 1000, at: Self.after(.milliseconds(50)))
        #expect(bucket.available(at: Self.after(.milliseconds(50))) == 5)
        #expect(bucket.available(at: Self.after(.milliseconds(60))) == 15)
        bucket.change(to: 100, at: Self.after(.milliseconds(500)))
        #expect(bucket.available(at: Self.after(.milliseconds(500))) == 10)
    }

    // MARK: Devices

    @Test func `pushes to one device keep their distance, and each gets its own turn`() {
        var pace = DevicePace(interval: .seconds(10))
        #expect(pace.ask("a", at: Self.start) == .now)
        #expect(pace.ask("b", at: Self.start) == .now)
        #expect(pace.ask("a", at: Self.after(.seconds(1))) == .after(.seconds(9)))
        #expect(pace.ask("a", at: Self.after(.seconds(1))) == .after(.seconds(19)))
        #expect(pace.ask("a", at: Self.after(.seconds(10))) == .now)
        #expect(pace.ask("a", at: Self.after(.seconds(20))) == .now)
    }

    @Test func `the memory for devices is bounded`() {
        var pace = DevicePace(interval: .seconds(10))
        for number in 0...DevicePace.maximumDevices { _ = pace.ask("\(number)", at: Self.start) }
        #expect(pace.count <= DevicePace.maximumDevices)
        for number in 0...DevicePace.maximumDevices { _ = pace.ask("n\(number)", at: Self.after(.seconds(11))) }
        #expect(pace.count <= DevicePace.maximumDevices)
    }

    // MARK: Window

    @Test func `an app alone gets four fifths of the window`() {
        var window = StartWindow(limit: 1000)
        #expect(window.room(for: "a") == 800)
        window.start(800, of: "a")
        #expect(window.room(for: "a") == 0)
        #expect(window.room(for: "b") == 160)
        window.end(1, of: "a")
        #expect(window.room(for: "a") == 1)
    }

    @Test func `there is always room for another app until the window is full`() {
        var window = StartWindow(limit: 20)
        for app in 0..<20 {
            #expect(window.room(for: "\(app)") >= 1)
            window.start(1, of: "\(app)")
        }
        #expect(window.total == 20)
        #expect(window.room(for: "next") == 0)
        window.end(1, of: "3")
        #expect(window.room(for: "next") == 1)
    }

    @Test func `a window of one job works`() {
        var window = StartWindow(limit: 1)
        #expect(window.room(for: "a") == 1)
        window.start(1, of: "a")
        #expect(window.room(for: "b") == 0)
        window.end(1, of: "a")
        #expect(window.room(for: "b") == 1)
    }
}
