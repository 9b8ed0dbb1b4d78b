import Dispatch
import Foundation
import TestSupport
import Testing

@testable import PushProvider

@Suite struct SendIntakeTests {
    let intake = SendIntake(bound: .init(count: 2, bytes: 1000))

    private func enqueue(_ deadline: UInt64) -> SendIntake.EnqueueResult {
        intake.enqueue(.sample(deadline: .at(deadline)))
    }

    private func take(_ maximum: Int) -> [PendingSend] {
        var taken: [PendingSend] = []
        intake.take(maximum, into: &taken)
        return taken
    }

    // MARK: Wake-ups

    @Test func `the first send of a burst wakes the loop and the others do not`() {
        #expect(enqueue(30) == .taken(wakeLoop: true))
        #expect(enqueue(30) == .taken(wakeLoop: false))
        #expect(enqueue(31) == .taken(wakeLoop: false))
        #expect(intake.counts == (queued: 2, bytes: 2, waiting: 1))
    }

    @Test func `an earlier deadline than all before wakes the loop`() {
        #expect(enqueue(30) == .taken(wakeLoop: true))
        #expect(enqueue(29) == .taken(wakeLoop: true))
        #expect(enqueue(29) == .taken(wakeLoop: false))
        #expect(enqueue(30) == .taken(wakeLoop: false))
    }

    @Test func `after everything was taken, and a look found no more, the next send wakes the loop again`() {
        _ = enqueue(30)
        _ = enqueue(30)
        #expect(take(9).count == 2)
        // Whoever took them has said that somebody looks again.
        #expect(enqueue(31) == .taken(wakeLoop: false))
        #expect(intake.holdsSendable())
        #expect(take(9).count == 1)
        #expect(!intake.holdsSendable())
        #expect(!intake.hasWork())
        #expect(enqueue(31) == .taken(wakeLoop: true))
        #expect(enqueue(31) == .taken(wakeLoop: false))
    }

    @Test func `while something is left the loop is awake`() {
        _ = enqueue(30)
        _ = enqueue(30)
        #expect(take(1).count == 1)
        #expect(enqueue(31) == .taken(wakeLoop: false))
        #expect(intake.hasWork())
    }

    @Test func `a look that finds nothing lets the loop sleep`() {
        let send = PendingSend.sample(deadline: .at(30))
        #expect(intake.enqueue(send) == .taken(wakeLoop: true))
        #expect(intake.cancel(send) == .withdrawn)
        #expect(!intake.hasWork())
        #expect(enqueue(31) == .taken(wakeLoop: true))
    }

    @Test func `after everything was withdrawn the next send wakes the loop`() {
        _ = enqueue(30)
        #expect(intake.withdrawAll().count == 1)
        #expect(enqueue(31) == .taken(wakeLoop: true))
    }

    @Test func `a sweep is planned for the earliest deadline, and only an earlier one wakes the loop`() {
        _ = enqueue(30)
        #expect(intake.planSweep() == .at(30))
        #expect(enqueue(30) == .taken(wakeLoop: false))
        #expect(enqueue(29) == .taken(wakeLoop: true))
        #expect(intake.planSweep() == .at(29))
    }

    @Test func `without any deadline no sweep is planned and the next send is the earliest`() {
        _ = enqueue(30)
        _ = enqueue(30)
        _ = take(1)
        #expect(intake.planSweep() == .at(30))
        #expect(intake.withdrawLate(now: .at(30)).map(\.hadRoom) == [true])
        #expect(intake.planSweep() == nil)
        #expect(enqueue(99) == .taken(wakeLoop: true))
    }

    @Test func `a connection that has some already gets as many again as it asks for`() {
        _ = enqueue(30)
        _ = enqueue(30)
        var taken = [PendingSend.sample(), .sample(), .sample()]
        intake.take(2, into: &taken)
        #expect(taken.count == 5)
    }

    /// The loop looks only when it is woken. Each caller hands in twice, the second time about when the loop looks for
    /// the first, and goes on when it has the outcome of the second.
    @Test(arguments: [1, 3], [false, true])
    func `no wake-up is lost when callers and loop meet`(callers: Int, withdraws: Bool) async {
        let rounds = 6_000 / callers
        let wake = DispatchSemaphore(value: 0)
        async let hasLostWakeUp = withCheckedContinuation { done in
            // A thread of its own: one that waits in the pool takes the place of those that it waits for.
            Thread.detachNewThread { [intake] in
                done.resume(returning: Self.serve(intake, callers * rounds * 2, withdraws: withdraws, wake))
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for caller in 0..<callers {
                group.addTask { [intake] in
                    var generator = SeededGenerator(seed: UInt64(caller))
                    for _ in 0..<rounds {
                        Self.enqueue(.sample(deadline: .at(30)), to: intake, wake)
                        for _ in 0..<Int.random(in: 0..<4_000, using: &generator) {}
                        let send = PendingSend.sample(deadline: .at(30))
                        await withUnsafeContinuation { continuation in
                            send.continuation = continuation
                            Self.enqueue(send, to: intake, wake)
                        }
                    }
                }
            }
        }
        #expect(await hasLostWakeUp == false)
    }

    private static func enqueue(_ send: PendingSend, to intake: SendIntake, _ wake: DispatchSemaphore) {
        if intake.enqueue(send) == .taken(wakeLoop: true) { wake.signal() }
    }

    /// Plays the loop until this number of sends has left. The time limit is only for a wake-up that never comes.
    private static func serve(
        _ intake: SendIntake, _ count: Int, withdraws: Bool, _ wake: DispatchSemaphore
    ) -> Bool {
        let outcome = PushOutcome.accepted(PushOutcome.Acceptance(apnsID: "", trace: .sample))
        var hasLostWakeUp = false
        var left = 0
        while left < count {
            let patience: DispatchTimeInterval = hasLostWakeUp ? .milliseconds(1) : .seconds(120)
            if wake.wait(timeout: .now() + patience) == .timedOut { hasLostWakeUp = true }
            while withdraws || intake.hasWork() {
                var taken: [PendingSend] = []
                if withdraws { taken = intake.withdrawAll() } else { intake.take(2, into: &taken) }
                for send in taken { send.end(outcome) }
                left += taken.count
                if withdraws || taken.isEmpty { break }
            }
        }
        return hasLostWakeUp
    }

    // MARK: Cancelling

    @Test func `cancelled before it is handed in, it is refused`() {
        let send = PendingSend.sample()
        #expect(intake.cancel(send) == .tooLate)
        #expect(intake.enqueue(send) == .refused(.cancelled))
        #expect(intake.counts == (queued: 0, bytes: 0, waiting: 0))
    }

    @Test func `cancelled in the queue or waiting for room, it is withdrawn once`() {
        let sends = (0..<3).map { _ in PendingSend.sample() }
        for send in sends { _ = intake.enqueue(send) }
        #expect(intake.cancel(sends[2]) == .withdrawn)
        #expect(intake.cancel(sends[0]) == .withdrawn)
        #expect(intake.cancel(sends[0]) == .tooLate)
        #expect(intake.counts == (queued: 1, bytes: 1, waiting: 0))
        #expect(take(9).map(ObjectIdentifier.init) == [ObjectIdentifier(sends[1])])
    }

    @Test func `cancelled on a connection, the loop decides`() {
        let send = PendingSend.sample()
        _ = intake.enqueue(send)
        _ = take(1)
        #expect(intake.cancel(send) == .onConnection)
    }

    @Test func `cancelled after its deadline, it is too late`() {
        let send = PendingSend.sample(deadline: .at(1))
        _ = intake.enqueue(send)
        #expect(intake.withdrawLate(now: .at(1)).count == 1)
        #expect(intake.cancel(send) == .tooLate)
    }

    // MARK: Closing

    @Test func `a closed intake refuses with its cause and keeps what it has`() {
        let send = PendingSend.sample()
        _ = intake.enqueue(send)
        intake.close(.shutdown)
        let late = PendingSend.sample()
        #expect(intake.enqueue(late) == .refused(.shutdown))
        #expect(late.stage == .ended)
        #expect(intake.cancel(late) == .tooLate)
        #expect(intake.hasWork())
        #expect(take(9).count == 1)
    }

    @Test func `emptied and closed at once, nothing slips in between`() {
        _ = enqueue(30)
        _ = enqueue(30)
        _ = enqueue(30)
        #expect(intake.withdrawAll(closing: .shutdown).count == 3)
        #expect(enqueue(30) == .refused(.shutdown))
        #expect(!intake.hasWork())
    }

    @Test func `emptied without a cause it stays open`() {
        #expect(intake.withdrawAll().isEmpty)
        #expect(enqueue(30) == .taken(wakeLoop: true))
    }
}
