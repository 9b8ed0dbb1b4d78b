import TestSupport
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
        var holdsNothing: Bool
        /// Looking a little too early does no harm, which is why these are not compared for being the same.
        var looks = Looks()

        static func == (left: Report, right: Report) -> Bool {
            left.left == right.left && left.count == right.count && left.bytes == right.bytes
                && left.waiting == right.waiting && left.isEmpty == right.isEmpty
                && left.holdsNothing == right.holdsNothing && left.looks.areInTime(for: right.looks)
        }
    }

    /// When the queue is to be looked at.
    struct Looks {
        var nextRelease: MonotonicTime?
        var nextDeadline: MonotonicTime?

        /// Whether nothing is missed that the other one would see.
        func areInTime(for other: Looks) -> Bool {
            Self.isInTime(nextRelease, for: other.nextRelease) && Self.isInTime(nextDeadline, for: other.nextDeadline)
        }

        private static func isInTime(_ time: MonotonicTime?, for other: MonotonicTime?) -> Bool {
            guard let time, let other else { return time == other }
            return time <= other
        }
    }

    struct Model {
        struct Entry {
            var id: Int
            var bytes: Int
            var deadline: MonotonicTime
        }

        let bound: SendQueue.Bound
        var returned: [Entry] = []
        var resting: [(entry: Entry, time: MonotonicTime)] = []
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

        mutating func release(now: MonotonicTime) {
            let due = inOrder.filter { $0.time.endOfTick <= now }
            resting.removeAll { $0.time.endOfTick <= now }
            returned += due.map(\.entry)
        }

        /// Those that rest, by tick; as they came within one.
        private var inOrder: [(entry: Entry, time: MonotonicTime)] {
            resting.enumerated().sorted {
                ($0.element.time.endOfTick, $0.offset) < ($1.element.time.endOfTick, $1.offset)
            }.map(\.element)
        }

        mutating func take(_ maximum: Int) -> [Entry] {
            var left: [Entry] = []
            while left.count < maximum, !returned.isEmpty { left.append(returned.removeFirst()) }
            while left.count < maximum, !queued.isEmpty {
                left.append(queued.removeFirst())
                settle()
            }
            return left
        }

        mutating func withdraw(where leaves: (Entry) -> Bool) -> [Int] {
            let left = all.filter(leaves).map(\.id)
            returned.removeAll(where: leaves)
            resting.removeAll { leaves($0.entry) }
            queued.removeAll(where: leaves)
            waiting.removeAll(where: leaves)
            settle()
            return left
        }

        var all: [Entry] {
            returned + inOrder.map(\.entry) + queued + waiting
        }

        func report(_ left: [Int], now: MonotonicTime) -> Report {
            Report(
                left: left, count: queued.count, bytes: bytes, waiting: waiting.count,
                isEmpty: returned.isEmpty && queued.isEmpty && waiting.isEmpty, holdsNothing: all.isEmpty,
                looks: Looks(
                    nextRelease: resting.map(\.time.endOfTick).min().map { max($0, now) },
                    nextDeadline: all.map(\.deadline.endOfTick).min().map { max($0, now) })
            )
        }
    }

    /// The queue, spoken to in the model's terms.
    struct Subject {
        var queue: SendQueue
        var sends: [PendingSend] = []
        var onConnection: [PendingSend] = []

        mutating func report(_ left: [PendingSend]) -> Report {
            Report(
                left: left.compactMap { Int($0.name) }, count: queue.count, bytes: queue.bytes,
                waiting: queue.waitingCount, isEmpty: queue.isEmpty, holdsNothing: queue.holdsNothing,
                looks: Looks(nextRelease: queue.nextRelease(), nextDeadline: queue.nextLimit()))
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
        for step in 0..<6_000 {
            let (expected, actual) = operate(&model, &subject, now: .at(UInt64(step)), &departures, &generator)
            #expect(actual == expected, "seed \(seed), step \(step)")
            if actual != expected { return }
        }
        let rest = subject.queue.withdrawAll() + subject.onConnection
        for send in rest { departures[Int(send.name) ?? -1, default: 0] += 1 }
        #expect(departures.count == subject.sends.count)
        #expect(departures.values.allSatisfy { $0 == 1 })
    }

    private func operate(
        _ model: inout Model, _ subject: inout Subject, now: MonotonicTime, _ departures: inout [Int: Int],
        _ generator: inout SeededGenerator
    ) -> (expected: Report, actual: Report) {
        // Bursts fill the queue and quiet times empty it.
        let isBurst = (now.nanoseconds / 1_000_000_000) % 400 < 200
        var expected: [Int] = []
        var actual: [PendingSend] = []
        var isDeparture = true
        switch Int.random(in: 0..<120, using: &generator) {
        case 0..<(isBurst ? 60 : 25):
            let id = subject.sends.count
            let bytes = Int.random(in: 1...30, using: &generator) * (generator.oneIn(20) ? 10 : 1)
            // No two are the same: what leaves together leaves in one order only.
            let deadline = now.advanced(
                by: .seconds(Int.random(in: 1...400, using: &generator)) + .nanoseconds(id))
            let send = PendingSend.sample(String(id), bytes: bytes, deadline: deadline)
            subject.sends.append(send)
            subject.queue.enqueue(send)
            model.enqueue(.init(id: id, bytes: bytes, deadline: deadline))
        case 60..<75:
            let maximum = Int.random(in: 0...6, using: &generator)
            subject.queue.take(maximum, into: &actual)
            #expect(actual.allSatisfy { $0.stage == .onConnection })
            expected = model.take(maximum).map(\.id)
            subject.onConnection += actual
            isDeparture = false
        case 75..<97:
            guard let send = subject.sends.suffix(300).randomElement(using: &generator) else { break }
            if subject.queue.withdraw(send) { actual = [send] }
            expected = model.withdraw { String($0.id) == send.name }
        case 97..<99:
            actual = subject.queue.withdrawLate(now: now).map(\.send).sorted { $0.deadline < $1.deadline }
            expected = model.all.filter { $0.deadline.endOfTick <= now }.sorted { $0.deadline < $1.deadline }.map(\.id)
            _ = model.withdraw { $0.deadline.endOfTick <= now }
        case 99..<108: comeBack(&model, &subject, now, &generator)
        case 108..<112:
            subject.queue.release(now: now)
            model.release(now: now)
        case 112..<116:
            // The connection is done with some.
            for _ in 0..<min(3, subject.onConnection.count) { actual.append(subject.onConnection.removeFirst()) }
            expected = actual.compactMap { Int($0.name) }
        default:
            guard generator.oneIn(20) else { break }
            actual = subject.queue.withdrawAll()
            expected = model.withdraw { _ in true }
        }
        if isDeparture { for send in actual { departures[Int(send.name) ?? -1, default: 0] += 1 } }
        return (model.report(expected, now: now), subject.report(actual))
    }

    /// A connection puts some of what it has taken back, at once or for later.
    private func comeBack(
        _ model: inout Model, _ subject: inout Subject, _ now: MonotonicTime, _ generator: inout SeededGenerator
    ) {
        var sends: [PendingSend] = []
        for _ in 0..<Int.random(in: 0...4, using: &generator) where !subject.onConnection.isEmpty {
            sends.append(
                subject.onConnection.remove(at: Int.random(in: 0..<subject.onConnection.count, using: &generator)))
        }
        let entries = sends.map {
            Model.Entry(id: Int($0.name) ?? -1, bytes: $0.byteCount, deadline: $0.deadline)
        }
        if generator.oneIn(2) {
            subject.queue.putBack(sends)
            model.returned = entries + model.returned
        } else {
            for (send, entry) in zip(sends, entries) {
                let time = now.advanced(
                    by: .seconds(Int.random(in: 1...50, using: &generator)) + .nanoseconds(entry.id))
                subject.queue.putBack(send, at: time)
                model.resting.append((entry, time))
            }
        }
    }
}
