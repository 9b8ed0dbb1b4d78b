/// How a campaign is run.
public struct BatchOptions: Sendable {
    /// How many lines a second go out at the most, evenly; `nil` for as many as can.
    public var rate: Double?
    /// How long each may take, from when it is handed to the client; the client's own time when `nil`.
    public var timeout: Duration?
    /// How many lines may be marked in the journal without an outcome: after a kill, no more than so many are unknown.
    public var window = 10_000
    /// Lines of which it is not known whether they went out are sent again, with the same `apns-id`.
    public var isAtLeastOnce = false
    /// Marks are on the disk before they are relied upon: the promise holds for a power cut too.
    public var isDurable = false
    /// Each device token is sent to once.
    public var skipsDuplicates = false
    /// Which lines are sent; all of them when `nil`.
    public var sample: BatchSample?
    /// Each line is held against the whole table of rules, see ``Lint``, and one that breaks a rule of severity error is not sent.
    /// Otherwise only what the client refuses is not sent, see ``PushConfiguration/checksNotifications``.
    public var lints = true
    /// After so many lines that were not accepted no more are read. A 410 does not count: it is what a campaign is there to find.
    public var mostErrors: Int?
    /// A 410 counts as the end of its device token also where nobody has said when the app registered it (``TokenFate/unclear``). A token that
    /// was registered again meanwhile is then among those that are gone.
    public var takesGoneAtFaceValue = false
    /// How long the server may take nothing from anybody before the campaign ends and keeps its lines. Until then the campaign pauses,
    /// and tries one line now and then.
    public var outageWait: Duration = .seconds(1800)
    /// After so long no more are read.
    public var stopsAfter: Duration?

    /// The defaults.
    public init() {}
}
