internal import CNGHTTP2

/// The maximum number of streams that a client may open: the announced and the acknowledged limits (RFC 9113 section
/// 5.1.2).
///
/// nghttp2 would refuse streams by its own rules and with its own text. So nghttp2 gets no limit, and the limit is
/// written into its SETTINGS frames.
struct StreamLimit: Equatable {
    /// The result of a check of the number of open streams.
    enum Judgement: Equatable {
        case allowed
        /// The number is beyond an announced limit that the client has not acknowledged.
        case beyondAnnounced
        /// The number is beyond the acknowledged limit and beyond all newer ones.
        case beyondAcknowledged
    }

    /// The value for the library instead of a limit.
    static let unknownToTheLibrary = UInt32(Int32.max)

    /// The limit in force; `nil` before the first one.
    private var inForce: UInt32?
    /// The limits in SETTINGS frames without acknowledgement, oldest first; `nil` for a frame without a limit.
    private var announced: [UInt32?] = []
    /// The limits that are not in a frame yet, oldest first.
    private var unwritten: [UInt32] = []

    mutating func announced(_ limit: UInt32?) {
        announced.append(limit)
        if let limit { unwritten.append(limit) }
    }

    mutating func acknowledged() {
        guard !announced.isEmpty, let limit = announced.removeFirst() else { return }
        inForce = limit
    }

    func judge(openStreams: Int) -> Judgement {
        guard !announced.isEmpty else {
            return inForce.map { openStreams > Int($0) } ?? false ? .beyondAcknowledged : .allowed
        }
        let known = [inForce] + announced.filter { $0 != nil }
        let isBeyond = known.map { limit in limit.map { openStreams > Int($0) } ?? false }
        guard isBeyond.contains(true) else { return .allowed }
        return isBeyond.contains(false) ? .beyondAnnounced : .beyondAcknowledged
    }

    /// Writes the next limit into a SETTINGS frame of the library. It does not change other frames.
    ///
    /// The bytes are in the library's own buffer, which it does not read again.
    mutating func write(into frame: UnsafeRawBufferPointer) {
        guard !unwritten.isEmpty, frame.count > 9, frame[3] == UInt8(NGHTTP2_SETTINGS.rawValue) else { return }
        let bytes = UnsafeMutableRawBufferPointer(mutating: frame)
        for entry in stride(from: 9, through: bytes.count - 6, by: 6)
        where bytes[entry] == 0 && bytes[entry + 1] == UInt8(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue) {
            bytes.storeBytes(of: unwritten.removeFirst().bigEndian, toByteOffset: entry + 2, as: UInt32.self)
            return
        }
    }
}

/// The stream ids that a client has used. It must use them in ascending order (RFC 9113 section 5.1.1).
struct PeerStreamIDs: Equatable {
    enum Use: Equatable {
        /// The id is the highest so far.
        case new
        /// The client has used the id before.
        case known
        /// The client has used a higher id, but never this one.
        case passedOver
    }

    /// The maximum number of gaps between used ids that are stored. Beyond it, the oldest tenth is dropped, and their
    /// ids count as known.
    private static let maximumGaps = 1000

    private var highest: Int32 = -1
    /// The ranges of skipped ids, in ascending order.
    private var gaps: [ClosedRange<Int32>] = []

    /// Whether the client has used the id. Ids of forgotten gaps count as used.
    func hasUsed(_ id: Int32) -> Bool {
        id > 0 && id % 2 == 1 && id <= highest && !gaps.contains { $0.contains(id) }
    }

    mutating func uses(_ id: Int32) -> Use {
        guard id > 0, id % 2 == 1 else { return .known }
        guard id > highest else { return gaps.contains { $0.contains(id) } ? .passedOver : .known }
        if id > highest + 2 {
            if gaps.count == Self.maximumGaps { gaps.removeFirst(Self.maximumGaps / 10) }
            gaps.append(highest + 2...id - 2)
        }
        highest = id
        return .new
    }
}
