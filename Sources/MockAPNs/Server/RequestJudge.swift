import APNSVocabulary
import PushPlatform

/// Turns the requests of one connection into verdicts, and knows its client: who it is, and how it behaves.
struct RequestJudge {
    /// What one namespace knows about the client of a connection.
    struct Knowledge {
        var facts: ConnectionFacts
        fileprivate var behaviour = ConnectionBehaviour()

        init(_ facts: ConnectionFacts) {
            self.facts = facts
        }
    }

    private(set) var known: Knowledge
    /// Who sends the requests of this connection now.
    private(set) var sender: MockArrival.Sender
    /// The environment of connections to another name than Apple's.
    private let defaultEnvironment: MockEnvironment
    /// The last `authorization` and its content, to be reused: a sender uses one for many requests.
    private var lastReading: (authorization: String?, generation: Int, reading: ParsedProviderToken)?
    /// Rules of behaviour that were broken since the last request.
    private var violations: [MockViolation] = []
    private var ids = AnswerIDSource()

    init(_ facts: ConnectionFacts, else defaultEnvironment: MockEnvironment) {
        known = Knowledge(facts)
        self.defaultEnvironment = defaultEnvironment
        sender = MockArrival.Sender(token: nil, certificate: nil, environment: defaultEnvironment)
    }

    var facts: ConnectionFacts { known.facts }

    private var environment: MockEnvironment { facts.environment(else: defaultEnvironment) }

    // MARK: Connection

    mutating func connected(from peer: String?) {
        sender = MockArrival.Sender(peer: peer, token: nil, certificate: nil, environment: environment)
    }

    /// The handshake is complete.
    mutating func established(_ facts: ConnectionFacts) { known.facts = facts }

    /// The connection has come to another mock, which knows this from an earlier stay.
    mutating func enter(_ known: Knowledge?) {
        self.known = known ?? Knowledge(facts.ofHandshake)
        lastReading = nil
    }

    // MARK: Requests

    mutating func judge(
        _ request: MockRequest, _ snapshot: MockState.Snapshot, at now: Date, in place: ConnectionPlace
    ) -> MockVerdict {
        let reading = read(request, snapshot, in: place)
        let ids = ids.next()
        let judgement =
            if request.mustBeJudgedAlone(limitsDevices: snapshot.limitsDevices) {
                judgeAlone(request, reading, at: now, ids, place.state)
            } else {
                apnsSnapshot(for: request, snapshot, place.state).judge(
                    request, authorizedBy: reading, on: facts, at: now, ids: ids)
            }
        known.facts = judgement.connection
        return judgement.verdict
    }

    /// What the answer to a request would be, without any effect.
    mutating func expectedVerdict(
        _ request: MockRequest, _ snapshot: MockState.Snapshot, at now: Date, in place: ConnectionPlace
    ) -> MockVerdict {
        let reading = read(request, snapshot, in: place)
        return place.state.apns.judge(
            request, authorizedBy: reading, on: facts, at: now, ids: MockAnswerIDs(messageID: 0, uniqueID: 0)
        ).verdict
    }

    /// The state to check a request that changes nothing. A request about channels gets the newest one: another request
    /// of the same batch may have created a channel.
    private func apnsSnapshot(
        for request: MockRequest, _ snapshot: MockState.Snapshot, _ state: MockState
    ) -> APNSSnapshot {
        request.target.app == nil ? snapshot.apnsSnapshot : APNSSnapshot(state.apns)
    }

    /// Checks a request and applies its effect, under the lock: all connections share the state.
    private func judgeAlone(
        _ request: MockRequest, _ reading: ParsedProviderToken, at now: Date, _ ids: MockAnswerIDs, _ state: MockState
    ) -> Judgement {
        state.change { apns in
            let judgement = apns.judge(request, authorizedBy: reading, on: facts, at: now, ids: ids)
            if let effect = judgement.effect { apns.apply(effect, at: now) }
            return judgement
        }
    }

    /// Who sends a request that is not judged, at least not now.
    mutating func sender(of request: MockRequest, in place: ConnectionPlace) -> MockArrival.Sender {
        read(request, place.state.snapshot(for: 0), in: place)
        return sender
    }

    /// Reads the provider token of a request, which the record of the connection gets whatever the outcome.
    @discardableResult
    private mutating func read(
        _ request: MockRequest, _ snapshot: MockState.Snapshot, in place: ConnectionPlace
    ) -> ParsedProviderToken {
        let authorization = request.authorization
        if let lastReading, lastReading.generation == snapshot.trustGeneration,
            lastReading.authorization == authorization
        {
            return lastReading.reading
        }
        let reading = snapshot.reader.read(authorization)
        lastReading = (authorization, snapshot.trustGeneration, reading)
        sender = MockArrival.Sender(
            peer: sender.peer, token: reading.content, certificate: facts.certificate?.commonName,
            environment: environment)
        if let token = reading.content {
            place.changeRecord { $0.used(token, at: .now) }
            if let authorization { noteToken(token, authorization, place.state) }
        }
        return reading
    }

    // MARK: Behaviour

    private mutating func noteToken(_ token: ProviderTokenContent, _ authorization: String, _ state: MockState) {
        let now = state.now
        let onAll = state.noteBehaviour { $0.newToken(ofKey: token.keyID, issuedAt: token.issuedAt, at: now) }
        if let violation = known.behaviour.newToken(authorization, at: now) ?? onAll { violations.append(violation) }
    }

    /// The rules of behaviour that the client broke with a request, or since the one before.
    mutating func takeViolations(_ verdict: MockVerdict, _ request: MockRequest, in state: MockState) -> [MockViolation]
    {
        if let violation = violation(verdict, request, in: state) { violations.append(violation) }
        guard !violations.isEmpty else { return [] }
        defer { violations = [] }
        return violations
    }

    private func violation(_ verdict: MockVerdict, _ request: MockRequest, in state: MockState) -> MockViolation? {
        guard verdict.reason == .unregistered || verdict.reason == .badDeviceToken,
            case .device(let token) = request.target, !token.isEmpty,
            // Tests send to a magic token repeatedly.
            verdict.check != Check.magicToken.name
        else { return nil }
        return state.noteBehaviour { $0.rejected(deviceToken: token) }
    }
}

/// What namespaces know about a connection that has left them for another.
struct KnownNamespaces {
    private var known: [ObjectIdentifier: (place: ConnectionPlace, knowledge: RequestJudge.Knowledge)] = [:]

    /// The place that the connection had in another mock; `nil` if it was never there.
    func place(in state: MockState) -> ConnectionPlace? { known[ObjectIdentifier(state)]?.place }

    func knowledge(in state: MockState) -> RequestJudge.Knowledge? { known[ObjectIdentifier(state)]?.knowledge }

    mutating func leave(_ place: ConnectionPlace, _ knowledge: RequestJudge.Knowledge) {
        let id = ObjectIdentifier(place.state)
        // Nothing returns to a namespace that was deleted.
        if known[id] == nil { known = known.filter { !$0.value.place.state.connections.isStopped } }
        known[id] = (place, knowledge)
    }
}
