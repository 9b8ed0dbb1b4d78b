import Testing

@testable import PushProvider

@Suite(.timeLimit(.minutes(1))) struct WakeUpSignalTests {
    @Test func `a wait for a duration ends with its task`() async {
        let wakeUp = WakeUpSignal()
        let task = Task { await wakeUp.waitUnlessCancelled(for: .seconds(3600)) }
        let cancelled = ContinuousClock.now
        task.cancel()
        await task.value
        #expect(ContinuousClock.now - cancelled < .seconds(60))
    }

    @Test func `a signal before the wait is not lost`() async {
        let wakeUp = WakeUpSignal()
        wakeUp.send()
        await wakeUp.wait()
        let waiting = Task { await wakeUp.wait() }
        wakeUp.send()
        await waiting.value
    }

    @Test func `a wait ends by itself`() async {
        let wakeUp = WakeUpSignal()
        await wakeUp.wait(for: .milliseconds(1))
        await wakeUp.wait(for: .zero)
    }
}
