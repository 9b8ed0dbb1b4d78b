import Testing

@testable import PushProvider

@Suite struct SendDeskTests {
    let desk = SendDesk(bound: .init(count: 2, bytes: 1000))

    private func handIn(_ deadline: UInt64) -> SendDesk.HandIn {
        desk.handIn(.sample(deadline: .at(deadline)))
    }

    private func take(_ most: Int) -> [PendingSend] {
        var taken: [PendingSend] = []
        desk.take(most, into: &taken)
        return taken
    }

    // MARK: Wake-ups

    @Test func `the first send of a burst wakes the loop and the others do not`() {
        #expect(handIn(30) == .taken(wakeLoop: true))
        #expect(handIn(30) == .taken(wakeLoop: false))
        #expect(handIn(31) == .taken(wakeLoop: false))
        #expect(desk.counts == (queued: 2, bytes: 2, waiting: 1))
    }

    @Test func `an earlier deadline than all before wakes the loop`() {
        #expect(handIn(30) == .taken(wakeLoop: true))
        #expect(handIn(29) == .taken(wakeLoop: true))
        #expect(handIn(29) == .taken(wakeLoop: false))
        #expect(handIn(30) == .taken(wakeLoop: false))
    }

    @Test func `after everything was taken the next send wakes the loop again`() {
        _ = handIn(30)
        _ = handIn(30)
        #expect(take(9).count == 2)
        #expect(handIn(31) == .taken(wakeLoop: true))
        #expect(handIn(31) == .taken(wakeLoop: false))
    }

    @Test func `while something is left the loop is awake`() {
        _ = handIn(30)
        _ = handIn(30)
        #expect(take(1).count == 1)
        #expect(handIn(31) == .taken(wakeLoop: false))
        #expect(desk.hasWork())
    }

    @Test func `a look that finds nothing lets the loop sleep`() {
        let send = PendingSend.sample(deadline: .at(30))
        #expect(desk.handIn(send) == .taken(wakeLoop: true))
        #expect(desk.cancel(send) == .withdrawn)
        #expect(!desk.hasWork())
        #expect(handIn(31) == .taken(wakeLoop: true))
    }

    @Test func `after everything was withdrawn the next send wakes the loop`() {
        _ = handIn(30)
        #expect(desk.withdrawAll().count == 1)
        #expect(handIn(31) == .taken(wakeLoop: true))
    }

    @Test func `a sweep is planned for the earliest deadline, and only an earlier one wakes the loop`() {
        _ = handIn(30)
        #expect(desk.planSweep(connections: .at(40)) == .at(30))
        #expect(handIn(30) == .taken(wakeLoop: false))
        #expect(desk.planSweep(connections: .at(20)) == .at(20))
        #expect(handIn(25) == .taken(wakeLoop: false))
        #expect(handIn(19) == .taken(wakeLoop: true))
    }

    @Test func `without any deadline no sweep is planned and the next send is the earliest`() {
        _ = handIn(30)
        _ = handIn(30)
        _ = take(1)
        #expect(desk.planSweep(connections: nil) == .at(30))
        #expect(desk.withdrawExpired(now: .at(30)).map(\.hadRoom) == [true])
        #expect(desk.planSweep(connections: nil) == nil)
        #expect(handIn(99) == .taken(wakeLoop: true))
    }

    /// The loop takes only when it is woken: a wake-up that is lost would let this test stand still.
    @Test(.timeLimit(.minutes(1))) func `no wake-up is lost when many hand in at once`() async {
        let callers = 8
        let each = 2_000
        let desk = SendDesk(bound: .init(count: 50, bytes: 1000))
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self)
        let taken = await withTaskGroup(of: Void.self, returning: [PendingSend].self) { group in
            for caller in 0..<callers {
                group.addTask {
                    for number in 0..<each {
                        let send = PendingSend.sample("\(caller)-\(number)", deadline: .at(30))
                        if desk.handIn(send) == .taken(wakeLoop: true) { wake.yield() }
                    }
                }
            }
            var taken: [PendingSend] = []
            for await _ in wakes {
                while case let before = taken.count, desk.hasWork() {
                    desk.take(7, into: &taken)
                    if taken.count == before { break }
                }
                if taken.count == callers * each { break }
            }
            return taken
        }
        #expect(Set(taken.map(\.apnsID)).count == callers * each)
    }

    // MARK: Cancelling

    @Test func `cancelled before it is handed in, it is refused`() {
        let send = PendingSend.sample()
        #expect(desk.cancel(send) == .tooLate)
        #expect(desk.handIn(send) == .refused(.cancelled))
        #expect(desk.counts == (queued: 0, bytes: 0, waiting: 0))
    }

    @Test func `cancelled in the queue or waiting for room, it is withdrawn once`() {
        let sends = (0..<3).map { _ in PendingSend.sample() }
        for send in sends { _ = desk.handIn(send) }
        #expect(desk.cancel(sends[2]) == .withdrawn)
        #expect(desk.cancel(sends[0]) == .withdrawn)
        #expect(desk.cancel(sends[0]) == .tooLate)
        #expect(desk.counts == (queued: 1, bytes: 1, waiting: 0))
        #expect(take(9).map(ObjectIdentifier.init) == [ObjectIdentifier(sends[1])])
    }

    @Test func `cancelled on a connection, the loop decides`() {
        let send = PendingSend.sample()
        _ = desk.handIn(send)
        _ = take(1)
        #expect(desk.cancel(send) == .onConnection)
    }

    @Test func `cancelled after its deadline, it is too late`() {
        let send = PendingSend.sample(deadline: .at(1))
        _ = desk.handIn(send)
        #expect(desk.withdrawExpired(now: .at(1)).count == 1)
        #expect(desk.cancel(send) == .tooLate)
    }

    // MARK: Closing

    @Test func `a closed desk refuses with its cause and keeps what it has`() {
        let send = PendingSend.sample()
        _ = desk.handIn(send)
        desk.close(.shutdown)
        let late = PendingSend.sample()
        #expect(desk.handIn(late) == .refused(.shutdown))
        #expect(late.place == .ended)
        #expect(desk.cancel(late) == .tooLate)
        #expect(desk.hasWork())
        #expect(take(9).count == 1)
    }

    @Test func `emptied and closed at once, nothing slips in between`() {
        _ = handIn(30)
        _ = handIn(30)
        _ = handIn(30)
        #expect(desk.withdrawAll(closing: .shutdown).count == 3)
        #expect(handIn(30) == .refused(.shutdown))
        #expect(!desk.hasWork())
    }

    @Test func `emptied without a cause it stays open`() {
        #expect(desk.withdrawAll().isEmpty)
        #expect(handIn(30) == .taken(wakeLoop: true))
    }

    // MARK: The outcome

    @Test func `an outcome is told once`() {
        let send = PendingSend.sample()
        var told = 0
        send.whenEnded { _ in told += 1 }
        let trace = PushTrace(queued: .zero, inFlight: .zero, attempts: 0)
        let outcome = PushOutcome.notSent(NotSent(cause: .deadline, phase: .queue, description: "", trace: trace))
        send.end(outcome)
        send.end(outcome)
        #expect(told == 1)
    }
}
