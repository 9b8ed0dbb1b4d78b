/// Server role: what a session keeps of the streams that its client opens.
struct ClientStreams {
    /// How many streams the client may have open.
    var limit = StreamLimit()
    /// Which ids the client has used.
    var ids = PeerStreamIDs()
    /// The first stream whose id is lower than one that was used before.
    var usedPassedID: Int32?
    /// How many streams were opened beyond a limit that the client had not acknowledged.
    var early = 0
    /// Streams that are to be reset with REFUSED_STREAM.
    var refused: [Int32] = []
    /// Streams above this id end because of ``HTTP2Session/goAway(lastStreamID:code:debugData:)``.
    var lastTaken = Int32.max
    /// How often the header fields of a request were more than ``HTTP2Session/Limits/headerBytes``. Each time its stream was reset.
    var overlongSections = 0
    /// How many streams this side had to reset, or not to open, because of what the client has sent there.
    var forcedResets = 0
    /// A stream whose body is longer than ``HTTP2Session/Limits/longestBody``.
    var overlongBody: Int32?
    /// How many submitted answers are in no frame yet.
    var unsentAnswers = 0
    /// Streams that ended before their submitted answer was in a frame.
    var lostAnswers: Set<Int32> = []
    /// Whether ``HTTP2Event/headersReceived(_:)`` reports requests whose body is still to come.
    var reportsHeaders = false
}
