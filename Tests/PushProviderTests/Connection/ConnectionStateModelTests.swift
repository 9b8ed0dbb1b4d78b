import TestSupport
import Testing

@testable import PushProvider

/// Random sequences of happenings against a checker that refuses what a connection must never do.
@Suite struct ConnectionStateModelTests {
    /// What is known of a connection from outside, by the rules alone.
    struct Checker {
        var hasTCP = false
        var hasTLS = false
        var hasSettings = false
        var isLeaving = false
        var isClosed = false
        /// By certificate, or by an answer that shows it.
        var isAuthenticated: Bool
        var inFlight = 0
        var opened = 0
        var goodbyes = 0
        var refusals = 0
        var returnsSinceAnswer = 0
        var complaints: [String] = []

        mutating func require(_ isFine: Bool, _ rule: String) {
            if !isFine { complaints.append(rule) }
        }

        mutating func saidRoom(_ room: Int, freeStreams: Int) {
            require(room >= 0 && room <= freeStreams, "no more room than streams are free")
            let takes = hasSettings && !isLeaving && !isClosed
            require(takes || room == 0, "no room before SETTINGS, while it leaves and after its end")
            require(isAuthenticated || room + inFlight <= 1 || room == 0, "one stream until the credentials are proven")
            require(!takes || !isAuthenticated || room == freeStreams, "all that is free, from then on")
            require(!takes || inFlight > 0 || freeStreams == 0 || room > 0, "an idle connection takes something")
        }

        mutating func opens() {
            opened += 1
            require(hasTCP && hasTLS && opened == 1, "it opens once, after TCP and TLS")
            require(!isLeaving && !isClosed, "it does not open at its end")
            hasSettings = true
        }

        mutating func says(goodbye: Bool, because: String) {
            guard goodbye else { return }
            goodbyes += 1
            require(inFlight == 0, "no goodbye while a stream is open (\(because))")
            require(goodbyes == 1, "one goodbye (\(because))")
            require(!isClosed, "no goodbye after the end (\(because))")
        }
    }

    /// One test and not thousands: their names alone would fill the log.
    @Test func `no sequence of happenings makes it do what it must not`() {
        for seed in 1...5_000 as ClosedRange<UInt64> where !Self.isFine(seed) { return }
    }

    /// - Returns: `false` when something was wrong: one seed is enough to look into.
    private static func isFine(_ seed: UInt64) -> Bool {
        var chance = SeededGenerator(seed: seed)
        let hasCertificate = chance.oneIn(4)
        var state = ConnectionState(isAuthenticated: hasCertificate)
        var checker = Checker(isAuthenticated: hasCertificate)
        // Most go the usual way, some get the strangest events.
        let isOrderly = !chance.oneIn(4)
        if isOrderly {
            tcp(&state, &checker)
            tls(&state, &checker)
            settings(&state, &checker)
        }
        for _ in 0..<60 { step(&state, &checker, &chance) }
        checker.require(state.inFlight == checker.inFlight, "it knows how many are in flight")
        #expect(checker.complaints.isEmpty, "seed \(seed)")
        return checker.complaints.isEmpty
    }

    private static func step(_ state: inout ConnectionState, _ checker: inout Checker, _ chance: inout SeededGenerator)
    {
        switch Int.random(in: 0..<40, using: &chance) {
        case 0: tcp(&state, &checker)
        case 1: tls(&state, &checker)
        case 2: settings(&state, &checker)
        case 3..<20: takeSome(&state, &checker, &chance)
        case 20..<36: endStream(&state, &checker, &chance)
        case 36: drain(&state, &checker)
        case 37: returned(&state, &checker)
        case 38: rejected(&state, &checker)
        default: if chance.oneIn(4) { close(&state, &checker) }
        }
    }

    private static func tcp(_ state: inout ConnectionState, _ checker: inout Checker) {
        state.tcpConnected()
        if !checker.isLeaving, !checker.isClosed { checker.hasTCP = true }
    }

    private static func tls(_ state: inout ConnectionState, _ checker: inout Checker) {
        state.tlsEstablished()
        if checker.hasTCP, !checker.isLeaving, !checker.isClosed { checker.hasTLS = true }
    }

    private static func settings(_ state: inout ConnectionState, _ checker: inout Checker) {
        if state.settingsReceived() == .open { checker.opens() }
    }

    private static func takeSome(
        _ state: inout ConnectionState, _ checker: inout Checker, _ chance: inout SeededGenerator
    ) {
        let free = Int.random(in: 0...5, using: &chance)
        let room = state.room(freeStreams: free)
        checker.saidRoom(room, freeStreams: free)
        guard room > 0 else { return }
        for _ in 0..<Int.random(in: 1...room, using: &chance) {
            state.requestSubmitted()
            checker.inFlight += 1
        }
    }

    private static func endStream(
        _ state: inout ConnectionState, _ checker: inout Checker, _ chance: inout SeededGenerator
    ) {
        guard checker.inFlight > 0 else { return }
        let status = [200, 400, 403, 410, 429, 500, 503, nil, nil].randomElement(using: &chance) ?? nil
        let action = state.streamEnded(status: status)
        checker.inFlight -= 1
        if status != nil { checker.returnsSinceAnswer = 0 }
        if let status, [200, 400, 410].contains(status) {
            checker.isAuthenticated = true
            checker.refusals = 0
        }
        checker.says(goodbye: action == .close, because: "a stream ended")
        let isLast = checker.isLeaving && !checker.isClosed && checker.inFlight == 0
        checker.require(action == .close || !isLast, "goodbye after the last stream")
    }

    private static func drain(_ state: inout ConnectionState, _ checker: inout Checker) {
        left(state.drain(), &checker, because: "it was to drain")
    }

    private static func left(_ action: ConnectionState.DrainAction, _ checker: inout Checker, because: String) {
        let isNews = !checker.isLeaving && !checker.isClosed
        checker.require(action == .none || isNews, "it leaves once (\(because))")
        checker.require(action != .stopTaking || checker.inFlight > 0, "it waits for somebody (\(because))")
        checker.says(goodbye: action == .close, because: because)
        if action != .none { checker.isLeaving = true }
    }

    private static func returned(_ state: inout ConnectionState, _ checker: inout Checker) {
        checker.returnsSinceAnswer += 1
        let action = state.returnedAgain()
        let isMany = checker.returnsSinceAnswer >= ConnectionState.maximumReturnsAgain
        checker.require(action == .none || isMany, "one return is no reason to leave")
        left(action, &checker, because: "it returned much")
        checker.require(!isMany || checker.isLeaving || checker.isClosed, "much that returns is a reason to leave")
    }

    private static func rejected(_ state: inout ConnectionState, _ checker: inout Checker) {
        checker.refusals += 1
        let action = state.rejected(status: 403, nil)
        let isTheOne = checker.refusals == ConnectionState.maximumCredentialRejections
        checker.require((action == .stop) == isTheOne, "the third in a row stops the pool, and no other")
        checker.require(state.rejected(status: 400, .badTopic) == .none, "other rejections stop nothing")
    }

    private static func close(_ state: inout ConnectionState, _ checker: inout Checker) {
        checker.require(state.closed() == !checker.isClosed, "it ends once")
        checker.isClosed = true
    }
}
