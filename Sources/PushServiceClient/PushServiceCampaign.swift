public import PushPlatform

/// A campaign as a service knows it.
public struct PushServiceCampaign: Sendable, Hashable, Decodable {
    /// How many lines a campaign has.
    public struct Lines: Sendable, Hashable, Decodable {
        /// Lines that were accepted.
        public var total: Int
        /// Lines that were refused on arrival.
        public var refused: Int
        /// Lines that are not released.
        public var held: Int
        /// Released lines that wait.
        public var waiting: Int
        /// Lines that are being sent.
        public var inFlight: Int
        /// Lines that Apple accepted.
        public var accepted: Int
        /// Lines that Apple rejected.
        public var rejected: Int
        /// Lines of unknown outcome.
        public var unknown: Int
        /// Lines that were not sent.
        public var notSent: Int

        private enum CodingKeys: String, CodingKey {
            case total, refused, held, waiting, accepted, rejected, unknown
            case inFlight = "in_flight"
            case notSent = "not_sent"
        }
    }

    /// The results of the lines of an upload.
    public struct Upload: Sendable, Hashable, Decodable {
        /// A line that cannot be sent.
        public struct Refusal: Sendable, Hashable, Decodable {
            /// The number of the line.
            public var line: Int
            /// A word for programs.
            public var code: String
            /// What is wrong, in a sentence.
            public var detail: String
            /// How to correct it; `nil` if the detail says so.
            public var remedy: String?
        }

        /// Lines that are on the disk of the service now.
        public var accepted: Int
        /// Lines that the campaign had before.
        public var repeated: Int
        /// Lines that were refused.
        public var refused: Int
        /// The first refused lines, at most 100.
        public var refusals: [Refusal]
    }

    /// The id.
    public var id: UUID
    /// The app.
    public var app: String
    /// The name.
    public var name: String
    /// Where the campaign is: `draft`, `scheduled`, `running`, `paused`, `cancelling`, `cancelled` or `finished`.
    public var state: String
    /// Whether it takes more lines.
    public var isOpen: Bool
    /// How many lines are sent in a second, at most; `nil` for no limit.
    public var rate: Double?
    /// How many lines got their outcome in a second, lately.
    public var rateNow: Double
    /// When the last line will probably have its outcome; `nil` if that is not known.
    public var estimatedEnd: Date?
    /// The number of the line from which an interrupted upload continues.
    public var nextLine: Int
    /// How many lines it has.
    public var lines: Lines
    /// The results of the lines of this request; `nil` if the request had none.
    public var upload: Upload?

    private enum CodingKeys: String, CodingKey {
        case id, app, name, state, rate, lines, upload
        case isOpen = "open"
        case rateNow = "rate_now"
        case estimatedEnd = "estimated_end"
        case nextLine = "next_line"
    }
}

/// A line in the report of a campaign.
public struct PushServiceCampaignLine: Sendable, Hashable, Decodable {
    /// The number of the line.
    public var line: Int
    /// Where the report continues after it, only for a push to another device of the user; otherwise it is ``line``.
    public var after: Int?
    /// The id of its notification; `nil` if the line was refused.
    public var id: UUID?
    /// The device token; `nil` if the line was refused.
    public var token: String?
    /// How it ended: `accepted`, `rejected`, `unknown`, `not_sent` or, if it is no longer kept, `dropped`. `nil` if it has no outcome yet.
    public var outcome: String?
    /// A word for programs, such as `BadDeviceToken` or `invalid`.
    public var reason: String?
    /// A sentence for people.
    public var detail: String?
}

/// A campaign to make.
public struct NewPushServiceCampaign: Sendable, Hashable {
    /// The name, for people.
    public var name: String
    /// The app; `nil` for the only app of the key.
    public var app: String?
    /// The payload for lines without their own one, as JSON; it may have placeholders. `nil` if every line has its own one.
    public var payload: String?
    /// How many lines are sent in a second, at most; `nil` for no limit.
    public var rate: Double?
    /// When the first line is sent; `nil` for as soon as the campaign is started.
    public var startsAt: Date?
    /// When lines end that were not sent; `nil` for never.
    public var expiresAt: Date?
    /// The collapse id; `nil` for none.
    public var collapseID: String?

    /// Creates a campaign without a limit of its rate.
    ///
    /// - Parameters:
    ///   - name: The name, for people.
    ///   - payload: The payload for lines without their own one, as JSON.
    public init(_ name: String, payload: String? = nil) {
        (self.name, self.payload) = (name, payload)
    }
}
