/// Decides what one connection may do next. A pure value.
struct ConnectionState: Equatable {
    enum Phase: Equatable {
        /// The name lookup, the TCP connection, and the tunnel of the proxy, if there is one. Next: securing, draining,
        /// closed.
        case connecting
        /// The TLS handshake. Next: awaitingSettings, draining, closed.
        case securing
        /// TLS is established. Requests must wait for the SETTINGS of the server. Next: serving, draining, closed.
        case awaitingSettings
        /// Requests may be sent. Next: draining, closed.
        case serving
        /// No new requests; those in flight may finish. Next: closed.
        case draining
        /// The connection is closed.
        case closed
    }

    private(set) var phase = Phase.connecting
    /// Whether an answer has shown that the server accepts the credentials. Until then, only one stream is open at a
    /// time: APNs allows no more, and a thousand requests with a refused token would be a thousand errors on one
    /// connection. Always true with a certificate, because the handshake has proved it.
    private(set) var isAuthenticated: Bool
    private(set) var inFlight = 0
    /// How many sends the server has returned unprocessed for the second time since the last answer.
    private var returnsAgain = 0

    /// How many rejections in a row concerned the credentials.
    private var credentialRejections = 0
    /// How many answers have shown that the server accepts the credentials.
    private(set) var goodAnswers = 0
    private var topicRefusals = TopicRefusals()

    /// The limit on streams since the server reset one with ENHANCE_YOUR_CALM.
    private struct StreamReduction: Equatable {
        var streams: Int
        /// How many of the streams that were open at that time are still open.
        var old: Int
        /// The number of answers since the last change.
        var answers = 0
    }

    private var reduction: StreamReduction?
    /// The time of issue of the last provider token that the connection has carried.
    private var tokenIssuedAt: Int?

    /// After this many rejections of the credentials in a row, the credentials count as refused.
    static let maximumCredentialRejections = 3
    /// After this many sends returned for the second time, with no answer between them, the connection is drained.
    static let maximumReturnsAgain = 3

    /// - Parameter isAuthenticated: Whether the client authenticates with a certificate.
    init(isAuthenticated: Bool = false) {
        self.isAuthenticated = isAuthenticated
    }

    /// The number of requests that may be taken, given the number of free HTTP/2 streams.
    func room(freeStreams: Int) -> Int {
        guard phase == .serving else { return 0 }
        guard isAuthenticated else { return min(freeStreams, 1 - min(1, inFlight)) }
        guard let reduction else { return freeStreams }
        return min(freeStreams, max(0, reduction.streams - inFlight))
    }

    /// How much more may be taken, given the number of free HTTP/2 streams and the bytes of bodies that the window
    /// allows.
    ///
    /// A request that cannot be sent at once stays in the queue: another connection can take it, and if its deadline
    /// passes, it is certain that it was not sent. An idle connection always takes one request, so that sending
    /// continues.
    func room(freeStreams: Int, bodyRoom: Int) -> (requests: Int, bodyBytes: Int) {
        let bodyBytes = inFlight == 0 ? max(1, bodyRoom) : bodyRoom
        return (bodyBytes > 0 ? room(freeStreams: freeStreams) : 0, bodyBytes)
    }

    /// Why no more may be taken; `nil` if more may be taken, or if the connection takes no requests at all.
    func limit(freeStreams: Int, bodyRoom: Int) -> ConnectionPace.Limit? {
        guard phase == .serving, room(freeStreams: freeStreams, bodyRoom: bodyRoom).requests == 0 else { return nil }
        // APNs allows one stream until it knows the provider token. So the streams are used up, too, but the cause is
        // the missing first answer.
        if !isAuthenticated, inFlight > 0 { return .authentication }
        if freeStreams == 0 { return .streams }
        if let reduction, inFlight >= reduction.streams { return .calm }
        return .window
    }

    /// The phase that the connection has reached, or had reached before it began to drain.
    private(set) var pushPhase = PushOutcome.Phase.tcp

    /// Records the phase before TCP is connected.
    mutating func reaching(_ phase: PushOutcome.Phase) {
        if self.phase == .connecting { pushPhase = phase }
    }

    mutating func tcpConnected() {
        guard phase == .connecting else { return }
        phase = .securing
        pushPhase = .tls
    }

    mutating func tlsEstablished() {
        guard phase == .securing else { return }
        phase = .awaitingSettings
        pushPhase = .settings
    }

    enum SettingsAction: Equatable {
        case none
        /// The connection is ready for its first request.
        case open
    }

    mutating func settingsReceived() -> SettingsAction {
        guard phase == .awaitingSettings else { return .none }
        phase = .serving
        pushPhase = .queue
        return .open
    }

    /// Whether requests on this connection may carry the provider token with this time of issue.
    ///
    /// APNs refuses tokens that change often on a connection. So a token that was renewed early is only for connections
    /// that have carried no token before.
    func mayCarry(tokenIssuedAt issuedAt: Int) -> Bool {
        guard let tokenIssuedAt, issuedAt != tokenIssuedAt else { return true }
        return issuedAt >= tokenIssuedAt + ProviderTokenSchedule.shortestLife
    }

    mutating func requestSubmitted(tokenIssuedAt issuedAt: Int? = nil) {
        inFlight += 1
        if let issuedAt { tokenIssuedAt = issuedAt }
    }

    enum StreamAction: Equatable {
        case none
        /// The connection is draining and nothing is in flight: close it.
        case close
    }

    mutating func streamEnded(status: Int?) -> StreamAction {
        inFlight -= 1
        if let old = reduction?.old, old > 0 { reduction?.old = old - 1 }
        if let status {
            returnsAgain = 0
            if reduction != nil { growBack() }
            if Self.provesAuthentication(status) {
                isAuthenticated = true
                goodAnswers += 1
                credentialRejections = 0
            }
        }
        return phase == .draining && inFlight == 0 ? .close : .none
    }

    /// The server has reset a stream with ENHANCE_YOUR_CALM, because too many are open. The stream still counts as in
    /// flight.
    ///
    /// - Returns: The number of streams that may be open from now on, half of those in flight. `nil` if some streams
    ///   that were open at the last change are still open: a server that resets a thousand streams at the same time makes one
    ///   request.
    mutating func receivedEnhanceYourCalm() -> Int? {
        if let reduction, reduction.old > 0 { return nil }
        let streams = max(1, inFlight / 2)
        reduction = StreamReduction(streams: streams, old: inFlight)
        return streams
    }

    /// Raises the limit by one after as many answers as the limit: about one stream per round trip.
    private mutating func growBack() {
        guard var reduction else { return }
        reduction.answers += 1
        self.reduction =
            reduction.answers < reduction.streams
            ? reduction : StreamReduction(streams: reduction.streams + 1, old: reduction.old)
    }

    /// Whether an answer with this status shows that the server accepts the credentials. 403 is about the credentials,
    /// 429 can be, and a 5xx comes from a server that has not checked them.
    static func provesAuthentication(_ status: Int) -> Bool {
        (200..<300).contains(status) || ((400..<500).contains(status) && status != 403 && status != 429)
    }

    enum DrainAction: Equatable {
        case none
        /// Other connections take over; requests in flight may finish.
        case stopTaking
        /// Nothing is in flight: close the connection at once.
        case close
    }

    enum RejectionReport: Equatable {
        /// The key does not match the connection. It may have matched before.
        case keyRefused(hadFitted: Bool)
        /// The server refuses every notification for the topic.
        case topicRefused
        /// The newest provider token that can be made was refused as too old.
        case newestTokenRefused
        /// The server refuses the credentials for every request.
        case credentialsRefused
    }

    /// A notification has ended with a rejection.
    ///
    /// - Parameters:
    ///   - status: The status of the answer.
    ///   - reason: The reason; `nil` if the answer has none.
    ///   - topic: The topic of the notification; `nil` for a request without a topic.
    ///   - noNewerToken: The provider token was refused as too old, and there is no newer one.
    /// - Returns: The reports for the pool, in order.
    mutating func rejected(
        status: Int, _ reason: RejectionReason?, topic: String?, noNewerToken: Bool = false
    ) -> [RejectionReport] {
        if reason == .unrelatedKeyIDInToken { return [.keyRefused(hadFitted: goodAnswers > 0)] }
        var reports: [RejectionReport] = []
        if reason?.concernsTopic == true {
            if let topic, topicRefusals.refused(topic) { reports.append(.topicRefused) }
        } else if let topic, Self.provesAuthentication(status) {
            topicAnswered(topic)
        }
        if noNewerToken, goodAnswers == 0 { reports.append(.newestTokenRefused) }
        if rejected(status: status, reason) == .stop { reports.append(.credentialsRefused) }
        return reports
    }

    /// Whether a topic was refused, with no other answer for it since.
    var hasTopicRefusals: Bool { !topicRefusals.isEmpty }

    /// The server has accepted a notification for a topic, or rejected it for another reason.
    mutating func topicAnswered(_ topic: String) {
        if hasTopicRefusals { topicRefusals.answered(topic) }
    }

    /// How much a connection was used that ends after this time. The wait before the next connection depends on it.
    func use(after lifetime: Duration) -> ReconnectBackoff.ConnectionUse {
        guard goodAnswers > 0 else { return .none }
        return goodAnswers >= 100 || lifetime >= .seconds(1) ? .much : .little
    }

    /// Counts rejections of the credentials. Status 403 is one, even with an unknown reason, unless it is about the
    /// bundle id of one request.
    mutating func rejected(status: Int, _ reason: RejectionReason?) -> CredentialsAction {
        guard status == 403 || reason?.concernsCredentials == true, reason != .topicMismatch else { return .none }
        credentialRejections += 1
        return credentialRejections == Self.maximumCredentialRejections ? .stop : .none
    }

    /// The server has returned a send unprocessed for the second time.
    mutating func returnedAgain() -> DrainAction {
        returnsAgain += 1
        return returnsAgain < Self.maximumReturnsAgain ? .none : drain()
    }

    /// The server has sent GOAWAY, or this side ends the connection.
    mutating func drain() -> DrainAction {
        switch phase {
        case .connecting, .securing, .awaitingSettings, .serving:
            phase = .draining
            return inFlight == 0 ? .close : .stopTaking
        case .draining, .closed: return .none
        }
    }

    /// The connection is closed.
    ///
    /// - Returns: `false` if it was closed already.
    mutating func closed() -> Bool {
        guard phase != .closed else { return false }
        phase = .closed
        return true
    }
}

/// The consequences if APNs refuses the credentials.
enum CredentialsAction: Equatable {
    case none
    /// A connection reports the refusal to its pool. The pool ends all notifications in the queue, drains all
    /// connections, and logs the refusal once.
    case stop
}
