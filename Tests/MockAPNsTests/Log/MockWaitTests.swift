import MockAPNs
import NIOCore
import Testing

struct MockWaitTests {
    @Test func `a wait ends with the first value, also with one from before`() async throws {
        let wait = MockWait<Int>()
        wait.end(.success(1))
        wait.end(.success(2))
        #expect(try await wait.result(before: nil).get() == 1)
    }

    @Test func `a value wakes the task that waits`() async throws {
        let wait = MockWait<Int>()
        let waiting = Task { await wait.result(before: nil) }
        wait.end(.success(3))
        #expect(try await waiting.value.get() == 3)
    }

    @Test func `a wait ends at its deadline`() async {
        let wait = MockWait<Int>()
        #expect(await wait.result(before: .now()) == .failure(.timeout))
        wait.end(.success(1))
    }

    @Test func `a wait ends with its task`() async {
        let wait = MockWait<Int>()
        let waiting = Task { await wait.result(before: nil) }
        waiting.cancel()
        #expect(await waiting.value == .failure(.cancelled))
    }
}
