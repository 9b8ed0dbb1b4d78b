internal import PushWire

/// What happened on one connection to the mock: what a client did there on the wire.
///
/// Counts go on for ever. Streams and resets keep their newest ``MockConfiguration/recordLength`` entries, each other list
/// its newest hundred.
public struct ConnectionRecord: Sendable, Hashable {
    private static let shortListLength = 100

    /// Its number since the mock was started, from 1.
    public let number: Int
    /// When TCP had connected.
    public let openedAt: Moment
    /// When the TLS handshake was complete; `nil` when it was not.
    public internal(set) var establishedAt: Moment?
    /// How it ended; `nil` while it is open.
    public internal(set) var end: ConnectionEnd?
    /// What the client has shown in the handshake; `nil` for nothing.
    public internal(set) var certificate: ClientCertificate?
    /// Whether HTTP/2 was agreed on by ALPN; `nil` where the client has not spoken HTTP/2.
    public internal(set) var agreedOnHTTP2: Bool?
    /// The provider tokens in the order in which they came, each change once. Those of rejected requests are among them.
    public internal(set) var providerTokens: [ProviderTokenUse] = []
    /// The settings that the mock has sent.
    public internal(set) var settings: [SettingsUse] = []
    /// How many requests have arrived whole.
    public internal(set) var requestCount = 0
    /// How many streams the client has opened.
    public internal(set) var streamCount = 0
    /// How many of them were open at a time at the most.
    public internal(set) var mostOpenStreams = 0
    /// How many streams the client has opened beyond a limit of SETTINGS that it had not acknowledged: see
    /// ``MockVariants/refusesEarlyStreams``.
    public internal(set) var earlyStreamCount = 0
    /// The streams in the order in which they were opened.
    public internal(set) var streams: [StreamRecord] = []
    /// The resets that the client has sent, those of streams that were over already too.
    public internal(set) var resetsReceived: [StreamReset] = []
    /// How many resets the client has sent.
    public internal(set) var resetCount = 0
    /// What the mock has said GOAWAY with.
    public internal(set) var goAwaysSent: [GoAwayUse] = []
    /// What the client has said GOAWAY with.
    public internal(set) var goAwaysReceived: [GoAwayUse] = []
    /// How many PINGs the client has sent, its answers to ours not among them.
    public internal(set) var pingCount = 0
    /// How many frames the client has sent, by type.
    public var framesReceived: [FrameType: Int] {
        let present = frameCounts.enumerated().filter { $0.element > 0 }
        return Dictionary(uniqueKeysWithValues: present.map { (FrameType(rawValue: UInt8($0.offset)), $0.element) })
    }
    /// The faults that have acted on the connection as a whole; those of a request stand with its stream.
    public internal(set) var faults: [FaultMark] = []

    /// By the number of their type; nghttp2 tells only of those that it knows.
    private var frameCounts = [Int](repeating: 0, count: 16)
    private var settingsAcknowledged = 0
    private var settingsForgotten = 0
    /// How many streams and resets are kept.
    private let length: Int

    init(number: Int, openedAt: Moment, length: Int) {
        self.number = number
        self.length = max(1, length)
        self.openedAt = openedAt
    }

    /// The stream with an id, while the list reaches back to it.
    public func stream(_ id: Int32) -> StreamRecord? {
        index(of: id).map { streams[$0] }
    }

    /// Streams are in the order of their ids.
    private func index(of id: Int32) -> Int? {
        var low = 0
        var high = streams.count
        while low < high {
            let middle = (low + high) / 2
            if streams[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < streams.count && streams[low].id == id ? low : nil
    }
}

// MARK: What happens

extension ConnectionRecord {
    mutating func received(_ frames: [HTTP2FrameNote], at now: Moment) {
        for frame in frames {
            let type = FrameType(rawValue: frame.type)
            if frameCounts.indices.contains(Int(frame.type)) { frameCounts[Int(frame.type)] += 1 }
            switch type {
            case .headers: opened(frame.streamID, at: now)
            case .resetStream:
                resetCount += 1
                let reset = StreamReset(
                    streamID: frame.streamID, code: HTTP2Code(rawValue: frame.errorCode), at: now)
                Self.keep(reset, in: &resetsReceived, length)
                if let index = index(of: reset.streamID), streams[index].end == nil {
                    streams[index].end = .resetByClient(reset.code)
                }
            case .settings: if frame.acknowledges { acknowledged(at: now) }
            case .ping: if !frame.acknowledges { pingCount += 1 }
            default: break
            }
        }
    }

    /// Trailers come on a stream that is known.
    private mutating func opened(_ id: Int32, at now: Moment) {
        guard id > streams.last?.id ?? 0 else { return }
        streamCount += 1
        Self.keep(StreamRecord(id: id, openedAt: now), in: &streams, length)
    }

    mutating func announced(_ settings: HTTP2Settings, at now: Moment) {
        self.settings.append(SettingsUse(settings: FaultSettings(settings), sentAt: now))
        if self.settings.count > Self.shortListLength {
            self.settings.removeFirst()
            settingsForgotten += 1
        }
    }

    /// Acknowledgements come in the order of the settings.
    private mutating func acknowledged(at now: Moment) {
        let index = settingsAcknowledged - settingsForgotten
        settingsAcknowledged += 1
        if settings.indices.contains(index) { settings[index].acknowledgedAt = now }
    }

    mutating func ended(_ id: Int32, _ end: StreamRecord.End) {
        if let index = index(of: id) { streams[index].end = end }
    }

    mutating func acted(_ fault: FaultMark, on id: Int32) {
        if let index = index(of: id) { streams[index].fault = fault }
    }

    mutating func acted(_ fault: FaultMark) {
        Self.keep(fault, in: &faults)
    }

    mutating func used(_ token: ProviderTokenContent, at now: Moment) {
        let use = ProviderTokenUse(
            keyID: token.keyID, teamID: token.teamID, issuedAt: token.issuedAt, firstSeen: now)
        if let last = providerTokens.last, last.isSameToken(as: use) { return }
        Self.keep(use, in: &providerTokens)
    }

    mutating func saidGoAway(_ goAway: GoAwayUse) {
        Self.keep(goAway, in: &goAwaysSent)
    }

    mutating func heardGoAway(_ goAway: GoAwayUse) {
        Self.keep(goAway, in: &goAwaysReceived)
    }

    /// A tenth is dropped at once, so that a long list is not moved for each entry.
    private static func keep<Entry>(_ entry: Entry, in list: inout [Entry], _ length: Int = shortListLength) {
        if list.count >= length { list.removeFirst(max(1, length / 10)) }
        list.append(entry)
    }
}
