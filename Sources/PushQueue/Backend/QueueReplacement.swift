public import PushPlatform

/// A leased job that is about to be sent.
public struct QueueJobStart: Sendable, Hashable {
    /// The right to start the job.
    public var lease: QueueJobLease
    /// The order of the pushes that replace each other on the device; `nil` for a push that replaces none.
    public var replacement: QueueReplacement?

    /// Creates a start.
    ///
    /// - Parameters:
    ///   - lease: The right to start the job.
    ///   - replacement: The order of the pushes that replace each other on the device; `nil` for a push that replaces none.
    public init(_ lease: QueueJobLease, replacement: QueueReplacement? = nil) {
        (self.lease, self.replacement) = (lease, replacement)
    }
}

/// The place of a push among those that replace each other on a device. An older one is never started after a newer one, and no two of
/// them are on the way at the same time.
public struct QueueReplacement: Sendable, Hashable {
    /// A digest of what they have in common, the same for all of them. Other pushes of the app must have another one.
    public var key: UUID
    /// The id of the job; for a dead letter that is sent again, the id of the first job. The ids are in the order of first due times.
    public var place: UUID
    /// How long a started push is on the way at most, if its worker does not report its outcome.
    public var longest: Duration

    /// Creates a place.
    public init(key: UUID, place: UUID, longest: Duration) {
        (self.key, self.place, self.longest) = (key, place, longest)
    }
}
