import Testing

@testable import PushProvider

/// The queue against a model that does everything in the slowest and plainest way.
@Suite struct SendQueueModelTests {
    /// What both say after each operation.
    struct Report: Equatable {
        var left: [Int]
        var count: Int
        var bytes: Int
        var waiting: Int
        var isEmpty: Bool
        var nextDeadline: MonotonicTime?
    }

    struct Model {
        struct Entry {
            var id: Int
            var bytes: Int
            var deadline: MonotonicTime
        }

        let bound: SendQueue.Bound
        var queued: [Entry] = []
        var waiting: [Entry] = []

        var bytes: Int { queued.reduce(0) { $0 + $1.bytes } }

        mutating func settle() {
            while let next = waiting.first,
                queued.isEmpty || (queued.count < bound.count && bytes + next.bytes <= bound.bytes)
            {
                queued.append(waiting.removeFirst())
            }
        }

        mutating func enqueue(_ entry: Entry) {
            waiting.append(entry)
            settle()
        }

        mutating func take(_ most: Int) -> [Int] {
            var left: [Int] = []
            while left.count < most, !queued.isEmpty {
                left.append(queued.removeFirst().id)
                settle()
            }
            return left
        }

        mutating func withdraw(where leaves: (Entry) -> Bool) -> [Int] {
            let left = (queued + waiting).filter(leaves).map(\.id)
            queued.removeAll(where: leaves)
            waiting.removeAll(where: leaves)
            settle()
            return left
        }

        func report(_ left: [Int]) -> Report {
            Report(
                left: left, count: queued.count, bytes: bytes, waiting: waiting.count,
                isEmpty: queued.isEmpty && waiting.isEmpty, nextDeadline: (queued + waiting).map(\.deadline).min())
        }
    }

    /// The queue, spoken to in the model's terms.
    struct Subject {
        var queue: SendQueue
        var sends: [PendingSend] = []

        func report(_ left: [PendingSend]) -> Report {
            Report(
                left: left.compactMap { Int($0.apnsID) }, count: queue.count, bytes: queue.bytes,
                waiting: queue.waitingCount, isEmpty: queue.isEmpty, nextDeadline: queue.nextDeadline)
        }
    }

    @Test(arguments: [
        (seed: 1, count: 1, bytes: 50), (seed: 2, count: 8, bytes: 1000), (seed: 3, count: 8, bytes: 60),
        (seed: 4, count: 200, bytes: 3000), (seed: 5, count: 3, bytes: 1), (seed: 6, count: 1000, bytes: 100_000),
    ])
    func `thousands of operations are those of the model, and each send leaves exactly once`(
        seed: Int, count: Int, bytes: Int
    ) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let bound = SendQueue.Bound(count: count, bytes: bytes)
        var model = Model(bound: bound)
        var subject = Subject(queue: SendQueue(bound: bound))
        var departures: [Int: Int] = [:]
        var lastTaken = -1
        for step in 0..<6_000 {
            let (expected, actual) = operate(
                &model, &subject, now: .at(UInt64(step)), lastTaken: &lastTaken, &generator)
            #expect(actual == expected, "seed \(seed), step \(step)")
            if actual != expected { return }
            for id in actual.left { departures[id, default: 0] += 1 }
        }
        for send in subject.queue.withdrawAll() { departures[Int(send.apnsID) ?? -1, default: 0] += 1 }
        #expect(departures.count == subject.sends.count)
        #expect(departures.values.allSatisfy { $0 == 1 })
    }

    private func operate(
        _ model: inout Model, _ subject: inout Subject, now: MonotonicTime, lastTaken: inout Int,
        _ generator: inout SeededGenerator
    ) -> (expected: Report, actual: Report) {
        // Bursts fill the queue and quiet times empty it.
        let isBurst = (now.nanoseconds / 1_000_000_000) % 400 < 200
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<(isBurst ? 60 : 25):
            let id = subject.sends.count
            let bytes = Int.random(in: 1...30, using: &generator) * (generator.oneIn(20) ? 10 : 1)
            let deadline = now.advanced(by: .seconds(Int.random(in: 1...400, using: &generator)))
            let send = PendingSend.sample(String(id), bytes: bytes, deadline: deadline)
            subject.sends.append(send)
            subject.queue.enqueue(send)
            model.enqueue(.init(id: id, bytes: bytes, deadline: deadline))
            return (model.report([]), subject.report([]))
        case 60..<75:
            let most = Int.random(in: 0...6, using: &generator)
            var taken: [PendingSend] = []
            subject.queue.take(most, into: &taken)
            // First come, first sent: ids are given in the order of coming.
            for send in taken {
                let id = Int(send.apnsID) ?? -1
                #expect(id > lastTaken)
                #expect(send.place == .onConnection)
                lastTaken = id
            }
            let expected = model.take(most)
            return (model.report(expected), subject.report(taken))
        case 75..<97:
            guard let send = subject.sends.suffix(300).randomElement(using: &generator) else {
                return (model.report([]), subject.report([]))
            }
            let isHere = subject.queue.withdraw(send)
            let expected = model.withdraw { String($0.id) == send.apnsID }
            return (model.report(expected), subject.report(isHere ? [send] : []))
        case 97..<99:
            let expired = subject.queue.withdrawExpired(now: now)
            let expected = model.withdraw { $0.deadline <= now }
            return (model.report(expected), subject.report(expired.map(\.send)))
        default:
            guard generator.oneIn(10) else { return (model.report([]), subject.report([])) }
            let all = subject.queue.withdrawAll()
            let expected = model.withdraw { _ in true }
            return (model.report(expected), subject.report(all))
        }
    }
}
