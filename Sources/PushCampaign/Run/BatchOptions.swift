/// The options of a campaign run.
public struct BatchOptions: Sendable {
    /// The maximum number of lines per second, evenly distributed; `nil` for no limit.
    public var rate: Double?
    /// The timeout of each line, from when it is passed to the client; `nil` for the timeout of the client.
    public var timeout: Duration?
    /// How many lines may be marked in the journal without an outcome. After a kill, the outcome of at most this many
    /// lines is unknown.
    public var window = 10_000
    /// Whether lines that may have been sent are sent again, with the same `apns-id`.
    public var isAtLeastOnce = false
    /// Whether the journal is synced to the disk before lines are sent. Then no line is sent twice even after a power
    /// failure.
    public var isDurable = false
    /// Whether a second line with the same device token is skipped.
    public var skipsDuplicates = false
    /// Which lines are sent; `nil` for all.
    public var sample: BatchSample?
    /// Whether each line is checked with all rules, see `PayloadLint` in PushLint. A line that breaks a rule of severity error
    /// is not sent. Without it, only lines that the client refuses are not sent, see
    /// `PushConfiguration.checksNotifications`.
    public var lints = true
    /// After this many lines that were not accepted, no more lines are read. A 410 does not count: finding inactive tokens
    /// is a normal result of a campaign.
    public var mostErrors: Int?
    /// Whether a 410 means that the device token is inactive even if the registration time is unknown
    /// (`PushOutcome.TokenStatus.unclear`). A token that was registered again in the meantime is then also listed as gone.
    public var takesGoneAtFaceValue = false
    /// How long the server may accept nothing before the campaign ends and keeps its remaining lines. Until then the
    /// campaign pauses and tries one line from time to time.
    public var outageWait: Duration = .seconds(1800)
    /// After this time, no more lines are read.
    public var stopsAfter: Duration?

    /// Creates the default options.
    public init() {}
}
