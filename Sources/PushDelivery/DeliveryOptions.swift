internal import NIOCore
internal import PushPlatform
package import PushProvider

package struct DeliveryOptions: Sendable {
    /// The name of this worker, shown with its jobs.
    package var owner = "pushserve-\(getpid())-\(String(UInt32.random(in: 0...UInt32.max), radix: 16))"
    /// Whether other workers may use the queue. If so, this worker stores its record for them, and takes its share of each app.
    package var isShared = false
    /// The version of the program, which other workers see.
    package var version = ""
    package var heartbeat = HeartbeatTimes()
    /// The maximum number of jobs that are started and not completed, of all apps. After a crash, at most this many
    /// outcomes are unknown.
    package var startWindow = 1000
    package var claimLimit = 500
    /// How long jobs belong to this worker when it does not extend their lease. It extends it three times as often.
    package var lease: Duration = .seconds(60)
    /// How long a shutdown waits for the outcomes of pushes in flight.
    package var drainTime: Duration = .seconds(30)
    /// How long a shutdown tries to store outcomes if the queue fails.
    package var storingTime: Duration = .seconds(10)
    /// How often the worker reads the queue if the queue reports no new jobs. Another process may have added one.
    package var pollInterval: Duration = .seconds(5)
    /// The maximum of the first pause before a job is tried again. Each further one may be twice as long.
    package var firstRetryPause: Duration = .seconds(1)
    /// The maximum of all pauses before a job is tried again, unless Apple asks for more.
    package var longestRetryPause: Duration = .seconds(900)
    /// How often the client itself tries a push, if it can be repeated at once, before the queue keeps it for a later try.
    package var attemptsInClient = 2
    /// When an app pauses because device tokens and setup do not match; `nil` for never.
    package var breaker: PushConfiguration.MismatchBreaker? = .standard
    /// How long a rejection is kept back that may come from a wrong setup. If the app pauses for it, the job waits again.
    package var suspicionTime: Duration = .seconds(2)
    /// How often the worker checks the files of the credentials. A single worker then also reads the pauses that other processes set.
    package var refreshInterval: Duration = .seconds(30)
    /// How many lines of a campaign wait or are in flight at most. The others are held, so that a pause takes effect at once and single
    /// pushes find room.
    package var releaseAhead = 2000
    /// How often lines of running campaigns are released.
    package var releaseInterval: Duration = .milliseconds(50)
    package var upkeep = Upkeep()

    package struct Upkeep: Sendable {
        /// The time between two rounds. A round ends lost leases and expired jobs.
        package var interval: Duration = .seconds(1)
        /// The time between two rounds that remove old data.
        package var cleaningInterval: Duration = .seconds(30)
        package var slice = 500
        /// How long payloads and variables are kept after the outcome.
        package var keepPayloads: Duration = .seconds(24 * 3600)
        /// How long finished jobs are kept.
        package var keepJobs: Duration = .seconds(7 * 24 * 3600)

        /// How old a transaction of any program may be before the log warns of it.
        package var oldTransaction: Duration = .seconds(300)

        package init() {}
    }

    var now: @Sendable () -> MonotonicTime = { MonotonicTime(nanoseconds: NIODeadline.now().uptimeNanoseconds) }
    var chance: @Sendable () -> Double = { .random(in: 0...1) }

    package init() {}
}
