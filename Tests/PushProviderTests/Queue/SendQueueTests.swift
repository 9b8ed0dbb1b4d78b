import TestSupport
import Testing

@testable import PushProvider

@Suite struct SendQueueTests {
    var queue = SendQueue(bound: .init(count: 3, bytes: 100))
    var taken: [PendingSend] = []

    private mutating func enqueue(_ ids: String..., bytes: Int = 1, deadline: MonotonicTime = .never) -> [PendingSend] {
        let sends = ids.map { PendingSend.sample($0, bytes: bytes, deadline: deadline) }
        for send in sends { queue.enqueue(send) }
        return sends
    }

    private mutating func take(_ maximum: Int) -> [String] {
        taken = []
        queue.take(maximum, into: &taken)
        return taken.map(\.name)
    }

    @Test mutating func `what comes first leaves first`() {
        _ = enqueue("a", "b", "c")
        #expect(take(2) == ["a", "b"])
        #expect(take(2) == ["c"])
        #expect(take(2) == [])
    }

    @Test mutating func `the count is bounded and the rest waits in order`() {
        let sends = enqueue("a", "b", "c", "d", "e")
        #expect(sends.map(\.stage) == [.queued, .queued, .queued, .waitingForRoom, .waitingForRoom])
        #expect(queue.count == 3)
        #expect(queue.bytes == 3)
        #expect(queue.waitingCount == 2)
        #expect(take(1) == ["a"])
        #expect(sends.map(\.stage) == [.onConnection, .queued, .queued, .queued, .waitingForRoom])
        #expect(take(9) == ["b", "c", "d", "e"])
        #expect(queue.isEmpty)
        #expect(queue.bytes == 0)
    }

    @Test mutating func `the bytes are bounded and the bound itself fits`() {
        let sends = enqueue("a", "b", bytes: 50) + enqueue("c")
        #expect(sends.map(\.stage) == [.queued, .queued, .waitingForRoom])
        #expect(queue.bytes == 100)
    }

    @Test mutating func `no send overtakes one that waits`() {
        let sends = enqueue("a", bytes: 90) + enqueue("b", bytes: 20) + enqueue("c", bytes: 1)
        #expect(sends.map(\.stage) == [.queued, .waitingForRoom, .waitingForRoom])
        #expect(take(1) == ["a"])
        #expect(sends.map(\.stage) == [.onConnection, .queued, .queued])
    }

    @Test mutating func `a send larger than the bound fits an empty queue only`() {
        #expect(enqueue("a", bytes: 101)[0].stage == .queued)
        #expect(enqueue("b", bytes: 500)[0].stage == .waitingForRoom)
        #expect(take(1) == ["a"])
        #expect(queue.count == 1)
        #expect(queue.bytes == 500)
        #expect(take(1) == ["b"])
    }

    @Test mutating func `one call takes more than the bound when others wait`() {
        _ = enqueue("a", "b", "c", "d", "e", "f", "g")
        #expect(take(6) == ["a", "b", "c", "d", "e", "f"])
        #expect(take(0) == [])
        #expect(queue.count == 1)
    }

    @Test mutating func `what was taken is added to what is there`() {
        _ = enqueue("a")
        taken = [.sample("x")]
        queue.take(1, into: &taken)
        #expect(taken.map(\.name) == ["x", "a"])
    }

    @Test mutating func `withdrawing leaves the others in order and lets the waiting in`() {
        let sends = enqueue("a", "b", "c", "d", "e")
        #expect(queue.withdraw(sends[1]) == true)
        #expect(sends[1].stage == .ended)
        #expect(sends[3].stage == .queued)
        #expect(queue.withdraw(sends[4]) == true)
        #expect(queue.waitingCount == 0)
        #expect(take(9) == ["a", "c", "d"])
    }

    @Test mutating func `withdrawing the one who waits first lets the smaller one behind it in`() {
        let sends = enqueue("a", bytes: 90) + enqueue("b", bytes: 20) + enqueue("c", bytes: 10)
        #expect(queue.withdraw(sends[1]) == true)
        #expect(sends[2].stage == .queued)
        #expect(queue.bytes == 100)
    }

    @Test mutating func `only what is here can be withdrawn, and only once`() {
        let sends = enqueue("a", "b")
        #expect(take(1) == ["a"])
        #expect(queue.withdraw(sends[0]) == false)
        #expect(queue.withdraw(sends[1]) == true)
        #expect(queue.withdraw(sends[1]) == false)
        #expect(queue.withdraw(.sample()) == false)
        #expect(queue.isEmpty)
        #expect(queue.bytes == 0)
    }

    /// What was withdrawn stands at the end, so that the last live send is not the last one in memory.
    @Test mutating func `a connection gets all it asked for over what was withdrawn`() {
        let sends = enqueue("a", "b", bytes: 50) + enqueue("c", bytes: 60)
        #expect(queue.withdraw(sends[1]) == true)
        #expect(sends[2].stage == .waitingForRoom)
        #expect(take(2) == ["a", "c"])
    }

    @Test mutating func `everything leaves at once, in order`() {
        let sends = enqueue("a", "b", "c", "d", "e")
        #expect(queue.withdraw(sends[0]) == true)
        #expect(queue.withdrawAll().map(\.name) == ["b", "c", "d", "e"])
        #expect(sends.allSatisfy { $0.stage == .ended })
        #expect(queue.isEmpty)
        #expect(queue.bytes == 0)
        #expect(queue.withdrawAll().isEmpty)
        #expect(enqueue("f")[0].stage == .queued)
    }

    @Test mutating func `whose deadline has come leaves, with the word whether it had room`() {
        _ = enqueue("a", deadline: .at(5))
        _ = enqueue("b", deadline: .at(6))
        _ = enqueue("c", deadline: .at(1))
        _ = enqueue("d", deadline: .at(5))
        let last = enqueue("e", deadline: .at(9))
        let expired = queue.withdrawLate(now: .at(5))
        let hadRoom = Dictionary(uniqueKeysWithValues: expired.map { ($0.send.name, $0.hadRoom) })
        #expect(hadRoom == ["a": true, "c": true, "d": false])
        #expect(expired.allSatisfy { $0.send.stage == .ended })
        #expect(last[0].stage == .queued)
        #expect(queue.withdrawLate(now: .at(5)).isEmpty)
        #expect(take(9) == ["b", "e"])
    }

    @Test mutating func `the next deadline is the earliest of all that are here`() {
        #expect(queue.nextLimit() == nil)
        let first = enqueue("a", deadline: .at(3))
        _ = enqueue("b", "c", deadline: .at(7))
        let waiting = enqueue("d", deadline: .at(2))
        #expect(queue.nextLimit() == .at(2))
        #expect(queue.withdraw(waiting[0]) == true)
        #expect(queue.nextLimit() == .at(3))
        #expect(queue.withdraw(first[0]) == true)
        #expect(queue.nextLimit() == .at(7))
        #expect(take(9) == ["b", "c"])
        #expect(queue.nextLimit() == nil)
    }

    @Test mutating func `the next deadline of a queue whose only live send waits is found`() {
        queue = SendQueue(bound: .init(count: 1, bytes: 10))
        _ = enqueue("a", deadline: .never)
        _ = enqueue("b", deadline: .at(4))
        #expect(queue.nextLimit() == .at(4))
    }

    /// Callers who give up must not fill the memory of a client that cannot send.
    @Test(arguments: [10_000, 1]) func `what was withdrawn is let go while nothing is taken`(bound: Int) {
        var queue = SendQueue(bound: .init(count: bound, bytes: .max))
        let kept = (0..<10).map { _ in PendingSend.sample() }
        for send in kept { queue.enqueue(send) }
        var withdrawn: [WeakSend] = []
        for _ in 0..<5_000 {
            let send = PendingSend.sample()
            withdrawn.append(WeakSend(send: send))
            queue.enqueue(send)
            #expect(queue.withdraw(send) == true)
        }
        #expect(withdrawn.count { $0.send != nil } < 200)
        #expect(queue.count + queue.waitingCount == 10)
    }

    // MARK: What comes back

    @Test mutating func `what comes back is the next, in its own order, and takes no room`() {
        _ = enqueue("a", "b", "c", "d", "e")
        #expect(take(2) == ["a", "b"])
        queue.putBack(taken)
        #expect(queue.count == 3)
        #expect(queue.returnedCount == 2)
        #expect(enqueue("f")[0].stage == .waitingForRoom)
        #expect(take(9) == ["a", "b", "c", "d", "e", "f"])
        #expect(queue.holdsNothing)
    }

    @Test mutating func `what rests is passed over until its time, and the earliest goes first`() {
        _ = enqueue("a", "b", "c")
        #expect(take(2) == ["a", "b"])
        queue.putBack(taken[0], at: .at(9))
        queue.putBack(taken[1], at: .at(5))
        #expect(queue.nextRelease() == .at(5))
        queue.release(now: .at(4))
        #expect(take(9) == ["c"])
        #expect(queue.isEmpty)
        #expect(!queue.holdsNothing)
        queue.release(now: .at(9))
        #expect(queue.nextRelease() == nil)
        #expect(take(9) == ["b", "a"])
    }

    @Test mutating func `what came back can be withdrawn, wherever it is`() {
        let sends = enqueue("a", "b", "c")
        #expect(take(3) == ["a", "b", "c"])
        queue.putBack([sends[0], sends[1]])
        queue.putBack(sends[2], at: .at(5))
        #expect(queue.withdraw(sends[0]) == true)
        #expect(queue.withdraw(sends[2]) == true)
        #expect(queue.nextRelease() == nil)
        queue.release(now: .at(9))
        #expect(take(9) == ["b"])
        #expect(queue.holdsNothing)
    }

    @Test mutating func `what comes back keeps its deadline`() {
        let sends = enqueue("a", "b", deadline: .at(7))
        #expect(queue.nextLimit() == .at(7))
        #expect(take(2) == ["a", "b"])
        #expect(queue.nextLimit() == nil)
        queue.putBack([sends[0]])
        queue.putBack(sends[1], at: .at(8))
        #expect(queue.nextLimit() == .at(7))
        let expired = queue.withdrawLate(now: .at(7))
        #expect(expired.map(\.hadRoom) == [true, true])
        #expect(queue.holdsNothing)
    }

    @Test mutating func `an expiration is a limit as a deadline is`() {
        let send = PendingSend.sample("a", deadline: .at(9), expires: .at(4))
        queue.enqueue(send)
        #expect(queue.nextLimit() == .at(4))
        #expect(send.whatPassed.cause == .expired)
        #expect(PendingSend.sample(deadline: .at(3), expires: .at(4)).whatPassed.cause == .deadline)
        #expect(queue.withdrawLate(now: .at(4)).count == 1)
    }

    /// Most sends finish long before their deadline: the table of deadlines must not keep them all until then.
    @Test mutating func `the deadlines of what was sent are forgotten`() {
        queue = SendQueue(bound: .init(count: 10_000, bytes: .max))
        var references: [WeakSend] = []
        for _ in 0..<50 {
            for _ in 0..<100 {
                let send = PendingSend.sample(deadline: .at(1_000_000))
                references.append(WeakSend(send: send))
                queue.enqueue(send)
            }
            _ = queue.nextLimit()
            #expect(take(100).count == 100)
        }
        taken = []
        #expect(references.count { $0.send != nil } < 200)
    }

    @Test mutating func `what was taken is let go`() {
        let reference = WeakSend(send: enqueue("a")[0])
        #expect(take(1) == ["a"])
        taken = []
        #expect(reference.send == nil)
    }

    private struct WeakSend {
        weak var send: PendingSend?
    }
}
