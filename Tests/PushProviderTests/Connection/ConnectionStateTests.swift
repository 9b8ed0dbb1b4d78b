import PushTime
import TestSupport
import Testing

@testable import PushProvider

@Suite struct ConnectionStateTests {
    @Test func `a connection that a certificate has proved takes all that is free, whatever is answered`() {
        var state = ConnectionState(isAuthenticated: true)
        state.tcpConnected()
        state.tlsEstablished()
        #expect(state.room(freeStreams: 10) == 0)
        _ = state.settingsReceived()
        #expect(state.room(freeStreams: 10) == 10)
        state.requestSubmitted()
        #expect(state.room(freeStreams: 9) == 9)
        _ = state.streamEnded(status: 403)
        #expect(state.room(freeStreams: 10) == 10)
    }

    /// A connection that may send.
    static var serving: ConnectionState {
        var state = ConnectionState()
        state.tcpConnected()
        state.tlsEstablished()
        _ = state.settingsReceived()
        return state
    }

    /// A connection whose first answer was good.
    static var authenticated: ConnectionState {
        var state = serving
        state.requestSubmitted()
        _ = state.streamEnded(status: 200)
        return state
    }

    @Test func `what holds it back before its first answer is that answer, however many streams are free`() {
        var state = Self.serving
        #expect(state.limit(freeStreams: 1, bodyRoom: 65_535) == nil)
        state.requestSubmitted()
        for free in 0...1 { #expect(state.limit(freeStreams: free, bodyRoom: 65_535) == .authentication) }
        _ = state.streamEnded(status: 200)
        #expect(state.limit(freeStreams: 0, bodyRoom: 65_535) == .streams)
    }

    @Test func `a connection goes from TCP over TLS and SETTINGS to serving`() {
        var state = ConnectionState()
        #expect(state.phase == .connecting)
        #expect(state.pushPhase == .tcp)
        state.tcpConnected()
        #expect(state.phase == .securing)
        #expect(state.pushPhase == .tls)
        state.tlsEstablished()
        #expect(state.phase == .awaitingSettings)
        #expect(state.pushPhase == .settings)
        #expect(state.settingsReceived() == .open)
        #expect(state.phase == .serving)
        #expect(state.pushPhase == .queue)
    }

    @Test func `what comes out of turn changes nothing`() {
        var state = ConnectionState()
        state.tlsEstablished()
        #expect(state.settingsReceived() == .none)
        #expect(state == ConnectionState())
        var later = Self.serving
        later.tcpConnected()
        later.tlsEstablished()
        #expect(later.settingsReceived() == .none)
        #expect(later == Self.serving)
    }

    @Test func `nothing may be requested before SETTINGS`() {
        var state = ConnectionState()
        #expect(state.room(freeStreams: 1000) == 0)
        state.tcpConnected()
        #expect(state.room(freeStreams: 1000) == 0)
        state.tlsEstablished()
        #expect(state.room(freeStreams: 1000) == 0)
        _ = state.settingsReceived()
        #expect(state.room(freeStreams: 1000) == 1)
    }

    @Test func `one stream at a time until authentication is proven, then what SETTINGS allow`() {
        var state = Self.serving
        #expect(state.room(freeStreams: 0) == 0)
        #expect(state.room(freeStreams: 500) == 1)
        state.requestSubmitted()
        #expect(state.room(freeStreams: 499) == 0)
        _ = state.streamEnded(status: 403)
        #expect(state.room(freeStreams: 500) == 1)
        state.requestSubmitted()
        _ = state.streamEnded(status: 200)
        #expect(state.room(freeStreams: 500) == 500)
        state.requestSubmitted()
        #expect(state.room(freeStreams: 499) == 499)
        #expect(state.room(freeStreams: 0) == 0)
    }

    @Test func `proven once is proven for the life of the connection`() {
        var state = Self.authenticated
        state.requestSubmitted()
        _ = state.streamEnded(status: 403)
        #expect(state.room(freeStreams: 7) == 7)
    }

    @Test(arguments: [
        (200, true), (400, true), (404, true), (405, true), (410, true), (413, true), (499, true),
        (403, false), (429, false), (500, false), (503, false), (100, false), (302, false), (0, false),
    ])
    func `an answer proves authentication when the server has looked beyond the credentials`(
        status: Int, proves: Bool
    ) {
        var state = Self.serving
        state.requestSubmitted()
        _ = state.streamEnded(status: status)
        #expect(state.isAuthenticated == proves)
        #expect(ConnectionState.provesAuthentication(status) == proves)
    }

    @Test func `a stream without an answer proves nothing`() {
        var state = Self.serving
        state.requestSubmitted()
        #expect(state.streamEnded(status: nil) == .none)
        #expect(!state.isAuthenticated)
        #expect(state.inFlight == 0)
    }

    @Test func `draining waits for what is in flight and closes after the last`() {
        var state = Self.authenticated
        state.requestSubmitted()
        state.requestSubmitted()
        #expect(state.drain() == .stopTaking)
        #expect(state.phase == .draining)
        #expect(state.room(freeStreams: 1000) == 0)
        #expect(state.drain() == .none)
        #expect(state.streamEnded(status: 200) == .none)
        #expect(state.streamEnded(status: nil) == .close)
    }

    @Test func `draining closes at once when nothing is in flight, in every phase`() {
        var state = ConnectionState()
        #expect(state.drain() == .close)
        state = Self.serving
        #expect(state.drain() == .close)
        #expect(state.drain() == .none)
        #expect(state.settingsReceived() == .none)
    }

    @Test func `a serving connection stays open after its last stream`() {
        var state = Self.authenticated
        state.requestSubmitted()
        #expect(state.streamEnded(status: 200) == .none)
        #expect(state.phase == .serving)
    }

    // MARK: Calm

    /// A connection with this number of requests in flight.
    private static func carrying(_ count: Int) -> ConnectionState {
        var state = authenticated
        for _ in 0..<count { state.requestSubmitted() }
        return state
    }

    @Test func `asked for calm, it may have half as many streams open`() {
        var state = Self.carrying(8)
        #expect(state.receivedEnhanceYourCalm() == 4)
        _ = state.streamEnded(status: nil)
        #expect(state.room(freeStreams: 993) == 0)
        for _ in 0..<4 { _ = state.streamEnded(status: nil) }
        #expect(state.inFlight == 3)
        #expect(state.room(freeStreams: 997) == 1)
        #expect(state.room(freeStreams: 0) == 0)
    }

    @Test func `what was opened before it was asked halves nothing once more`() {
        var state = Self.carrying(8)
        #expect(state.receivedEnhanceYourCalm() == 4)
        for _ in 1...7 {
            _ = state.streamEnded(status: nil)
            #expect(state.receivedEnhanceYourCalm() == nil)
        }
        _ = state.streamEnded(status: nil)
        #expect(state.room(freeStreams: 1000) == 4)
        for _ in 1...4 { state.requestSubmitted() }
        #expect(state.receivedEnhanceYourCalm() == 2)
    }

    @Test func `one stream is always left`() {
        var state = Self.carrying(1)
        for _ in 0..<3 {
            #expect(state.receivedEnhanceYourCalm() == 1)
            _ = state.streamEnded(status: nil)
            #expect(state.room(freeStreams: 1000) == 1)
            state.requestSubmitted()
        }
    }

    @Test func `calm passes, by one stream for as many answers as there may be streams`() {
        var state = Self.carrying(4)
        _ = state.receivedEnhanceYourCalm()
        for _ in 0..<4 { _ = state.streamEnded(status: nil) }
        #expect(state.room(freeStreams: 1000) == 2)
        for allowed in 2...5 {
            for _ in 0..<allowed {
                #expect(state.room(freeStreams: 1000) == allowed)
                state.requestSubmitted()
                _ = state.streamEnded(status: 500)
            }
        }
        #expect(state.room(freeStreams: 1000) == 6)
        #expect(state.room(freeStreams: 3) == 3)
    }

    @Test func `closing is news once and final`() {
        var state = Self.authenticated
        #expect(state.closed() == true)
        #expect(state.closed() == false)
        #expect(state.drain() == .none)
        state.tcpConnected()
        state.tlsEstablished()
        #expect(state.settingsReceived() == .none)
        #expect(state.phase == .closed)
        #expect(state.room(freeStreams: 1000) == 0)
    }

    /// Refuses what must never be, whatever happens in whatever order.
    @Test(arguments: 1...20) func `no order of happenings lets a request out of turn`(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<100 {
            var state = ConnectionState()
            var wasProven = false
            for _ in 0..<80 {
                let before = state
                let streams = Int.random(in: 0...3, using: &generator)
                var closes = false
                switch Int.random(in: 0..<20, using: &generator) {
                case 0..<2: state.tcpConnected()
                case 2..<4: state.tlsEstablished()
                case 4..<6: _ = state.settingsReceived()
                case 6..<12: for _ in 0..<state.room(freeStreams: streams) { state.requestSubmitted() }
                case 12..<18:
                    guard state.inFlight > 0 else { continue }
                    let status = [nil, 200, 400, 403, 410, 429, 503].randomElement(using: &generator) ?? nil
                    if status == nil, generator.oneIn(2) { _ = state.receivedEnhanceYourCalm() }
                    closes = state.streamEnded(status: status) == .close
                    wasProven = wasProven || status.map { [200, 400, 410].contains($0) } == true
                case 18: closes = generator.oneIn(3) && state.drain() == .close
                default: if generator.oneIn(6) { _ = state.closed() }
                }
                #expect(Self.rank(state.phase) >= Self.rank(before.phase), "no phase comes back")
                #expect(state.room(freeStreams: streams) <= (state.phase == .serving ? streams : 0))
                #expect(wasProven || state.inFlight + state.room(freeStreams: streams) <= 1)
                #expect(state.phase != .serving || state.inFlight > 0 || state.room(freeStreams: 1) == 1)
                #expect(state.isAuthenticated == wasProven)
                #expect(!closes || (state.phase == .draining && state.inFlight == 0))
            }
        }
    }

    private static func rank(_ phase: ConnectionState.Phase) -> Int {
        switch phase {
        case .connecting: 0
        case .securing: 1
        case .awaitingSettings: 2
        case .serving: 3
        case .draining: 4
        case .closed: 5
        }
    }

    @Test func `a connection carries one provider token, and another one when the first is 20 minutes old`() {
        var state = ConnectionState()
        #expect(state.mayCarry(tokenIssuedAt: 1_800_000_000))
        state.requestSubmitted(tokenIssuedAt: 1_800_000_000)
        #expect(state.mayCarry(tokenIssuedAt: 1_800_000_000))
        #expect(!state.mayCarry(tokenIssuedAt: 1_800_001_199))
        #expect(!state.mayCarry(tokenIssuedAt: 1_799_998_200))
        #expect(state.mayCarry(tokenIssuedAt: 1_800_001_200))
        state.requestSubmitted(tokenIssuedAt: 1_800_001_800)
        #expect(!state.mayCarry(tokenIssuedAt: 1_800_000_000))
        #expect(!state.mayCarry(tokenIssuedAt: 1_800_002_000))
    }

    @Test func `a rejection is reported when it concerns more than its own notification`() {
        var state = ConnectionState(isAuthenticated: true)
        let topic = "com.example.app"
        var reports = state.rejected(status: 400, .badDeviceToken, topic: topic)
        #expect(reports == [])
        reports = state.rejected(status: 403, .unrelatedKeyIDInToken, topic: topic)
        #expect(reports == [.keyRefused(hadFitted: false)])
        for _ in 1..<TopicRefusals.limit {
            reports = state.rejected(status: 400, .topicDisallowed, topic: topic)
            #expect(reports == [])
        }
        #expect(state.hasTopicRefusals)
        reports = state.rejected(status: 400, .topicDisallowed, topic: topic)
        #expect(reports == [.topicRefused])
        reports = state.rejected(status: 403, .expiredProviderToken, topic: topic, noNewerToken: true)
        #expect(reports == [.newestTokenRefused])
        reports = state.rejected(status: 403, .invalidProviderToken, topic: topic)
        #expect(reports == [])
        reports = state.rejected(status: 403, .invalidProviderToken, topic: topic)
        #expect(reports == [.credentialsRefused])
    }

    @Test func `another answer for a topic ends the count of its refusals`() {
        var state = ConnectionState(isAuthenticated: true)
        for _ in 1..<TopicRefusals.limit { _ = state.rejected(status: 400, .topicDisallowed, topic: "a.b") }
        state.topicAnswered("a.b")
        let reports = state.rejected(status: 400, .topicDisallowed, topic: "a.b")
        #expect(reports == [])
    }

    @Test func `a connection is worth what it has brought`() {
        var state = ConnectionState(isAuthenticated: true)
        #expect(state.use(after: .seconds(60)) == .none)
        state.requestSubmitted()
        _ = state.streamEnded(status: 200)
        #expect(state.use(after: .milliseconds(999)) == .little)
        #expect(state.use(after: .seconds(1)) == .much)
        #expect(state.goodAnswers == 1)
    }

    @Test(arguments: [403, 429, 500, 503])
    func `answers that prove nothing do not end the pauses between connections`(status: Int) {
        let now = MonotonicTime(nanoseconds: 1_000_000_000)
        var backoff = ReconnectBackoff()
        let pauses: [Duration] = (1...4).map { _ in
            var state = Self.serving
            for _ in 1...200 {
                state.requestSubmitted()
                _ = state.streamEnded(status: status)
            }
            backoff.connectionEnded(state.use(after: .seconds(60)), now: now, chance: 1)
            return now.duration(to: backoff.notBefore)
        }
        let milliseconds = pauses.map { $0 / .milliseconds(1) }
        #expect(milliseconds.map { $0.rounded() } == [50, 100, 200, 400])
    }
}
