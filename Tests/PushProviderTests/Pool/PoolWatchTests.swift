import Testing

@testable import PushProvider

/// What is seen of connections, and what is said of it.
@Suite struct PoolWatchTests {
    private var watch = PoolWatch(growth: PoolGrowth(minimum: 1, maximum: 4, idleTime: .seconds(60)))
    private var now = MonotonicTime.at(1)
    private var answers = 0

    /// A second of looks at connections that are as they are.
    private mutating func look(
        at limits: [ConnectionPace.Limit?], inFlight: Int = 50, queued: Int = 100, busy: Duration = .zero,
        allowed: Int = 1000, isServing: Bool = true, first: Duration = .milliseconds(150)
    ) {
        var paces = limits.map { _ in ConnectionPace() }
        for index in paces.indices { paces[index].answered(after: first, now: now) }
        for _ in 0..<10 {
            now = now.advanced(by: PoolWatch.pause)
            for (index, limit) in limits.enumerated() {
                paces[index].answered(after: .milliseconds(150), now: now)
                paces[index].filled(upTo: limit, inFlight: inFlight, now: now)
                paces[index].worked(for: busy)
                watch.received(
                    ConnectionStatistics(
                        number: index + 1, time: now, loop: 0, isServing: isServing, inFlight: inFlight,
                        allowedStreams: allowed,
                        pace: paces[index]))
            }
            _ = watch.check(queued: queued, now: now)
        }
    }

    private func diagnosis(queued: Int = 100, waiting: Int = 0, halt: String? = nil) -> PushClient.Diagnosis {
        PoolView(
            watch: watch, queued: queued, waitingForRoom: waiting, bound: (10, 1000),
            streamsPerConnection: 1000, haltMessage: halt, whyItWaits: "apns.example:443 hasn't answered yet"
        ).diagnosis
    }

    @Test mutating func `each limit has its word, its figures and its way out`() {
        look(at: [.window, .window], inFlight: 44)
        #expect(diagnosis().limit == .window)
        #expect(diagnosis().description.contains("44 notifications on each connection, an answer takes 150 ms"))
        #expect(diagnosis().description.contains("The client tries another connection."))
        #expect(diagnosis().connections == 2)
        #expect(diagnosis().inFlight == 88)
        #expect(diagnosis().answerTime == .milliseconds(150))
        #expect((19...21).contains(diagnosis().answersPerSecond))
        look(at: [nil, nil], inFlight: 0, queued: 0)
        #expect(diagnosis(queued: 0).limit == .nothing && diagnosis(queued: 0).answersPerSecond == 0)
    }

    @Test mutating func `streams name who bounds them`() {
        look(at: [.streams], inFlight: 1000)
        #expect(diagnosis().limit == .streams)
        #expect(diagnosis().description.contains("streamsPerConnection is 1000"))
        look(at: [.streams], inFlight: 100, allowed: 100)
        #expect(diagnosis().description.contains("the server allows 100"))
    }

    @Test mutating func `at the maximum it says so`() {
        watch = PoolWatch(growth: PoolGrowth(minimum: 2, maximum: 2, idleTime: .seconds(60)))
        look(at: [.streams, .streams], inFlight: 1000)
        #expect(
            diagnosis().description.hasSuffix(
                "maximumConnections is reached (2 connections). Raise it to send faster."))
    }

    @Test mutating func `the server holds back`() {
        look(at: [.calm])
        #expect(diagnosis().limit == .server)
        #expect(diagnosis().description.contains("asked for fewer streams"))
        look(at: [.authentication], inFlight: 1, isServing: false)
        #expect(diagnosis().limit == .server)
        #expect(diagnosis().description.contains("knows the provider token"))
        #expect(diagnosis(queued: 0).description == "The client waits for the first answer.")
    }

    @Test mutating func `where answers wait at the server, it says so, and no connection is added`() {
        look(at: [.streams], inFlight: 1000, first: .milliseconds(20))
        #expect(diagnosis().limit == .server)
        #expect(diagnosis().description.contains("and at other times only 20 ms."))
        #expect(watch.growth.wanted == 1)
        look(at: [.streams], inFlight: 1000)
        #expect(diagnosis().limit == .streams)
        #expect(watch.growth.wanted == 2)
    }

    @Test mutating func `where this machine is the limit, no connection is added`() {
        look(at: [.streams], busy: .milliseconds(95))
        #expect(diagnosis().limit == .cpu)
        #expect(watch.growth.wanted == 1)
    }

    @Test mutating func `the network, the processor, the queue`() {
        look(at: [.socket])
        #expect(diagnosis().limit == .network)
        look(at: [.window], busy: .milliseconds(95))
        #expect(diagnosis().limit == .cpu)
        look(at: [nil])
        #expect(diagnosis(waiting: 5).limit == .queue)
        #expect(diagnosis(waiting: 5).queued == 105)
    }

    @Test mutating func `who sends little, who waits for answers, and who sends nothing`() {
        look(at: [nil], inFlight: 1, queued: 0)
        #expect(diagnosis(queued: 0).limit == .roundTrip)
        #expect(diagnosis(queued: 0).description.contains("1 are in flight at a time, and an answer takes 150 ms"))
        for number in [3, 0, 8, 1, 0, 5, 2, 9, 1, 4] {
            now = now.advanced(by: PoolWatch.pause)
            watch.received(
                ConnectionStatistics(
                    number: 1, time: now, loop: 0, isServing: true, inFlight: number, allowedStreams: 1000,
                    pace: ConnectionPace())
            )
            _ = watch.check(queued: 0, now: now)
        }
        #expect(diagnosis(queued: 0).limit == .caller)
        look(at: [nil], inFlight: 0, queued: 0)
        #expect(diagnosis(queued: 0).limit == .nothing)
    }

    @Test mutating func `no connection, and refused credentials`() {
        #expect(diagnosis(queued: 0).limit == .nothing)
        #expect(diagnosis().limit == .connecting)
        #expect(diagnosis().description.contains("apns.example:443 hasn't answered yet"))
        #expect(diagnosis(halt: "APNs refuses the credentials.").limit == .credentials)
    }

    @Test mutating func `answers of connections that are gone still count`() {
        look(at: [nil, nil])
        #expect(watch.answers == 22)
        watch.ended(1)
        watch.ended(7)
        #expect(watch.answers == 22)
        #expect(watch.inFlight == 50)
    }

    @Test mutating func `batches are read ahead by twice what connections carry`() {
        #expect(watch.readAhead(streamsPerConnection: 1000) == 1000)
        look(at: [.window, .window, .window], inFlight: 700)
        #expect(watch.readAhead(streamsPerConnection: 1000) == 4200)
        #expect(watch.readAhead(streamsPerConnection: 10) == 4200)
        look(at: [.streams, .streams, .streams], inFlight: 10, allowed: 10)
        #expect(watch.readAhead(streamsPerConnection: 10) == 60)
    }
}
