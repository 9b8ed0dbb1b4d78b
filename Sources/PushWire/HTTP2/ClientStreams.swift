/// The closed streams on which the client may still send, because it may not know yet that they are closed (RFC 9113
/// section 5.1).
struct StreamsEndedHere: Equatable {
    /// The maximum number of streams that are stored. Beyond it, the lower half is dropped, and all streams up to the
    /// highest of them count as ended here.
    private static let maximum = 2000

    private var ids: Set<Int32> = []
    private var highestDropped: Int32 = 0

    mutating func insert(_ id: Int32) {
        guard id > highestDropped else { return }
        ids.insert(id)
        guard ids.count > Self.maximum else { return }
        let sorted = ids.sorted()
        highestDropped = sorted[Self.maximum / 2]
        ids = Set(sorted[(Self.maximum / 2 + 1)...])
    }

    func contains(_ id: Int32) -> Bool { id <= highestDropped || ids.contains(id) }
}

/// Server role: the state of the streams that the client opens.
struct ClientStreams {
    /// The maximum number of open streams.
    var limit = StreamLimit()
    /// The ids that the client has used.
    var ids = PeerStreamIDs()
    /// The number of streams that the client has begun, with those that the library ignores after a GOAWAY.
    var begun = 0
    /// The first stream with a new id that is lower than an id used before.
    var usedPassedID: Int32?
    /// The first stream on which the client sent HEADERS or DATA after it had ended or reset it.
    var usedFinishedID: Int32?
    /// Where the frames of the client begin.
    var heads = FrameHeads()
    /// The streams that this side ended before the client did: frames of the client may still be on the way.
    var endedHere = StreamsEndedHere()
    /// The number of streams that were opened beyond a limit that the client had not acknowledged.
    var early = 0
    /// The streams to reset with REFUSED_STREAM.
    var refused: [Int32] = []
    /// The last stream id of ``HTTP2Session/goAway(lastStreamID:code:debugData:)``. Streams with a higher id end.
    var lastTaken = Int32.max
    /// The number of requests whose header fields exceeded ``HTTP2Session/Limits/headerBytes``. Their streams were
    /// reset.
    var overlongSections = 0
    /// The number of streams that this side had to reset or refuse because of the client's data.
    var forcedResets = 0
    /// A stream with a body that is longer than ``HTTP2Session/Limits/longestBody``.
    var overlongBody: Int32?
    /// The number of submitted answers that are in no frame yet.
    var unsentAnswers = 0
    /// The streams that ended before their submitted answer was in a frame.
    var lostAnswers: Set<Int32> = []
    /// Whether ``HTTP2Event/headersReceived(_:)`` reports requests whose body is still to come.
    var reportsHeaders = false
}

/// Finds the headers of DATA frames in the bytes from a client, however they are cut (RFC 9113 section 4.1). A pure value.
struct FrameHeads {
    /// The bytes until the next header: first the preface of the client, then what a frame contains.
    private var rest = 24
    /// The number of bytes of the header so far, of nine.
    private var count = 0
    private var length = 0
    private var kind: UInt8 = 0
    private var id: UInt32 = 0

    /// Goes to the end of the next header of a DATA frame.
    ///
    /// - Parameters:
    ///   - bytes: The bytes from the client, which follow those of the last call.
    ///   - at: The offset from which to look; then that behind the header.
    /// - Returns: The stream of the frame; `nil` if no such header ends in the bytes.
    mutating func nextData(in bytes: UnsafeRawBufferPointer, from at: inout Int) -> Int32? {
        while at < bytes.count {
            if rest > 0 {
                let step = min(rest, bytes.count - at)
                (at, rest) = (at + step, rest - step)
                continue
            }
            let byte = bytes[at]
            switch count {
            case 0...2: length = length << 8 | Int(byte)
            case 3: kind = byte
            case 4: break
            default: id = id << 8 | UInt32(byte)
            }
            (at, count) = (at + 1, count + 1)
            guard count == 9 else { continue }
            let stream = Int32(id & 0x7FFF_FFFF)
            (rest, count, length, id) = (length, 0, 0, 0)
            if kind == 0 { return stream }
        }
        return nil
    }
}
