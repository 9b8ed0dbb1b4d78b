import PushQueue
import TestSupport
import Testing

@testable import PushService

struct WebhookWindowTests {
    private let start = QueueTime(milliseconds: 1_000_000)

    private func window(_ numbers: ClosedRange<Int64>, wanted: (Int64) -> Bool = { _ in true }) -> WebhookWindow {
        var window = WebhookWindow(WebhookPosition(.start), giveUpAfter: .seconds(100))
        for number in numbers {
            window.add(QueueResultCursor(number: number), isWanted: wanted(number), now: start)
        }
        return window
    }

    private func cursor(_ number: Int64) -> QueueResultCursor { QueueResultCursor(number: number) }

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
        #expect(window.readTo.number == 50)
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
        _ = window.failed(cursor(1), now: start, asked: .seconds(86_400), chance: 0)
        #expect(window.nextDue == start + .seconds(86_400))
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
        for cursor in window.take(upTo: 8, now: start) { _ = window.failed(cursor, now: start, chance: 1) }
        let atOnce = window.take(upTo: 8, now: start)
        #expect(atOnce.isEmpty)
        let now = window.nextDue ?? start
        #expect(now == start + .seconds(8))
        let one = window.take(upTo: 8, now: now)
        #expect(one.map(\.number) == [9])
        let none = window.take(upTo: 8, now: now)
        #expect(none.isEmpty)
        window.succeeded(cursor(9))
        let many = window.take(upTo: 8, now: now)
        #expect(many.count == 8)
    }

    @Test func `events that fail get at most half of the requests when they are posted again`() {
        var window = window(1...20)
        for number in window.take(upTo: 4, now: start) { _ = window.failed(number, now: start, chance: 0) }
        let first = window.take(upTo: 8, now: start)
        for number in first { window.succeeded(number) }
        let mixed = window.take(upTo: 4, now: start + .seconds(60))
        #expect(mixed.map(\.number) == [1, 2, 13, 14])
    }

    @Test func `an event that is being posted is not posted twice`() {
        var window = window(1...2)
        let first = window.take(upTo: 8, now: start)
        let second = window.take(upTo: 8, now: start)
        #expect(first.count == 2)
        #expect(second.isEmpty)
    }

    // MARK: Events that fail

    @Test func `an event that fails does not hold up the cursor`() {
        var window = window(1...3)
        _ = window.take(upTo: 3, now: start)
        _ = window.failed(cursor(1), now: start, chance: 1)
        for number: Int64 in 2...3 { window.succeeded(cursor(number)) }
        let expected = WebhookPosition(
            cursor(3), parked: [.init(cursor: cursor(1), failures: 1, first: start, due: start + .seconds(5))])
        #expect(window.position == expected)
        #expect(window.room == WebhookWindow.maximum)
    }

    @Test func `one event that fails for ever does not stop thousands behind it`() {
        var (window, next, taken) = (window(1...1), Int64(2), 0)
        for _ in 0..<5000 {
            while window.room > 0, next <= 5000 {
                window.add(cursor(next), isWanted: true, now: start)
                next += 1
            }
            for number in window.take(upTo: 8, now: start) {
                taken += 1
                if number.number == 1 {
                    _ = window.failed(number, now: start, chance: 0)
                } else {
                    window.succeeded(number)
                }
            }
        }
        #expect(taken == 5000)
        #expect(window.position.cursor.number == 5000)
        #expect(window.position.parked.map(\.cursor.number) == [1])
    }

    @Test func `events that nobody asked for take no room`() {
        var window = window(1...1)
        for number: Int64 in 2...5000 { window.add(cursor(number), isWanted: false, now: start) }
        #expect(window.room == WebhookWindow.maximum - 1)
        #expect(window.readTo.number == 5000)
        #expect(window.cursor.number == 0)
    }

    @Test func `an event that the receiver refuses for ever is given up at once`() {
        var window = window(1...2)
        _ = window.take(upTo: 1, now: start)
        window.refused(cursor(1), now: start, chance: 0)
        #expect(window.position == WebhookPosition(cursor(1)))
    }

    @Test func `too many failing events hold up the cursor, until one of them is done`() {
        var window = window(1...1)
        _ = window.take(upTo: 1, now: start)
        let count = WebhookWindow.maximumParked + 1
        let parked = (1...count - 1).map {
            WebhookPosition.Parked(cursor: cursor(Int64($0)), failures: 1, first: start, due: start)
        }
        window = WebhookWindow(WebhookPosition(cursor(Int64(count - 1)), parked: parked), giveUpAfter: .seconds(100))
        #expect(window.isFull)
        window.add(cursor(Int64(count)), isWanted: true, now: start)
        _ = window.take(upTo: 8, now: start)
        _ = window.failed(cursor(Int64(count)), now: start, chance: 0)
        #expect(window.cursor.number == Int64(count - 1))
        #expect(window.position.parked.count == WebhookWindow.maximumParked)
        // A retry reaches what is not parked, too.
        window.retryNow(start)
        #expect(window.take(upTo: WebhookWindow.maximumParked * 2 + 2, now: start).contains(cursor(Int64(count))))
        _ = window.failed(cursor(Int64(count)), now: start, chance: 0)
        window.succeeded(cursor(1))
        #expect(window.cursor.number == Int64(count))
        #expect(window.position.parked.last?.cursor.number == Int64(count))
    }

    @Test func `a retry ends the rest of a receiver that fails, also if everything was given up`() {
        var window = window(1...9)
        #expect(!window.hasFailures)
        for number in Int64(1)...5 {
            _ = window.take(upTo: 1, now: start)
            window.refused(cursor(number), now: start, chance: 1)
        }
        #expect(window.hasFailures && window.position.parked.isEmpty)
        let resting = window.take(upTo: 4, now: start)
        window.retryNow(start)
        let taken = window.take(upTo: 4, now: start)
        #expect(resting.isEmpty && taken.map(\.number) == [6, 7, 8, 9])
    }

    // MARK: Stored positions

    @Test func `a position is read as it was written`() {
        let position = WebhookPosition(
            cursor(4711),
            parked: [1, 12].map { .init(cursor: cursor($0), failures: 3, first: start, due: start + .seconds(60)) })
        #expect(WebhookPosition(position.bytes) == position)
        #expect(WebhookPosition(Array("12".utf8)) == WebhookPosition(cursor(12)))
        for text in ["", "x", "1\n2", "1\n2 3 4 x"] { #expect(WebhookPosition(Array(text.utf8)) == nil) }
    }

    @Test func `the longest position fits into a record`() {
        let last = QueueTime.latest
        let parked = (0..<WebhookWindow.maximumParked).map { _ in
            WebhookPosition.Parked(cursor: cursor(.max), failures: 1_000_000, first: last, due: last)
        }
        #expect(WebhookPosition(cursor(.max), parked: parked).bytes.count < QueueServiceRecord.longestValue / 10)
    }

    @Test func `what was parked is posted again after a restart, and what was done is not`() {
        var before = window(1...4)
        _ = before.take(upTo: 4, now: start)
        for number: Int64 in [2, 4] { _ = before.failed(cursor(number), now: start, chance: 1) }
        before.succeeded(cursor(1))
        // The third is still being posted: it and what follows are read again.
        var window = WebhookWindow(before.position, giveUpAfter: .seconds(100))
        #expect(window.readTo.number == 2)
        for number: Int64 in 3...4 { window.add(cursor(number), isWanted: true, now: start) }
        let taken = window.take(upTo: 8, now: start)
        #expect(taken.map(\.number) == [3])
        let again = window.take(upTo: 8, now: start + .seconds(5))
        #expect(again.map(\.number) == [2, 4])
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `each event is taken or given up, whenever the service is killed`(seed: UInt64) {
        var (generator, now) = (SeededGenerator(seed: seed), start)
        let count: Int64 = 400
        var (stored, ended) = (WebhookPosition(.start), Set<Int64>())
        var window = WebhookWindow(stored, giveUpAfter: .seconds(100_000))
        for _ in 0..<20_000 where window.position != WebhookPosition(cursor(count)) {
            while window.room > WebhookWindow.maximum - 20, window.readTo.number < count {
                window.add(cursor(window.readTo.number + 1), isWanted: true, now: now)
            }
            for event in window.take(upTo: 8, now: now) {
                switch Int.random(in: 0..<10, using: &generator) {
                case 0:
                    window.refused(event, now: now, chance: 0)
                    ended.insert(event.number)
                case 1...3: _ = window.failed(event, now: now, chance: 0)
                // No answer yet: it is lost with the kill.
                case 4: break
                default:
                    window.succeeded(event)
                    ended.insert(event.number)
                }
            }
            if Bool.random(using: &generator) { stored = window.position }
            if Int.random(in: 0..<10, using: &generator) == 0 {
                window = WebhookWindow(stored, giveUpAfter: .seconds(100_000))
            }
            now = now + .seconds(2)
        }
        #expect(window.position == WebhookPosition(cursor(count)))
        #expect(ended == Set(1...count))
    }
}
