import PushWire
import Testing

/// Long runs of everything that can happen, in an order that a seed decides: no stream is lost or reported twice.
@Suite struct RandomScenarioTests {
    @Test(arguments: 1...30)
    func `each opened stream ends exactly once, whatever happens`(seed: Int) throws {
        var scenario = try RandomScenario(seed: UInt64(seed))
        for _ in 0..<400 { try scenario.step() }
        let client = scenario.client
        client.endAllStreams()
        #expect(client.ends.map(\.tag).sorted() == client.opened.sorted())

        scenario.server.endAllStreams()
        let ended = scenario.server.ends.map(\.streamID)
        #expect(Set(ended).count == ended.count)
        #expect(Set(scenario.server.requests.map(\.streamID)).isSubset(of: ended))
        #expect(scenario.maximumOpen <= scenario.maximumAllowed)
    }

    @Test func `the random scenarios come to every kind of end`() throws {
        var seen: Set<String> = []
        var opened = 0
        for seed in 1...30 {
            var scenario = try RandomScenario(seed: UInt64(seed))
            for _ in 0..<400 { try scenario.step() }
            scenario.client.endAllStreams()
            opened += scenario.client.opened.count
            for cause in scenario.client.causes { seen.insert("\(cause)".prefix { $0 != "(" }.description) }
        }
        #expect(opened > 500)
        #expect(seen == ["answered", "unprocessed", "resetByPeer", "resetHere", "connectionLost"])
    }
}

/// A client and a server whose bytes arrive in pieces, and a die.
private struct RandomScenario {
    let client: Endpoint
    let server: Endpoint
    /// The most streams that the server ever allowed, and the most that were open at a time at its side.
    private(set) var maximumAllowed = 5
    private(set) var maximumOpen = 0

    private var toServer: [UInt8] = []
    private var toClient: [UInt8] = []
    private var ids: [Int32] = []
    private var answered = 0
    private var random: SplitMix64

    init(seed: UInt64) throws {
        random = SplitMix64(state: seed)
        client = try Endpoint(.client)
        server = try Endpoint(
            .server,
            limits: HTTP2Session.Limits(settings: HTTP2Settings(maxConcurrentStreams: 5, initialWindowSize: 100)))
    }

    mutating func step() throws {
        switch roll(40) {
        case 0..<12: try open()
        case 12..<20: try deliver(\.toServer, from: client, to: server)
        case 20..<28: try deliver(\.toClient, from: server, to: client)
        case 28..<34: try answer()
        case 34: client.session.reset(ids.randomElement(using: &random) ?? 1)
        case 35: server.session.reset(ids.randomElement(using: &random) ?? 1, code: .refusedStream)
        case 36: server.session.reset(ids.randomElement(using: &random) ?? 1, code: .internalError)
        case 37: try announce()
        case 38: client.session.ping(UInt64(roll(1000)))
        default: if roll(30) == 0 { server.session.goAway() }
        }
        maximumOpen = max(maximumOpen, server.session.openStreams)
    }

    private mutating func open() throws {
        let body = [UInt8](repeating: 0, count: roll(3) == 0 ? 0 : roll(2000))
        if let id = try client.open(body: body, tag: client.opened.count) { ids.append(id) }
    }

    private mutating func deliver(
        _ pipe: WritableKeyPath<Self, [UInt8]>, from sender: Endpoint, to receiver: Endpoint
    ) throws {
        self[keyPath: pipe] += try sender.send()
        let waiting = self[keyPath: pipe].count
        let count = roll(3) == 0 ? roll(waiting + 1) : waiting
        try receiver.receive(bytes: Array(self[keyPath: pipe].prefix(count)))
        self[keyPath: pipe].removeFirst(count)
    }

    private mutating func answer() throws {
        guard answered < server.requests.count else { return }
        let body = [UInt8](repeating: 0, count: roll(2) * 5000)
        try server.session.submitResponse(.response(200), body: body, on: server.requests[answered].streamID)
        answered += 1
    }

    private mutating func announce() throws {
        let streams = [1, 5, 50][roll(3)]
        maximumAllowed = max(maximumAllowed, streams)
        let window: UInt32 = [0, 100, 65_535][roll(3)]
        try server.session.announceSettings(
            HTTP2Settings(maxConcurrentStreams: UInt32(streams), initialWindowSize: window))
    }

    private mutating func roll(_ sides: Int) -> Int {
        Int.random(in: 0..<sides, using: &random)
    }
}

/// A generator whose numbers follow from its seed.
private struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
