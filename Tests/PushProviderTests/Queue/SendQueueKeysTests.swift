import TestSupport
import Testing

@testable import PushProvider

/// Sends with a collapse id in the queue.
struct SendQueueKeysTests {
    var queue = SendQueue(bound: .init(count: 3, bytes: 1000))
    var taken: [PendingSend] = []

    private mutating func enqueue(
        _ name: String, _ key: String? = "score", deadline: MonotonicTime = .never
    ) throws -> PendingSend {
        let send = PendingSend.sample(name, deadline: deadline, key: try key.flatMap { try CollapseKey.sample($0) })
        queue.enqueue(send)
        return send
    }

    /// Takes sends, and returns the names of the taken and of the superseded ones.
    private mutating func take(_ maximum: Int = 9) -> [[String]] {
        taken = []
        let superseded = queue.take(maximum, into: &taken)
        return [taken.map(\.name), superseded.map(\.name)]
    }

    @Test mutating func `a send waits until the one of its key has its outcome, and others pass`() throws {
        let first = try enqueue("a")
        let second = try enqueue("b")
        _ = try enqueue("c", "other")
        _ = try enqueue("d", nil)
        #expect(take() == [["a", "c", "d"], []])
        #expect(second.stage == .waitingForKey)
        #expect(queue.isEmpty && !queue.holdsNothing)
        #expect(queue.reading.resting == 1)
        #expect(take() == [[], []])
        queue.ended(first)
        let hasFreed = queue.takeHasFreed()
        #expect(hasFreed && !queue.isEmpty)
        #expect(take() == [["b"], []])
        queue.ended(second)
        #expect(queue.holdsNothing)
    }

    @Test mutating func `a send that rests is superseded when a newer one is taken`() throws {
        let first = try enqueue("a")
        _ = try enqueue("b")
        #expect(take() == [["a"], []])
        queue.putBack(first, at: .at(900))
        #expect(take() == [["b"], ["a"]])
        #expect(first.stage == .ended)
        #expect(queue.nextRelease() == nil && queue.holdsNothing)
    }

    @Test mutating func `a send that is sent again at once keeps its key`() throws {
        let first = try enqueue("a")
        _ = try enqueue("b")
        #expect(take() == [["a"], []])
        queue.putBack([first])
        #expect(take() == [["a"], []])
        queue.ended(first)
        #expect(take() == [["b"], []])
    }

    @Test mutating func `a send whose time has come goes when its key is free, and leaves when it is not`() throws {
        let first = try enqueue("a")
        #expect(take() == [["a"], []])
        queue.putBack(first, at: .at(2))
        queue.release(now: .at(2))
        let second = try enqueue("b")
        #expect(take() == [["a"], []])
        queue.putBack(first, at: .at(4))
        #expect(take(0) == [[], []])
        queue.release(now: .at(4))
        // Now it is the turn of the second one, which has waited.
        #expect(second.stage == .returned)
        #expect(take() == [["b"], ["a"]])
    }

    @Test mutating func `a send that waits for its key obeys its deadline, whatever the others do`() throws {
        let first = try enqueue("a")
        _ = try enqueue("b", deadline: .at(5))
        let third = try enqueue("c", deadline: .at(9))
        #expect(take() == [["a"], []])
        #expect(queue.nextLimit() == .at(5))
        let expired = queue.withdrawLate(now: .at(5))
        #expect(expired.map(\.send.name) == ["b"])
        #expect(expired.map(\.hadKey) == [false] && expired.map(\.hadRoom) == [true])
        #expect(queue.nextLimit() == .at(9))
        queue.ended(first)
        #expect(take() == [["c"], []])
        queue.ended(third)
        #expect(queue.nextLimit() == nil)
    }

    @Test mutating func `a send that is too late when it is taken supersedes nothing`() throws {
        let first = try enqueue("a")
        #expect(take() == [["a"], []])
        queue.putBack(first, at: .at(900))
        let late = try enqueue("b", deadline: .at(5))
        var taken: [PendingSend] = []
        let superseded = queue.take(9, now: .at(5), into: &taken)
        #expect(taken.map(\.name) == ["b"] && superseded.isEmpty)
        queue.ended(late)
        queue.release(now: .at(900))
        #expect(take() == [["a"], []])
    }

    @Test mutating func `a cancelled send gives its turn to the next one`() throws {
        let sends = [try enqueue("a"), try enqueue("b"), try enqueue("c")]
        #expect(take() == [["a"], []])
        queue.putBack(sends[0], at: .at(900))
        // It is its turn, and no connection has taken it yet.
        #expect(sends[1].stage == .returned)
        let isOut = queue.withdraw(sends[1])
        #expect(isOut && sends[2].stage == .returned)
        // The last one that waits is cancelled too: the first one is tried again at its time.
        let isOut2 = queue.withdraw(sends[2])
        #expect(isOut2)
        queue.release(now: .at(900))
        #expect(take() == [["a"], []])
    }

    @Test mutating func `sends that wait for their key take no space in the queue`() throws {
        for number in 0..<20 { _ = try enqueue("\(number)") }
        #expect(take() == [["0"], []])
        #expect(queue.count == 0 && queue.bytes == 0 && queue.waitingCount == 0)
        let other = try enqueue("x", nil)
        #expect(other.stage == .queued)
        let selected = queue.withdrawAll { $0.name == "7" }
        #expect(selected.map(\.name) == ["7"])
        let rest = queue.withdrawAll()
        #expect(rest.count == 19 && queue.holdsNothing)
    }

    @Test mutating func `when everything was withdrawn, a key stays taken while a connection has its send`() throws {
        let first = try enqueue("a")
        _ = try enqueue("b")
        #expect(take() == [["a"], []])
        #expect(queue.withdrawAll().map(\.name) == ["b"])
        let later = try enqueue("c")
        #expect(take() == [[], []])
        queue.putBack(first, at: .at(9))
        #expect(take() == [["c"], ["a"]])
        queue.ended(later)
        #expect(queue.holdsNothing)
    }

    /// Everything that can happen to sends of a few keys, at random.
    @Test(arguments: 1...20)
    mutating func `never are two of a key on the way, no older one starts after a newer one, and each leaves once`(
        seed: Int
    ) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let keys = try (0..<4).map { try CollapseKey.sample("\($0)") } + [nil]
        var sends: [PendingSend] = []
        var onConnections: [PendingSend] = []
        var newest: [CollapseKey: Int] = [:]
        var left: [String: Int] = [:]
        func leaves(_ send: PendingSend) { left[send.name, default: 0] += 1 }
        for step in 0..<3_000 {
            let now = MonotonicTime.at(UInt64(step))
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<3:
                let time = Duration.seconds(Int.random(in: 1...40, using: &generator))
                let deadline = generator.oneIn(3) ? now.advanced(by: time) : .never
                let send = PendingSend.sample(
                    "\(sends.count)", deadline: deadline, key: keys.randomElement(using: &generator) ?? nil)
                sends.append(send)
                queue.enqueue(send)
            case 3..<6:
                var taken: [PendingSend] = []
                let maximum = Int.random(in: 1...5, using: &generator)
                for send in queue.take(maximum, now: now, into: &taken) { leaves(send) }
                for send in taken {
                    if let key = send.key {
                        if send.limit > now {
                            #expect(send.number >= newest[key] ?? 0, "seed \(seed), step \(step)")
                            newest[key] = send.number
                        }
                        #expect(!onConnections.contains { $0.key == key }, "seed \(seed), step \(step)")
                    }
                    onConnections.append(send)
                }
            case 6..<8:
                guard let index = onConnections.indices.randomElement(using: &generator) else { break }
                let send = onConnections.remove(at: index)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: queue.putBack([send])
                case 1: queue.putBack(send, at: now.advanced(by: .seconds(Int.random(in: 1...30, using: &generator))))
                default:
                    queue.ended(send)
                    leaves(send)
                }
            case 8:
                queue.release(now: now)
                for entry in queue.withdrawLate(now: now) { leaves(entry.send) }
            default:
                guard generator.oneIn(3), let send = sends.suffix(30).randomElement(using: &generator) else { break }
                if queue.withdraw(send) { leaves(send) }
                if generator.oneIn(100) { for send in queue.withdrawAll() { leaves(send) } }
            }
        }
        // Whatever is left can be sent: nothing waits forever.
        var rounds = 0
        while !queue.holdsNothing || !onConnections.isEmpty, rounds < 10_000 {
            rounds += 1
            for send in onConnections {
                queue.ended(send)
                leaves(send)
            }
            onConnections = []
            queue.release(now: .at(1_000_000))
            for send in queue.take(5, into: &onConnections) { leaves(send) }
        }
        #expect(queue.holdsNothing && onConnections.isEmpty)
        #expect(left.count == sends.count && left.values.allSatisfy { $0 == 1 })
    }
}
