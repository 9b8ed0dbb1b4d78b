/// What the clocks show at one moment.
package struct ClockSample: Equatable {
    package var wall: QueueTime
    package var uptime: Duration
    package var boot: String

    /// Two readings of the uptime that are further apart do not belong to one moment.
    private static let longestMoment: Duration = .milliseconds(20)
    private static let maximumTries = 5

    package init(wall: QueueTime, uptime: Duration, boot: String) {
        (self.wall, self.uptime, self.boot) = (wall, uptime, boot)
    }

    /// Reads the clocks. A thread may be interrupted between two of them, so the uptime is read before and after the wall clock.
    package init(_ options: QueueOptions) {
        var before = options.uptime()
        var (wall, after) = (options.clock(), options.uptime())
        for _ in 1..<Self.maximumTries where after - before > Self.longestMoment {
            before = after
            (wall, after) = (options.clock(), options.uptime())
        }
        self.init(wall: min(max(wall, .earliest), .latest), uptime: after, boot: options.boot)
    }
}
