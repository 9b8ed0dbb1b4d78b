public import PushPlatform

/// A notification as the user sees it.
public struct PhoneNotificationCard: Sendable, Hashable {
    /// An attached file.
    public struct Attachment: Sendable, Hashable {
        /// The local file.
        public var file: PhoneAttachmentFile
        /// Its type.
        public var type: PhoneAttachmentType

        /// The name of the file.
        public var name: String { file.name }
        /// Its size.
        public var byteCount: Int { file.content?.byteCount ?? 0 }
    }

    /// The view of a content extension.
    public struct Content: Sendable, Hashable {
        /// A custom key and its value.
        public struct Field: Sendable, Hashable {
            /// The key.
            public var key: String
            /// The value as text.
            public var value: String
        }

        /// What it shows, in order.
        public var fields: [Field]
        /// Whether the ordinary title and body are hidden.
        public var hidesDefault: Bool
        /// The height at the start, in parts of the width.
        public var ratio: Double
    }

    /// The number of the push.
    public var push: Int
    /// The bundle id.
    public var topic: String
    /// The name of the app.
    public var app: String?
    /// The title.
    public var title: String?
    /// The subtitle.
    public var subtitle: String?
    /// The text.
    public var body: String?
    /// How much it may interrupt.
    public var level = PhoneNotificationLevel.active
    /// The name of the sound.
    public var sound: String?
    /// The volume of a critical sound, from 0 to 1.
    public var volume: Double?
    /// When it was shown.
    public var time: Date
    /// The conversation that it belongs to.
    public var thread: String?
    /// The category.
    public var category: String?
    /// `target-content-id`.
    public var target: String?
    /// The attached file.
    public var attachment: Attachment?
    /// The address in the payload that no file is attached for.
    public var attachmentAddress: String?
    /// The buttons.
    public var actions: [PhoneNotificationAction] = []
    /// The view of the content extension.
    public var content: Content?
    /// Whether it was delivered quietly.
    public var isQuiet = false
    /// Whether the phone made a sound.
    public var isLoud = false
    /// Whether the service extension changed the texts.
    public var isRewritten = false
    /// The badge that it set.
    public var badge: Int?

    /// The key of its group: the thread, or the bundle id.
    public var group: String { thread ?? topic }
}
