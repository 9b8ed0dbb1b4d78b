internal import DequeModule
package import PushPlatform
internal import PushWire

/// A record of what a client did on one connection to the mock.
///
/// Counts include everything since the start of the connection. The lists of streams and resets keep the newest
/// ``MockConfiguration/recordLength`` entries, all other lists the newest 100.
package struct MockConnectionRecord: Sendable, Hashable {
    /// The maximum number of entries in each list except streams and resets. Beyond it, the oldest entries are dropped.
    private static let shortListLength = 100
    private static let maximumFrames = 50

    /// The number of the connection since the start of the mock, from 1.
    package let number: Int
    package let openedAt: Date
    /// The address of the client; `nil` if the system does not report it.
    package internal(set) var peer: String?
    /// Whether the client used the mock as its proxy, with CONNECT.
    package internal(set) var isProxied = false
    /// The name of Apple's that the client connected to, by SNI or through the proxy; `nil` for another name. It decides the
    /// environment of the connection.
    package internal(set) var appleHost: String?
    /// When the TLS handshake was complete; `nil` if it is not.
    package internal(set) var establishedAt: Date?
    /// When a fault or ``MockVariants/silenceAfter`` made the mock silent on the connection; `nil` if it is not.
    package internal(set) var wentSilentAt: Date?
    /// How the connection ended; `nil` while it is open.
    package internal(set) var end: MockConnectionEnd?
    /// The certificate that the client presented in the handshake; `nil` for none.
    package internal(set) var certificate: MockClientCertificate?
    /// Whether ALPN selected HTTP/2; `nil` if the client has not used HTTP/2.
    package internal(set) var agreedOnHTTP2: Bool?
    /// The provider tokens in order of arrival, including those of rejected requests. There is one entry for each change.
    package internal(set) var providerTokens: [MockProviderTokenUse] = []
    /// The newest settings that the client has sent; `nil` if it has sent none.
    package internal(set) var settingsReceived: MockFault.Settings?
    /// The flow-control windows of the connection, when it was used last; `nil` before HTTP/2.
    package internal(set) var windows: MockConnectionWindows?
    package internal(set) var settings: [MockSettingsUse] = []
    package internal(set) var requestCount = 0
    package internal(set) var streamCount = 0
    /// The maximum number of streams that were open at the same time.
    package internal(set) var maximumOpenStreams = 0
    /// The number of streams beyond a limit of SETTINGS that the client had not acknowledged yet. See
    /// ``MockVariants/refusesEarlyStreams``.
    package internal(set) var earlyStreamCount = 0
    /// The streams, oldest first.
    package var streams: [MockStreamRecord] { Array(recentStreams) }
    /// The resets that the client has sent, including those for streams that had already ended.
    package internal(set) var resetsReceived: [MockStreamReset] = []
    package internal(set) var resetCount = 0
    package internal(set) var goAwaysSent: [MockGoAwayUse] = []
    /// The GOAWAY frames that the client has sent.
    package internal(set) var goAwaysReceived: [MockGoAwayUse] = []
    /// The number of PING frames that the client has sent, without answers to PING.
    package internal(set) var pingCount = 0
    /// The number of frames that the client has sent, by type.
    package var framesReceived: [MockFault.Frame.Kind: Int] { frameCounts.byType }
    /// The number of frames that the mock has sent, by type, without those that a fault sends as raw bytes.
    package var framesSent: [MockFault.Frame.Kind: Int] { sentFrameCounts.byType }
    /// The faults that have acted on the connection. Faults that acted on a request are in ``MockStreamRecord/fault``.
    package internal(set) var faults: [MockFault.Mark] = []

    private var recentStreams: Deque<MockStreamRecord> = []
    private var frameCounts = FrameCounts()
    private var sentFrameCounts = FrameCounts()
    private var settingsAcknowledged = 0
    private var settingsForgotten = 0
    /// The maximum number of streams and of resets in the lists. Beyond it, the oldest are removed.
    private let length: Int

    init(number: Int, openedAt: Date, length: Int) {
        self.number = number
        self.length = max(1, length)
        self.openedAt = openedAt
    }

    /// Returns the stream with the given id; `nil` if it is not in the list, or no longer.
    package func stream(_ id: Int32) -> MockStreamRecord? {
        index(of: id).map { recentStreams[$0] }
    }

    /// Streams are sorted by id. Ids are odd and mostly without a gap, so one look is usually enough; otherwise, a binary search.
    private func index(of id: Int32) -> Int? {
        guard let first = recentStreams.first else { return nil }
        let guess = (Int(id) - Int(first.id)) / 2
        if recentStreams.indices.contains(guess), recentStreams[guess].id == id { return guess }
        var low = 0
        var high = recentStreams.count
        while low < high {
            let middle = (low + high) / 2
            if recentStreams[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < recentStreams.count && recentStreams[low].id == id ? low : nil
    }
}

// MARK: Updates

extension MockConnectionRecord {
    mutating func noted(_ frames: [HTTP2FrameNote], at now: Date) {
        for frame in frames {
            let type = MockFault.Frame.Kind(rawValue: frame.type)
            guard !frame.isSent else {
                sentFrameCounts.add(frame.type)
                if frame.streamID != 0 { note(frame, type, at: now) }
                continue
            }
            frameCounts.add(frame.type)
            if frame.streamID != 0 { note(frame, type, at: now) }
            switch type {
            case .resetStream:
                resetCount += 1
                let reset = MockStreamReset(
                    streamID: frame.streamID, code: MockHTTP2Code(rawValue: frame.errorCode), at: now)
                Self.keep(reset, in: &resetsReceived, length)
                if let index = index(of: reset.streamID), recentStreams[index].end == nil {
                    recentStreams[index].end = .resetByClient(reset.code)
                }
            case .settings: if frame.acknowledges { acknowledged(at: now) }
            case .ping: if !frame.acknowledges { pingCount += 1 }
            default: break
            }
        }
    }

    /// Adds a stream. HEADERS on a known stream are trailers, and are ignored.
    private mutating func note(_ frame: HTTP2FrameNote, _ type: MockFault.Frame.Kind, at now: Date) {
        if type == .headers, !frame.isSent { opened(frame.streamID, at: now) }
        guard let index = index(of: frame.streamID), recentStreams[index].frameList.count < Self.maximumFrames else {
            return
        }
        recentStreams[index].frameList.append(
            MockHTTP2FrameUse(
                at: now, type: type, isSent: frame.isSent, byteCount: frame.byteCount, endsStream: frame.endsStream))
    }

    private mutating func opened(_ id: Int32, at now: Date) {
        guard id > recentStreams.last?.id ?? 0 else { return }
        streamCount += 1
        Self.keep(MockStreamRecord(id: id, openedAt: now), in: &recentStreams, length)
    }

    mutating func announced(_ settings: HTTP2Settings, at now: Date) {
        self.settings.append(MockSettingsUse(settings: MockFault.Settings(settings), sentAt: now))
        if self.settings.count > Self.shortListLength {
            self.settings.removeFirst()
            settingsForgotten += 1
        }
    }

    /// Marks the oldest unacknowledged settings: clients acknowledge settings in order.
    private mutating func acknowledged(at now: Date) {
        let index = settingsAcknowledged - settingsForgotten
        settingsAcknowledged += 1
        if settings.indices.contains(index) { settings[index].acknowledgedAt = now }
    }

    mutating func ended(_ id: Int32, _ end: MockStreamRecord.End) {
        if let index = index(of: id) { recentStreams[index].end = end }
    }

    /// Continues the record of another mock: what is known of the connection, and its open streams.
    mutating func goOn(from other: MockConnectionRecord, isNew: Bool) {
        if isNew {
            peer = other.peer
            isProxied = other.isProxied
            appleHost = other.appleHost
            establishedAt = other.establishedAt
            certificate = other.certificate
            agreedOnHTTP2 = other.agreedOnHTTP2
            settings = other.settings
            settingsAcknowledged = other.settingsAcknowledged
            settingsForgotten = other.settingsForgotten
        }
        for stream in other.recentStreams where stream.end == nil && index(of: stream.id) == nil {
            let index = recentStreams.firstIndex { $0.id > stream.id } ?? recentStreams.endIndex
            recentStreams.insert(stream, at: index)
            streamCount += 1
        }
    }

    mutating func acted(_ fault: MockFault.Mark, on id: Int32) {
        if let index = index(of: id) { recentStreams[index].fault = fault }
    }

    mutating func acted(_ fault: MockFault.Mark) {
        Self.keep(fault, in: &faults)
    }

    mutating func used(_ token: ProviderTokenContent, at now: Date) {
        let use = MockProviderTokenUse(
            keyID: token.keyID, teamID: token.teamID, issuedAt: token.issuedAt, firstSeen: now)
        if let last = providerTokens.last, last.isSameToken(as: use) { return }
        Self.keep(use, in: &providerTokens)
    }

    mutating func sentGoAway(_ goAway: MockGoAwayUse) {
        Self.keep(goAway, in: &goAwaysSent)
    }

    mutating func receivedGoAway(_ goAway: MockGoAwayUse) {
        Self.keep(goAway, in: &goAwaysReceived)
    }

    /// Adds an entry. A full list drops a tenth of its entries at once, so that a long list is not moved for each entry.
    private static func keep<List: RangeReplaceableCollection>(
        _ entry: List.Element, in list: inout List, _ length: Int = shortListLength
    ) {
        if list.count >= length { list.removeFirst(max(1, length / 10)) }
        list.append(entry)
    }
}
