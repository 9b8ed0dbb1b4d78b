import PushPlatform
import PushQueue
import Testing

@testable import PushQueuePostgres

struct WaitingFloorsTests {
    private let start = ContinuousClock.now
    private let now = QueueTime(milliseconds: 1_000_000)
    private var floors = WaitingFloors(pace: .seconds(20), cheap: .milliseconds(20))

    /// What a floor is at most: the time of the queue minus the margin.
    private let highest = WaitingFloors.Place(due: 1_000_000 - 3000)

    private func after(_ seconds: Int) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }

    /// A scan whose result counts. The first waiting job of the app 7 has the usual priority.
    private mutating func scan(
        after seconds: Int = 0, for duration: Duration = .milliseconds(20), finding place: WaitingFloors.Place? = nil
    ) {
        var scan = floors.scanBegan(now: now, at: after(seconds))
        let heads = [0, 1, 2].map {
            WaitingFloors.Head(app: 7, priority: $0, place: $0 == 1 ? place : nil, took: duration)
        }
        scan.heads = heads
        floors.scanEnded(scan)
    }

    private func floor(after seconds: Int = 0, _ priority: QueuePriority = .normal) -> WaitingFloors.Place {
        floors.place(of: 7, priority, at: after(seconds))
    }

    @Test func `before the first scan, everything is read`() {
        #expect(floor() == .first)
        #expect(floors.places(at: start) == .init())
    }

    @Test mutating func `a floor is the first waiting job, each priority for itself`() {
        let first = WaitingFloors.Place(due: 500, id: UUID(1, 2))
        scan(finding: first)
        #expect(floor() == first)
        #expect(floor(.high) == highest && floor(.low) == highest)
        #expect(floors.place(of: 8, .normal, at: start) == .first)
        #expect(floors.places(at: start) == .init([7: [highest, first, highest]]))
    }

    @Test mutating func `a floor stays behind the time, so that transactions can commit late`() {
        scan(finding: WaitingFloors.Place(due: 2_000_000))
        #expect(floor() == highest)
    }

    @Test mutating func `a full scan is due after a time, and floors end without one`() {
        scan()
        let (early, full) = (floors.scanBegan(now: now, at: after(19)), floors.scanBegan(now: now, at: after(20)))
        #expect(early.places == .init([7: [highest, highest, highest]]))
        #expect(full.places == .init())
        // Scans that are not full extend nothing.
        scan(after: 19)
        #expect(floor(after: 29) == highest)
        #expect(floor(after: 30) == .first)
        scan(after: 31)
        #expect(floor(after: 60) == highest)
    }

    @Test mutating func `a full scan that is cheap sets no floors, and ends those that it finds`() {
        scan(for: .milliseconds(19))
        #expect(floor() == .first)
        #expect(floors.scanBegan(now: now, at: after(1)).places == .init())
        scan()
        scan(after: 20, for: .milliseconds(19))
        #expect(floor(after: 20) == .first)
    }

    @Test mutating func `a priority whose scan is cheap has no floor, nor gets one from a scan that is not full`() {
        var scan = floors.scanBegan(now: now, at: start)
        scan.heads = [.init(app: 7, priority: 0, took: .seconds(1)), .init(app: 7, priority: 1, took: .zero)]
        floors.scanEnded(scan)
        self.scan(after: 1, for: .seconds(1))
        #expect(floor(after: 1, .low) == highest && floor(after: 1) == .first)
    }

    @Test mutating func `a job of one app does not hold up the floors of others`() {
        var scan = floors.scanBegan(now: now, at: start)
        scan.heads = [.init(app: 7, priority: 1, took: .seconds(1))]
        floors.jobsWait(of: 8, due: QueueTime(milliseconds: 5))
        floors.scanEnded(scan)
        #expect(floor() == highest)
    }

    @Test mutating func `a full scan finds what is below the floor`() {
        scan()
        let below = WaitingFloors.Place(due: 5)
        scan(after: 20, finding: below)
        #expect(floor(after: 20) == below)
    }

    @Test mutating func `a job that waits again lowers the floor`() {
        scan()
        floors.jobsWait(of: 7, due: QueueTime(milliseconds: 5))
        #expect(floor() == WaitingFloors.Place(due: 5))
        floors.jobsWait(of: 7, due: QueueTime(milliseconds: 6))
        #expect(floor() == WaitingFloors.Place(due: 5))
    }

    @Test mutating func `a scan that began before a job was committed sets no floor above it`() {
        var scan = floors.scanBegan(now: now, at: start)
        scan.heads = [.init(app: 7, priority: 1, took: .seconds(1))]
        floors.jobsWait(of: 7, due: QueueTime(milliseconds: 5))
        floors.scanEnded(scan)
        #expect(floor() == .first)
    }

    @Test mutating func `jobs that are due now do not hold up floors`() {
        var scan = floors.scanBegan(now: now, at: start)
        scan.heads = [.init(app: 7, priority: 1, took: .seconds(1))]
        floors.jobsWait(of: 7, due: now)
        floors.scanEnded(scan)
        #expect(floor() == highest)
    }

    @Test(arguments: [(4000, 0), (-10, 1)])
    func `a jump of the clock ends all floors, also those of scans that have begun`(back: Int64, shift: Int64) {
        var test = self
        test.floors.transactionBegan(now: now, shift: 0)
        test.scan()
        test.floors.transactionBegan(now: now + .seconds(-1), shift: 0)
        #expect(test.floor() == test.highest)
        var scan = test.floors.scanBegan(now: now, at: start)
        scan.heads = [.init(app: 7, priority: 1, took: .seconds(1))]
        test.floors.transactionBegan(now: now + .milliseconds(-back), shift: shift)
        #expect(test.floor() == .first)
        test.floors.scanEnded(scan)
        #expect(test.floor() == .first)
        let next = test.floors.scanBegan(now: now, at: start)
        #expect(next.places == .init())
    }
}
