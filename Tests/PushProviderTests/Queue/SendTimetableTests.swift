import TestSupport
import Testing

@testable import PushProvider

@Suite struct SendTimetableTests {
    /// The same in the plainest way: a list that is searched.
    struct Reference {
        var entries: [(send: PendingSend, time: MonotonicTime)] = []
        mutating func insert(_ send: PendingSend, at time: MonotonicTime) {
            if time < .never { entries.append((send, time)) }
        }

        mutating func popAll(upTo now: MonotonicTime) -> [String] {
            let due = entries.enumerated().filter { $0.element.time.endOfTick <= now }.sorted {
                ($0.element.time.endOfTick, $0.offset) < ($1.element.time.endOfTick, $1.offset)
            }
            entries.removeAll { $0.time.endOfTick <= now }
            return due.map(\.element.send.name)
        }

        func earliest(where isMeant: (PendingSend) -> Bool) -> MonotonicTime? {
            entries.filter { isMeant($0.send) }.map(\.time.endOfTick).min()
        }
    }

    /// How far in the future, from within a tick to weeks: each level of the wheel has its turn.
    private static func distance(_ chance: inout SeededGenerator) -> Duration {
        let bits = Int.random(in: 0...51, using: &chance)
        return .nanoseconds(Int.random(in: 0...(1 << bits), using: &chance))
    }

    private static func popAll(_ table: inout SendTimetable, upTo now: MonotonicTime) -> [String] {
        var popped: [String] = []
        while let send = table.popFirst(upTo: now) { popped.append(send.name) }
        return popped
    }

    @Test(arguments: 1...40) func `it does what a list does that is searched`(seed: UInt64) {
        var chance = SeededGenerator(seed: seed)
        var table = SendTimetable()
        var reference = Reference()
        var gone: Set<String> = []
        var now = MonotonicTime.at(UInt64.random(in: 0...10_000_000, using: &chance))
        _ = table.popFirst(upTo: now)
        func isGone(_ send: PendingSend) -> Bool { gone.contains(send.name) }
        for step in 0..<2_000 {
            switch Int.random(in: 0..<20, using: &chance) {
            case 0..<11:
                let send = PendingSend.sample(String(step))
                var time = now.advanced(by: Self.distance(&chance))
                if chance.oneIn(10) { time = MonotonicTime(nanoseconds: now.nanoseconds / 2) }
                if chance.oneIn(50) { time = .never }
                table.insert(send, at: time)
                // What is late already goes as if its time were now.
                reference.insert(send, at: max(time, now))
            case 11..<15:
                now = now.advanced(by: Self.distance(&chance) / 4).endOfTick
                let expected = reference.popAll(upTo: now)
                let popped = Self.popAll(&table, upTo: now)
                // What has gone may have been let go before.
                #expect(popped.filter { !gone.contains($0) } == expected.filter { !gone.contains($0) }, "seed \(seed)")
            case 15..<18:
                if let entry = reference.entries.randomElement(using: &chance) { gone.insert(entry.send.name) }
                reference.entries.removeAll { isGone($0.send) }
                let earliest = reference.earliest { !isGone($0) }
                let time = table.nextTime(passingOver: isGone)
                #expect((time == nil) == (earliest == nil), "seed \(seed), step \(step)")
                if let time, let earliest { #expect(time <= max(earliest, now), "seed \(seed), step \(step)") }
            default:
                guard chance.oneIn(20) else { break }
                table.removeAll(where: isGone)
                #expect(table.count == reference.entries.count, "seed \(seed), step \(step)")
            }
        }
        let rest = Self.popAll(&table, upTo: .never).filter { !gone.contains($0) }
        #expect(rest == reference.popAll(upTo: MonotonicTime(nanoseconds: .max / 2)))
        #expect(table.count == 0)
    }

    @Test(arguments: 1...10)
    func `who looks when it says lets each go in its time, not before, and a tick late at the most`(seed: UInt64) {
        var chance = SeededGenerator(seed: seed)
        var table = SendTimetable()
        let begin = MonotonicTime.at(5_000)
        _ = table.popFirst(upTo: begin)
        var times: [String: MonotonicTime] = [:]
        for number in 0..<2_000 {
            let time = begin.advanced(by: Self.distance(&chance))
            times[String(number)] = time
            table.insert(.sample(String(number)), at: time)
        }
        var looks = 0
        while let now = table.nextTime(passingOver: { _ in false }) {
            looks += 1
            while let send = table.popFirst(upTo: now) {
                guard let time = times.removeValue(forKey: send.name) else { continue }
                #expect(time <= now)
                #expect(time.duration(to: now) < .milliseconds(1))
            }
        }
        #expect(times.isEmpty)
        // It never sends anybody to look in vain, where nobody has gone.
        #expect(looks <= 2_000)
    }

    /// The work is in proportion to the sends, however many there are: a heap would do more for each of more.
    @Test(arguments: [100, 10_000, 100_000])
    func `each send is moved a few times, however many there are`(count: Int) {
        var chance = SeededGenerator(seed: 1)
        var table = SendTimetable()
        var now = MonotonicTime.at(1_000)
        _ = table.popFirst(upTo: now)
        var left = 0
        for number in 0..<count {
            // A deadline of up to a minute: three levels, four at a border, and the way out.
            table.insert(
                .sample(String(number)), at: now.advanced(by: .milliseconds(Int.random(in: 1...60_000, using: &chance)))
            )
            if number % 100 == 0 {
                now = now.advanced(by: .milliseconds(7))
                while table.popFirst(upTo: now) != nil { left += 1 }
            }
        }
        while table.popFirst() != nil { left += 1 }
        #expect(left == count)
        #expect(table.moves <= 5 * count)
    }

    @Test func `what has a time beyond all timing is not in it`() {
        var table = SendTimetable()
        table.insert(.sample(), at: .never)
        #expect(table.count == 0)
        table.insert(.sample("a"), at: MonotonicTime(nanoseconds: .max - 1))
        #expect(table.count == 1)
        #expect(table.popFirst(upTo: .at(1)) == nil)
        #expect(table.nextTime { _ in false } == .never)
    }
}
