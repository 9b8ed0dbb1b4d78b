import PushQueue
import Testing

@testable import PushService

struct WebhookWindowTests {
    private let start = QueueTime(milliseconds: 1_000_000)

    private func window(_ numbers: ClosedRange<Int64>, wanted: (Int64) -> Bool = { _ in true }) -> WebhookWindow {
        var window = WebhookWindow(after: .start, giveUpAfter: .seconds(100))
        for number in numbers {
            window.add(ResultCursor(number: number), isWanted: wanted(number), now: start)
        }
        return window
    }

    private func cursor(_ number: Int64) -> ResultCursor { ResultCursor(number: number) }

    @Test func `the cursor passes an event when it and all before it are done`() {
        var window = window(1...4)
        let taken = window.take(upTo: 3, now: start)
        #expect(taken.map(\.number) == [1, 2, 3])
        window.succeeded(cursor(2))
        window.succeeded(cursor(3))
        #expect(window.cursor.number == 0)
        window.succeeded(cursor(1))
        #expect(window.cursor.number == 3)
        let next = window.take(upTo: 3, now: start)
        #expect(next.map(\.number) == [4])
    }

    @Test func `events that nobody asked for are passed`() {
        let window = window(1...5) { $0 > 3 }
        #expect(window.cursor.number == 3)
    }

    @Test func `a stretch without events is passed when everything before it is done`() {
        var window = window(1...1)
        window.hasRead(to: cursor(50))
        #expect(window.readFrom.number == 50)
        #expect(window.cursor.number == 0)
        _ = window.take(upTo: 1, now: start)
        window.succeeded(cursor(1))
        #expect(window.cursor.number == 50)
    }

    @Test func `a failed event is posted again after a growing pause`() {
        var window = window(1...1)
        var pauses: [Duration] = []
        var now = start
        for _ in 0..<4 {
            let taken = window.take(upTo: 1, now: now)
            #expect(taken.count == 1)
            let isGivenUp = window.failed(cursor(1), now: now, chance: 1)
            #expect(!isGivenUp)
            let due = window.nextDue ?? .latest
            let early = window.take(upTo: 1, now: due + .milliseconds(-1))
            #expect(early.isEmpty)
            pauses.append(due - now)
            now = due
        }
        #expect(pauses == [.seconds(5), .seconds(10), .seconds(20), .seconds(40)])
    }

    @Test func `the receiver may ask for a longer pause`() {
        var window = window(1...1)
        _ = window.take(upTo: 1, now: start)
        _ = window.failed(cursor(1), now: start, asked: .seconds(600), chance: 0)
        #expect(window.nextDue == start + .seconds(600))
    }

    @Test func `an event is given up after its time, and does not hold up the others`() {
        var window = window(1...2)
        _ = window.take(upTo: 2, now: start)
        window.succeeded(cursor(2))
        let isGivenUp = window.failed(cursor(1), now: start + .seconds(100), chance: 0)
        #expect(isGivenUp)
        #expect(window.cursor.number == 2)
    }

    @Test func `a receiver that fails again and again gets one event at a time`() {
        var window = window(1...20)
        for cursor in window.take(upTo: 8, now: start) { _ = window.failed(cursor, now: start, chance: 0) }
        let one = window.take(upTo: 8, now: start)
        #expect(one.map(\.number) == [9])
        window.succeeded(cursor(9))
        let many = window.take(upTo: 8, now: start)
        #expect(many.count == 8)
    }

    @Test func `an event that is being posted is not posted twice`() {
        var window = window(1...2)
        let first = window.take(upTo: 8, now: start)
        let second = window.take(upTo: 8, now: start)
        #expect(first.count == 2)
        #expect(second.isEmpty)
    }
}
