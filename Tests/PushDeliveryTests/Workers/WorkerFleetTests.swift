import PushProvider
import TestSupport
import Testing

@testable import PushDelivery

/// What holds for all workers together, whatever happens to them.
@Suite struct WorkerFleetTests {
    /// A fleet in trouble for two minutes of its own time.
    private func fleet(_ seed: UInt64) -> WorkerFleet {
        var (fleet, chance) = (WorkerFleet(seed: seed), SeededGenerator(seed: seed &* 31))
        fleet.join()
        for _ in 0..<40 {
            switch Int.random(in: 0..<8, using: &chance) {
            case 0...2 where fleet.workers.count < 6: fleet.join()
            case 3: fleet.end(inOrder: true)
            case 4: fleet.end(inOrder: false)
            case 5: fleet.silence(for: Int.random(in: 0..<12_000, using: &chance))
            default: break
            }
            fleet.run(Int.random(in: 0..<6000, using: &chance) / 10 * 10)
        }
        return fleet
    }

    @Test(arguments: UInt64(1)...8) func `in no time, workers send more than the rate of the app`(seed: UInt64) {
        let fleet = fleet(seed)
        // A bucket that lets the rate through, and a tenth of a second at once.
        var (level, before) = (0.0, 0)
        for time in fleet.rated {
            level = max(0, level - Double(time - before) / 1000 * WorkerFleet.rate) + 1
            before = time
            #expect(level <= WorkerFleet.rate / 10 + 1e-6, "at \(time)")
        }
        #expect(fleet.rated.count > 1000)
    }

    @Test(arguments: UInt64(1)...8) func `two pushes to a device keep their distance with several workers`(seed: UInt64)
    {
        let fleet = fleet(seed)
        for times in fleet.paced.values {
            for (one, next) in zip(times, times.dropFirst()) {
                #expect(next - one >= Int(WorkerFleet.interval.components.seconds) * 1000, "at \(next)")
            }
        }
        #expect(fleet.paced.values.reduce(0) { $0 + $1.count } > 10)
    }

    @Test(arguments: 1...5) func `in peace the workers send the whole rate, over the connections of the app`(count: Int)
    {
        var fleet = WorkerFleet(seed: 7)
        fleet.hasTrouble = false
        for _ in 0..<count { fleet.join() }
        fleet.run(20_000)
        let begun = fleet.rated.count
        fleet.run(20_000)
        #expect(Double(fleet.rated.count - begun) >= 0.8 * 20 * WorkerFleet.rate)
        #expect(fleet.workers.reduce(0) { $0 + $1.rated.connections } == 8)
        #expect(fleet.workers.count { $0.paced.connections > 0 } == 1)
        #expect(fleet.paced.values.reduce(0) { $0 + $1.count } >= 12)
    }

    @Test func `a worker that joins sends within seconds, and what a dead one sent goes to the others`() {
        var fleet = WorkerFleet(seed: 11)
        fleet.hasTrouble = false
        for _ in 0..<3 { fleet.join() }
        fleet.run(30_000)
        fleet.end(inOrder: false)
        fleet.run(15_000)
        let begun = fleet.rated.count
        fleet.run(10_000)
        #expect(Double(fleet.rated.count - begun) >= 0.8 * 10 * WorkerFleet.rate)
    }
}
