internal import APNSVocabulary
internal import PushProvider

/// Computes when the next line may be sent, at a fixed rate. A pure value.
struct RatePace: Equatable {
    /// The time between two lines, in nanoseconds.
    private let interval: Double
    /// When the next line is due, on the clock of the caller.
    private var due: Double?

    /// The maximum lag in nanoseconds. Time lost beyond it is not made up, so that a pause is not followed by a burst.
    private static let longestLag = 50_000_000.0

    init(perSecond rate: Double) {
        // The cap is about ten years, in effect never. A rate of 0 means no limit.
        interval = rate > 0 ? min(1e9 / rate, 3e17) : 0
    }

    /// Returns how long the next line has to wait, in nanoseconds.
    mutating func wait(now: Int64) -> Int64 {
        let now = Double(now)
        let time = max(due ?? now, now - Self.longestLag)
        due = time + interval
        return Int64(min(max(0, time - now), 9e18))
    }
}

/// The exact set of the device tokens in a campaign so far. A token of the usual length takes 32 bytes, and the hash
/// table about as much again.
struct SeenTokens {
    /// Tokens of 64 digits.
    private var fixedLength: Set<SIMD4<UInt64>> = []
    private var others: Set<String> = []

    /// Adds a device token. Upper and lower case are the same token.
    ///
    /// - Returns: `false` if the set already has it.
    mutating func insert(_ token: DeviceToken) -> Bool {
        var hex = token.hex
        let bits = hex.withUTF8 { Self.bits($0) }
        if let bits { return fixedLength.insert(bits).inserted }
        return others.insert(token.hex.lowercased()).inserted
    }

    private static func bits(_ hex: UnsafeBufferPointer<UInt8>) -> SIMD4<UInt64>? {
        guard hex.count == 64 else { return nil }
        var bits = SIMD4<UInt64>()
        for (index, byte) in hex.enumerated() {
            let digit = byte & 15 &+ (byte >> 6) &* 9
            bits[index >> 4] = bits[index >> 4] << 4 | UInt64(digit)
        }
        return bits
    }
}

/// The lines with a collapse id that an earlier run has marked and not finished. They wait until all lines of that run were
/// read, because a later one may have replaced them: then they must not be sent any more. A pure value.
///
/// The earlier run had at most its window of such lines, so the memory is bounded.
struct InterruptedKeys {
    private var lines: [PushNotification] = []
    /// The last line of each of their keys that was sent, or may have been; -1 if there is none.
    private var newest: [CollapseKey: Int] = [:]

    var isWaiting: Bool { !lines.isEmpty }

    /// Adds a line that is to be sent.
    mutating func wait(_ line: PushNotification) {
        guard let key = line.row?.key else { return }
        lines.append(line)
        newest[key] = newest[key] ?? -1
    }

    /// A line was sent, or may have been.
    mutating func started(_ index: Int, _ key: CollapseKey) {
        if newest[key] != nil { newest[key] = index }
    }

    /// Removes and returns the lines. Those that must not be sent have a reason.
    mutating func takeAll() -> [PushNotification] {
        defer { self = InterruptedKeys() }
        return lines.map { line in
            guard let row = line.row, let key = row.key, let last = newest[key], last > row.index else { return line }
            var line = line
            line.row = row.superseded
            return line
        }
    }
}
