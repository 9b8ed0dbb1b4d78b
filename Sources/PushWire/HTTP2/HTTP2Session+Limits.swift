extension HTTP2Session {
    /// What a session allows its peer.
    package struct Limits: Sendable {
        /// The settings that this side announces.
        package var settings: HTTP2Settings
        /// How much of a body is kept, in bytes. The rest is counted and dropped.
        package var bodyBytes = 64 * 1024
        /// How much a peer may send as header fields of one stream, in bytes.
        package var headerBytes = 16 * 1024
        /// How many CONTINUATION frames a peer may let follow one HEADERS.
        package var continuations = 8
        /// How many PINGs and SETTINGS of the peer may wait for their answers to be sent.
        package var unsentAnswersToControl = 1000
        /// How long a body may be before ``HTTP2Session/overlongBody`` tells of it, in bytes.
        package var longestBody = Int.max
        /// Client role: the names of the fields of an answer that are kept; all when empty.
        package var keptFields: [[UInt8]] = [] { didSet { noteLengths() } }
        /// Client role: further ones that are kept of an answer with another status than 200. Most answers are 200, and
        /// what is kept costs them memory.
        package var keptFieldsOfRefusals: [[UInt8]] = [] { didSet { noteLengths() } }
        /// A bit for each length that the name of a kept field may have; the last one for all longer ones. Most fields are
        /// passed over by it.
        private var keptLengths = UInt64.max
        /// Client role: the fields with which each request begins.
        package var commonFields = KeptRequest(.none)
        /// More streams than this are not opened, whatever the peer allows.
        package var openStreams = 1000
        /// Client role, for tests of a connection's last stream: the ids below are not used.
        package var firstStreamID: Int32 = 1
        /// Server role: resets that a peer may send at once, and per second after that.
        package var resetBurst: UInt64 = 10_000
        package var resetsPerSecond: UInt64 = 1000
        /// Server role: a stream beyond a limit that the client has not acknowledged is reset with REFUSED_STREAM. Otherwise it is
        /// served.
        package var refusesEarlyStreams = false
        /// Each frame of the peer is noted, for ``HTTP2Session/takeFrameNotes(into:)``.
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
