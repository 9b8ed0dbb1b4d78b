package import PushPlatform
package import PushQueue

/// The end of a try, for metrics and the like. What it reports is in the queue, durably.
package struct DeliveryEvent: Sendable, Hashable {
    /// The result of a try.
    package enum Result: Sendable, Hashable {
        /// It has its outcome.
        case finished(QueueJobOutcome)
        /// It waits for another try, for a reason.
        case waiting(String)
    }

    /// The app.
    package var app: String
    /// The id of the job.
    package var job: UUID
    /// The result of this try.
    package var result: Result
    /// How often it was tried, with this time.
    package var attempts: Int
    /// How long it was due before it was started; `nil` if it was not started.
    package var waiting: Duration?
    /// How long the client had it; `nil` if it was not started.
    package var sending: Duration?
}

/// Receives the ends of tries and the changes of apps. The engine makes the calls, and they must not block.
package protocol DeliveryObserver: Sendable {
    /// A try has ended.
    func ended(_ event: DeliveryEvent)
    /// An app has changed its state.
    func changed(_ status: AppStatus)
}

extension DeliveryObserver {
    /// Does nothing.
    package func changed(_ status: AppStatus) {}
}
