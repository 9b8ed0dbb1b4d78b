extension HTTP2Session {
    /// The limits of a session for its peer, and what it keeps of the peer's messages.
    package struct Limits: Sendable {
        /// The settings that this side announces.
        package var settings: HTTP2Settings
        /// The maximum number of bytes of a body that are stored. Further bytes are counted and dropped.
        package var bodyBytes = 64 * 1024
        /// The maximum size of the header fields of one stream, in bytes. With more, the stream is reset.
        package var headerBytes = 16 * 1024
        /// The maximum number of CONTINUATION frames after one HEADERS. With more, the connection ends.
        package var continuations = 8
        /// The maximum number of PINGs and SETTINGS of the peer whose answers are not sent yet. With more, the
        /// connection ends.
        package var unsentAnswersToControl = 1000
        /// The maximum length of a body, in bytes. A longer body is reported in ``HTTP2Session/overlongBody``.
        package var longestBody = Int.max
        /// Client role: the names of the header fields of an answer that are stored. If it is empty, all are stored.
        package var keptFields: [[UInt8]] = [] { didSet { noteLengths() } }
        /// Client role: the names of further header fields that are stored if the status is not 200. Most answers have
        /// status 200, so this saves memory.
        package var keptFieldsOfRefusals: [[UInt8]] = [] { didSet { noteLengths() } }
        /// One bit for each possible length of a stored field's name; the last bit is for all longer names. It is a
        /// fast check that excludes most fields.
        private var keptLengths = UInt64.max
        /// Client role: the fields at the beginning of each request.
        package var commonFields = KeptRequest(.none)
        /// Client role: the maximum number of open streams, even if the peer allows more. No further stream is opened.
        package var openStreams = 1000
        /// Client role: the first stream id, for tests of a connection's last stream.
        package var firstStreamID: Int32 = 1
        /// Server role: the maximum number of RST_STREAM frames in a burst. With more, the library ends the connection.
        package var resetBurst: UInt64 = 10_000
        /// Server role: the number of RST_STREAM frames per second that the peer may send after such a burst.
        package var resetsPerSecond: UInt64 = 1000
        /// Server role: whether a stream beyond a limit that the client has not acknowledged is reset with
        /// REFUSED_STREAM. Otherwise it is served.
        package var refusesEarlyStreams = false
        /// Whether each frame of both sides is recorded, for ``HTTP2Session/takeFrameNotes(into:)``.
        package var notesFrames = false

        package init(settings: HTTP2Settings = HTTP2Settings()) {
            self.settings = settings
        }

        private mutating func noteLengths() {
            let lengths = (keptFields + keptFieldsOfRefusals).map { UInt64(1) << UInt64(min($0.count, 63)) }
            keptLengths = keptFields.isEmpty ? .max : lengths.reduce(0, |)
        }

        func keepsField(_ name: UnsafeBufferPointer<UInt8>, status: Int?) -> Bool {
            guard keptLengths >> UInt64(min(name.count, 63)) & 1 == 1 else { return false }
            if keptFields.isEmpty || Self.holds(keptFields, name) { return true }
            return status != 200 && Self.holds(keptFieldsOfRefusals, name)
        }

        private static func holds(_ fields: [[UInt8]], _ name: UnsafeBufferPointer<UInt8>) -> Bool {
            for field in fields where field.count == name.count {
                if name.elementsEqual(field) { return true }
            }
            return false
        }
    }
}
