internal import NIOCore
import PushPlatform

/// A time of the monotonic clock, in nanoseconds since an unknown beginning.
package struct MonotonicTime: Hashable, Comparable, Sendable {
    package var nanoseconds: UInt64

    package init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    package static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The time that is never reached.
    package static let never = MonotonicTime(nanoseconds: .max)

    package func advanced(by duration: Duration) -> MonotonicTime {
        advanced(byNanoseconds: duration.clampedNanoseconds)
    }

    func advanced(byNanoseconds step: Int64) -> MonotonicTime {
        guard step > 0 else { return self }
        // The duration does not fit 64 bits.
        guard step < .max else { return .never }
        let (sum, overflow) = nanoseconds.addingReportingOverflow(UInt64(step))
        return overflow ? .never : MonotonicTime(nanoseconds: sum)
    }

    package func duration(to later: MonotonicTime) -> Duration {
        later > self ? .nanoseconds(Int64(clamping: later.nanoseconds - nanoseconds)) : .zero
    }
}

extension Duration {
    /// The duration in nanoseconds. A duration that does not fit 64 bits becomes the longest one that does.
    package var clampedNanoseconds: Int64 {
        // Attoseconds fit 64 bits up to nine seconds. Then no division of 128 bits is needed.
        if let short = Int64(exactly: attoseconds) { return short / 1_000_000_000 }
        // If the seconds do not fit 64 bits, reading `components` would end the process.
        let maximum = Duration.seconds(9_000_000_000)
        if self > maximum || self < .zero - maximum { return self > .zero ? .max : .min }
        let (seconds, rest) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, overflowed) = whole.addingReportingOverflow(rest / 1_000_000_000)
        return overflowed ? (seconds < 0 ? .min : .max) : sum
    }

    /// The seconds as text for messages: `10`, `0.5`. From ten seconds on, tenths are enough.
    package var seconds: String {
        let (exact, parts) = (Double(clampedNanoseconds) / 1e9, self < .seconds(10) ? 1000.0 : 10)
        let value = (exact * parts).rounded() / parts
        return value == value.rounded() ? String(Int64(value)) : String(value)
    }

    /// The milliseconds as text for messages, with tenths below ten: `0.4 ms`, `12 ms`.
    var millisecondsText: String {
        let milliseconds = Double(clampedNanoseconds) / 1e6
        return milliseconds < 10 ? "\((milliseconds * 10).rounded() / 10) ms" : "\(Int64(milliseconds.rounded())) ms"
    }
}

extension Date {
    /// The time in milliseconds since 1970, like Apple's timestamps; `nil` if it is not a valid time.
    var millisecondsSince1970: Int64? {
        Int64(exactly: (timeIntervalSince1970 * 1000).rounded(.down))
    }

    init(millisecondsSince1970 milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}

/// The clocks and timeouts of a client. Tests replace them.
package struct ClientTiming: Sendable {
    var now: @Sendable () -> MonotonicTime = { MonotonicTime(nanoseconds: NIODeadline.now().uptimeNanoseconds) }
    /// The wall clock in seconds since 1970, for provider tokens, expirations and the dates of servers.
    var wallSeconds: @Sendable () -> Int = { Int(Date().timeIntervalSince1970) }
    var resolveTimeout: Duration
    var connectTimeout: Duration
    var handshakeTimeout: Duration
    var settingsTimeout: Duration
    /// How long a connection may be silent before the client sends a PING ahead of the next request.
    var trustedSilence: Duration
    /// How long a connection may be silent before the client sends a PING even if there is nothing to send; `nil` for
    /// never.
    var keepAlive: Duration?
    var pingTimeout: Duration
}

extension ClientTiming {
    /// A reading of both clocks now.
    var reading: ClockSample {
        ClockSample(
            secondsSince1970: wallSeconds(), monotonicSeconds: Int(now().nanoseconds / 1_000_000_000))
    }
}
