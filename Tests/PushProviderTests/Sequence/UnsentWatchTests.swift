import Testing

@testable import PushProvider

/// When a sequence is stopped because the sender is refused.
struct UnsentWatchTests {
    @Test func `twenty in a row that are not sent for the credentials stop it, once`() {
        var watch = UnsentWatch()
        let stops = (0..<50).map { _ in watch.wasUnsent(.credentials) }
        #expect(stops.firstIndex(of: 20) == 19)
        #expect(stops.compactMap { $0 } == [20])
    }

    @Test func `an answer between shows that the client sends`() {
        var watch = UnsentWatch()
        var stops = (0..<19).map { _ in watch.wasUnsent(.credentials) }
        watch.answered()
        stops += (0..<20).map { _ in watch.wasUnsent(.credentials) }
        #expect(stops.firstIndex(of: 20) == 38)
    }

    @Test func `refused topics stop it only when no other topic comes for a long time`() {
        var watch = UnsentWatch()
        var stops = (0..<9_999).map { _ in watch.wasUnsent(.topicRefused) }
        watch.answered()
        stops += (0..<10_000).map { _ in watch.wasUnsent(.topicRefused) }
        #expect(stops.compactMap { $0 } == [10_000])
        #expect(stops.last == 10_000)
    }

    @Test func `a campaign reads on, because its lines may be sorted by topic`() {
        var watch = UnsentWatch(readsOn: true)
        let stops = (0..<30_000).map { _ in watch.wasUnsent(.topicRefused) }
        #expect(stops.allSatisfy { $0 == nil })
        let last = (0..<20).map { _ in watch.wasUnsent(.credentials) }.last
        #expect(last == 20)
    }

    @Test func `other causes say nothing of the sender`() {
        var watch = UnsentWatch()
        for cause in [PushOutcome.Cause.deadline, .cancelled, .refused, .noConnection, .shutdown] {
            for _ in 0..<100 {
                let stop = watch.wasUnsent(cause)
                #expect(stop == nil)
            }
        }
    }
}
