/// What one connection may do next. A pure value: happenings in, decisions out.
struct ConnectionState: Equatable {
    enum Phase: Equatable {
        /// The name is looked up, TCP connects, and a proxy opens its tunnel where there is one. Next: securing, draining, closed.
        case connecting
        /// The server is reached, the TLS handshake runs. Next: awaitingSettings, draining, closed.
        case securing
        /// TLS is there; nothing may be requested before the server's SETTINGS. Next: serving, draining, closed.
        case awaitingSettings
        /// Requests may be sent. Next: draining, closed.
        case serving
        /// No new requests; those in flight may finish. Next: closed.
        case draining
        /// Over.
        case closed
    }

    private(set) var phase = Phase.connecting
    /// An answer has shown that the server knows who we are. Until then one stream is open at a time: APNs allows no
    /// more, and a thousand requests with a refused token would be a thousand errors on one connection. A certificate
    /// is known since the handshake.
    private(set) var isAuthenticated: Bool
    private(set) var inFlight = 0
    /// How many came back for the second time since the last answer.
    private var returnsAgain = 0

    /// How many were rejected for the credentials themselves since any other answer.
    private var credentialRejections = 0
    /// How many answers have shown that the server accepts the credentials.
    private(set) var goodAnswers = 0
    /// Which topics the server refuses.
    private var topicRefusals = TopicRefusals()

    /// What the server can bear, since it has asked for calm.
    private struct Calm: Equatable {
        var streams: Int
        /// How many are still open of those that were when it asked.
        var old: Int
        /// Since the last change.
        var answers = 0
    }

    private var calm: Calm?
    /// When the last provider token that it has carried was issued.
    private var tokenIssuedAt: Int?

    /// So many in a row are no accident.
    static let mostCredentialRejections = 3
    /// A connection that returns so much a second time, and answers nothing meanwhile, is given up.
    static let mostReturnsAgain = 3

    /// - Parameter isAuthenticated: The server knows who we are by our certificate.
    init(isAuthenticated: Bool = false) {
        self.isAuthenticated = isAuthenticated
    }

    /// How many requests may be taken, given how many streams HTTP/2 has free.
    func room(freeStreams: Int) -> Int {
        guard phase == .serving else { return 0 }
        guard isAuthenticated else { return min(freeStreams, 1 - min(1, inFlight)) }
        guard let calm else { return freeStreams }
        return min(freeStreams, max(0, calm.streams - inFlight))
    }

    /// What more may be taken, given how many streams HTTP/2 has free and how many bytes of bodies its window lets out.
    ///
    /// What does not go out at once is better off in the queue: another connection can take it, and when its deadline
    /// comes, it is known that it was not sent. An idle connection takes one all the same, so that something happens.
    func room(freeStreams: Int, bodyRoom: Int) -> (requests: Int, bodyBytes: Int) {
        let bodyBytes = inFlight == 0 ? max(1, bodyRoom) : bodyRoom
        return (bodyBytes > 0 ? room(freeStreams: freeStreams) : 0, bodyBytes)
    }

    /// Why no more may be taken; `nil` when more may, or when it takes none at all.
    func limit(freeStreams: Int, bodyRoom: Int) -> ConnectionPace.Limit? {
        guard phase == .serving, room(freeStreams: freeStreams, bodyRoom: bodyRoom).requests == 0 else { return nil }
        // APNs allows one stream until it knows the provider token, so both hold: what is waited for is the first answer.
        if !isAuthenticated, inFlight > 0 { return .authentication }
        if freeStreams == 0 { return .streams }
        if let calm, inFlight >= calm.streams { return .calm }
        return .window
    }

    /// How far it has come, or had come before it left.
    private(set) var pushPhase = PushPhase.tcp

    /// It is on its way to the server.
    mutating func reaching(_ phase: PushPhase) {
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

    /// Whether requests may carry the provider token that was issued then.
    ///
    /// APNs refuses tokens that change often on a connection. So one that was made out of turn is for connections that have
    /// carried none before.
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
        /// Nothing is left to wait for: say goodbye.
        case close
    }

    /// A stream is over, with the status of its answer if it had one.
    mutating func streamEnded(status: Int?) -> StreamAction {
        inFlight -= 1
        if let old = calm?.old, old > 0 { calm?.old = old - 1 }
        if let status {
            returnsAgain = 0
            if calm != nil { growBack() }
            if Self.provesAuthentication(status) {
                isAuthenticated = true
                goodAnswers += 1
                credentialRejections = 0
            }
        }
        return phase == .draining && inFlight == 0 ? .close : .none
    }

    /// The server has reset a stream, which still counts as in flight, because so many at a time are too many for it.
    ///
    /// - Returns: How many may be open from now on, half as many as were; `nil` where some that were open at the last
    ///   change are still to be borne: a server that resets a thousand at once has asked once.
    mutating func askedForCalm() -> Int? {
        if let calm, calm.old > 0 { return nil }
        let streams = max(1, inFlight / 2)
        calm = Calm(streams: streams, old: inFlight)
        return streams
    }

    /// By one for as many answers as there may be streams: about one for each round trip.
    private mutating func growBack() {
        guard var calm else { return }
        calm.answers += 1
        self.calm = calm.answers < calm.streams ? calm : Calm(streams: calm.streams + 1, old: calm.old)
    }

    /// 403 speaks of the credentials themselves, 429 can; 5xx comes from a server that has looked at nothing.
    static func provesAuthentication(_ status: Int) -> Bool {
        (200..<300).contains(status) || ((400..<500).contains(status) && status != 403 && status != 429)
    }

    enum DrainAction: Equatable {
        case none
        /// Others take over; what is in flight may finish.
        case stopTaking
        /// Nothing is in flight: say goodbye at once.
        case close
    }

    /// What a rejection means beyond its own notification.
    enum RejectionReport: Equatable {
        /// The key does not fit the connection, which may have fitted before.
        case keyRefused(hadFitted: Bool)
        /// The server refuses the topic, whatever is sent to it.
        case topicRefused
        /// The newest provider token that can be made was refused as too old.
        case newestTokenRefused
        /// The server refuses the credentials, whatever is sent.
        case credentialsRefused
    }

    /// A notification has ended with a rejection.
    ///
    /// - Parameters:
    ///   - status: The status of the answer.
    ///   - reason: Its reason; `nil` where it has none.
    ///   - topic: The topic of the notification.
    ///   - noNewerToken: The provider token was refused as too old, and there is no newer one.
    /// - Returns: What the pool has to know, in this order.
    mutating func rejected(
        status: Int, _ reason: RejectionReason?, topic: String, noNewerToken: Bool = false
    ) -> [RejectionReport] {
        if reason == .unrelatedKeyIDInToken { return [.keyRefused(hadFitted: goodAnswers > 0)] }
        var reports: [RejectionReport] = []
        if reason?.concernsTopic == true {
            if topicRefusals.refused(topic) { reports.append(.topicRefused) }
        } else if Self.provesAuthentication(status) {
            topicAnswered(topic)
        }
        if noNewerToken, goodAnswers == 0 { reports.append(.newestTokenRefused) }
        if rejected(status: status, reason) == .stop { reports.append(.credentialsRefused) }
        return reports
    }

    /// Whether a topic was refused since its last other answer.
    var hasTopicRefusals: Bool { !topicRefusals.isEmpty }

    /// The server has taken a notification for a topic, or refused it for another reason.
    mutating func topicAnswered(_ topic: String) {
        if hasTopicRefusals { topicRefusals.answered(topic) }
    }

    /// What a connection was worth that ends after this time, for the wait before the next one.
    func worth(after lifetime: Duration) -> ReconnectBackoff.Worth {
        guard goodAnswers > 0 else { return .none }
        return goodAnswers >= 100 || lifetime >= .seconds(1) ? .much : .little
    }

    /// Status 403 speaks of the credentials, also with a reason that is not known here.
    mutating func rejected(status: Int, _ reason: RejectionReason?) -> CredentialsAction {
        guard status == 403 || reason?.concernsCredentials == true else { return .none }
        credentialRejections += 1
        return credentialRejections == Self.mostCredentialRejections ? .stop : .none
    }

    /// The server has refused to process what had been refused before.
    mutating func returnedAgain() -> DrainAction {
        returnsAgain += 1
        return returnsAgain < Self.mostReturnsAgain ? .none : drain()
    }

    /// The server has said GOAWAY, or this side wants to end.
    mutating func drain() -> DrainAction {
        switch phase {
        case .connecting, .securing, .awaitingSettings, .serving:
            phase = .draining
            return inFlight == 0 ? .close : .stopTaking
        case .draining, .closed: return .none
        }
    }

    /// The connection is gone.
    ///
    /// - Returns: `false` when that was known.
    mutating func closed() -> Bool {
        guard phase != .closed else { return false }
        phase = .closed
        return true
    }
}
