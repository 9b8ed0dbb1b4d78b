/// A local file that a service extension attaches.
public struct PhoneAttachmentFile: Sendable, Hashable {
    /// What is known of the content of a file.
    public struct Content: Sendable, Hashable {
        /// The size in bytes.
        public var byteCount: Int
        /// The first bytes, at least 16 if there are as many. The type follows from them, not from the name.
        public var beginning: [UInt8]

        /// Creates a description.
        public init(byteCount: Int, beginning: [UInt8]) {
            self.byteCount = byteCount
            self.beginning = beginning
        }
    }

    /// The name, or the path relative to the profile.
    public var path: String
    /// The bytes, if the profile itself contains them.
    public var bytes: [UInt8]?
    /// The content; `nil` if there is no such file.
    public var content: Content?
    /// Why the file cannot be used, in a sentence; `nil` if it can.
    public var problem: String?

    /// Creates a file that is read later.
    public init(path: String) {
        self.path = path
    }

    /// Creates a file from its bytes.
    public init(name: String, bytes: [UInt8]) {
        path = name
        self.bytes = bytes
        content = Content(byteCount: bytes.count, beginning: Array(bytes.prefix(16)))
    }

    /// The last part of the path.
    public var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}

/// The types of files that the system accepts as attachments, and their limits.
///
/// Source: Apple, "UNNotificationAttachment".
public struct PhoneAttachmentType: Sendable, Hashable {
    /// The kinds of files.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case image, audio, movie

        /// The kind as the subject of a sentence.
        var withArticle: String {
            switch self {
            case .image: "an image"
            case .audio: "audio"
            case .movie: "a movie"
            }
        }

        /// The maximum size, in bytes. A larger file is not attached.
        public var maximumBytes: Int {
            switch self {
            case .audio: 5 << 20
            case .image: 10 << 20
            case .movie: 50 << 20
            }
        }
    }

    /// The kind.
    public var kind: Kind
    /// The media type, such as `image/jpeg`.
    public var mediaType: String
    /// What people call it, such as `JPEG`.
    public var name: String

    /// Finds out the type of a file.
    ///
    /// - Parameter bytes: The first bytes of the file.
    /// - Returns: The type; `nil` if the system accepts no such file.
    public static func type(of bytes: [UInt8]) -> PhoneAttachmentType? {
        func has(_ text: String, at index: Int = 0) -> Bool { bytes.dropFirst(index).starts(with: text.utf8) }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return .init(kind: .image, mediaType: "image/jpeg", name: "JPEG") }
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
            return .init(kind: .image, mediaType: "image/png", name: "PNG")
        }
        if has("GIF8") { return .init(kind: .image, mediaType: "image/gif", name: "GIF") }
        if has("RIFF"), has("WAVE", at: 8) { return .init(kind: .audio, mediaType: "audio/wav", name: "WAV") }
        if has("FORM"), has("AIF", at: 8) { return .init(kind: .audio, mediaType: "audio/aiff", name: "AIFF") }
        if has("ftypM4A", at: 4) { return .init(kind: .audio, mediaType: "audio/mp4", name: "MPEG-4 audio") }
        if has("ID3") || bytes.first == 0xFF && bytes.count > 1 && bytes[1] & 0xE6 == 0xE2 {
            return .init(kind: .audio, mediaType: "audio/mpeg", name: "MP3")
        }
        if has("RIFF"), has("AVI ", at: 8) { return .init(kind: .movie, mediaType: "video/x-msvideo", name: "AVI") }
        if has("ftyp", at: 4) { return .init(kind: .movie, mediaType: "video/mp4", name: "MPEG-4") }
        if bytes.starts(with: [0, 0, 1, 0xBA]) || bytes.starts(with: [0, 0, 1, 0xB3]) {
            return .init(kind: .movie, mediaType: "video/mpeg", name: "MPEG")
        }
        return nil
    }
}
