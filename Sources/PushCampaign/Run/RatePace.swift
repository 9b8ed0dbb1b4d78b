/// When the next line may go out, so many a second and evenly. A pure value.
struct RatePace: Equatable {
    /// From one to the next, in nanoseconds.
    private let interval: Double
    /// When the next one is due, on any clock.
    private var due: Double?

    /// How far it may lag behind before what was missed is forgotten: a pause is not followed by a flood.
    private static let longestLag = 50_000_000.0

    init(perSecond rate: Double) {
        // Slower than once in ten years is never; and no rate at all is no pause.
        interval = rate > 0 ? min(1e9 / rate, 3e17) : 0
    }

    /// How long the next one has to wait, in nanoseconds, as is the time.
    mutating func wait(now: Int64) -> Int64 {
        let now = Double(now)
        let time = max(due ?? now, now - Self.longestLag)
        due = time + interval
        return Int64(min(max(0, time - now), 9e18))
    }
}
