/// A notification service extension: what it does to a notification before it is shown.
///
/// The system runs it only for `mutable-content` with a visible alert, and waits 30 seconds. These seconds are virtual: the
/// phone counts them and shows the notification at once.
public struct PhoneServiceExtension: Sendable, Hashable {
    /// How long the system waits for the extension.
    public static let timeLimit: Duration = .seconds(30)

    /// Attaches a file for an address in the payload.
    public struct Attachment: Sendable, Hashable {
        /// The custom key that the extension reads.
        public var key: String
        /// The local file for each address.
        public var files: [String: PhoneAttachmentFile]

        /// Creates the step.
        public init(key: String, files: [String: PhoneAttachmentFile]) {
            self.key = key
            self.files = files
        }
    }

    /// Looks up texts by a value in the payload.
    public struct Rewriting: Sendable, Hashable {
        /// The texts for a value. A value of `nil` leaves the field as it was sent.
        public struct Texts: Sendable, Hashable {
            /// The new title.
            public var title: String?
            /// The new subtitle.
            public var subtitle: String?
            /// The new body.
            public var body: String?
            /// The new category.
            public var category: String?

            /// Creates texts.
            public init(title: String? = nil, subtitle: String? = nil, body: String? = nil, category: String? = nil) {
                self.title = title
                self.subtitle = subtitle
                self.body = body
                self.category = category
            }
        }

        /// The custom key that the extension reads.
        public var key: String
        /// The texts for each value of the key.
        public var entries: [String: Texts]

        /// Creates the step.
        public init(key: String, entries: [String: Texts]) {
            self.key = key
            self.entries = entries
        }
    }

    /// Opens a sealed payload.
    public struct Opening: Sendable, Hashable {
        /// The custom key with the envelope.
        public var key: String
        /// The path of the file with the key.
        public var keyFile: String
        /// Why the key cannot be used, in a sentence; `nil` if it can.
        public var problem: String?

        /// Creates the step.
        public init(key: String = "sealed", keyFile: String) {
            self.key = key
            self.keyFile = keyFile
        }
    }

    /// How long it takes, in virtual time. With ``timeLimit`` or more, the original is shown.
    public var duration: Duration
    /// Whether it returns a notification. If not, the original is shown after 30 virtual seconds.
    public var handsOver: Bool
    /// Opens a sealed payload. Happens first.
    public var opening: Opening?
    /// Rewrites texts.
    public var rewriting: Rewriting?
    /// Attaches a file.
    public var attachment: Attachment?

    /// Creates an extension.
    public init(
        duration: Duration = .milliseconds(300), handsOver: Bool = true, opening: Opening? = nil,
        rewriting: Rewriting? = nil,
        attachment: Attachment? = nil
    ) {
        self.duration = duration
        self.handsOver = handsOver
        self.opening = opening
        self.rewriting = rewriting
        self.attachment = attachment
    }
}
