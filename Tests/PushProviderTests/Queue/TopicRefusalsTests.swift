import Testing

@testable import PushProvider

/// When a topic is taken for refused.
struct TopicRefusalsTests {
    @Test func `twenty refusals of a topic in a row are enough, and every further twenty`() {
        var refusals = TopicRefusals()
        let stops = (1...60).filter { _ in refusals.refused("com.example.app") }
        #expect(stops == [20, 40, 60])
    }

    @Test func `each topic is counted by itself`() {
        var refusals = TopicRefusals()
        let early = (0..<19).flatMap { _ in
            [refusals.refused("com.example.one"), refusals.refused("com.example.other")]
        }
        #expect(!early.contains(true))
        refusals.answered("com.example.other")
        let (one, other) = (refusals.refused("com.example.one"), refusals.refused("com.example.other"))
        #expect(one)
        #expect(!other)
    }

    @Test func `however many topics a peer refuses, the table is bounded`() {
        var refusals = TopicRefusals()
        for number in 0..<(TopicRefusals.maximumTopics * 3) { _ = refusals.refused("com.example.app\(number)") }
        #expect(refusals.count <= TopicRefusals.maximumTopics)
        refusals.answered("com.example.app\(TopicRefusals.maximumTopics * 3 - 1)")
        #expect(!refusals.isEmpty)
    }
}
