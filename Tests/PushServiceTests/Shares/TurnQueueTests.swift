import PushHTTP
import TestSupport
import Testing

/// Who may read a large body now.
@Suite struct TurnQueueTests {
    private static let holders: [SharedLimit.Holder] = [.key("a"), .key("b"), .key("c")]

    @Test func `a key with many requests waits behind itself, and another key comes next`() {
        var queue = TurnQueue(2)
        #expect(queue.ask(1, for: .key("a")) == true)
        for number in 2...20 { #expect(queue.ask(number, for: .key("a")) == false) }
        #expect(queue.ask(21, for: .key("b")) == true)
        #expect(queue.ask(22, for: .key("b")) == false)
        #expect(queue.end(of: .key("b")) == 22)
        #expect(queue.end(of: .key("a")) == 2)
    }

    @Test func `those that wait take turns`() {
        var queue = TurnQueue(1)
        #expect(queue.ask(1, for: .key("a")) == true)
        for number in 2...4 { #expect(queue.ask(number, for: .key("a")) == false) }
        #expect(queue.ask(5, for: .key("b")) == false)
        #expect(queue.end(of: .key("a")) == 2)
        #expect(queue.end(of: .key("a")) == 5)
        #expect(queue.end(of: .key("b")) == 3)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `after any history nobody waits for a turn that is free`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let maximum = Int.random(in: 1...6, using: &generator)
        let half = max(maximum / 2, 1)
        var queue = TurnQueue(maximum)
        var running: [SharedLimit.Holder: Int] = [:]
        var waiting: [SharedLimit.Holder: [Int]] = [:]
        for number in 0..<2000 {
            let holder = Self.holders[Int.random(in: 0..<Self.holders.count, using: &generator)]
            switch Int.random(in: 0..<5, using: &generator) {
            case 0...1:
                if queue.ask(number, for: holder) {
                    running[holder, default: 0] += 1
                } else {
                    waiting[holder, default: []].append(number)
                }
            case 2...3:
                guard running[holder, default: 0] > 0 else { continue }
                running[holder, default: 0] -= 1
                guard let next = queue.end(of: holder) else { break }
                let owner = waiting.first { $0.value.first == next }?.key
                guard let owner else {
                    Issue.record("\(next) did not wait, or was not the first of its key")
                    return
                }
                waiting[owner]?.removeFirst()
                running[owner, default: 0] += 1
            default:
                guard let one = waiting[holder]?.randomElement(using: &generator) else { continue }
                #expect(queue.cancel(one, of: holder) == true)
                #expect(queue.cancel(one, of: holder) == false)
                waiting[holder]?.removeAll { $0 == one }
            }
            let all = running.values.reduce(0, +)
            #expect(all <= maximum && running.values.allSatisfy { $0 <= half })
            #expect(queue.runningCount == all)
            #expect(queue.waitingCount == waiting.values.reduce(0) { $0 + $1.count })
            for (holder, numbers) in waiting where !numbers.isEmpty {
                #expect(all == maximum || running[holder] == half)
            }
        }
    }

    @Test func `one that is cancelled gets no turn, and its place goes to the next`() async throws {
        let turns = WorkTurns(2)
        let (mayEnd, end) = AsyncStream<Void>.makeStream()
        let began = Watched(0)
        let first = Task {
            try await turns.run(for: .key("a")) {
                began.change { $0 += 1 }
                for await _ in mayEnd {}
            }
        }
        try await began.wait(for: "the first turn") { $0 == 1 }
        let second = Task { try await turns.run(for: .key("a")) { began.change { $0 += 100 } } }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        // Another key does not wait for the first one.
        try await turns.run(for: .key("b")) { began.change { $0 += 1 } }
        let third = Task { try await turns.run(for: .key("a")) { began.change { $0 += 1 } } }
        end.finish()
        try await first.value
        try await third.value
        #expect(began.value == 3)
    }
}
