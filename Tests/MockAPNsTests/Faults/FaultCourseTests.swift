import APNSVocabulary
import Testing

@testable import MockAPNs

@Suite struct FaultCourseTests {
    /// What a fault does on a request.
    private static func steps(
        _ steps: [MockFault.Step], request: Int = 1, seed: UInt64 = 1
    ) throws -> [MockFault.Step] {
        var plan = FaultPlan(seed: seed)
        _ = plan.insert(MockFault(steps: steps))
        let event = FaultEvent(
            moment: .request, connection: 1,
            request: .init(
                number: request, numberOnConnection: request, deviceToken: "ab", topic: "app", pushType: .alert))
        let order = plan.order(for: event)
        var course = FaultCourse(try #require(order))
        var done: [MockFault.Step] = []
        while let step = course.nextStep() { done.append(step) }
        return done
    }

    private static func times(_ steps: [MockFault.Step]) -> [Duration] {
        steps.compactMap { if case .wait(.exactly(let time)) = $0 { time } else { nil } }
    }

    private static let anyTime = MockFault.Step.wait(.milliseconds(100), upTo: .milliseconds(200))

    @Test func `steps are done in their order, and again where they are to be`() throws {
        let done = try Self.steps([.judge, .repeated([.noAnswer, .stopReading], times: 3), .fallSilent])
        #expect(
            done == [
                .judge, .noAnswer, .stopReading, .noAnswer, .stopReading, .noAnswer, .stopReading, .fallSilent,
            ])
    }

    @Test func `one repetition can follow another`() throws {
        let done = try Self.steps([.repeated([.judge], times: 1), .repeated([.noAnswer], times: 2)])
        #expect(done == [.judge, .noAnswer, .noAnswer])
    }

    @Test func `a wait is drawn between its ends, and again in the same way`() throws {
        func waits(seed: UInt64) throws -> [Duration] {
            try (1...100).flatMap { Self.times(try Self.steps([Self.anyTime], request: $0, seed: seed)) }
        }
        let drawn = try waits(seed: 5)
        #expect(drawn.count == 100)
        #expect(drawn.allSatisfy { $0 >= .milliseconds(100) && $0 <= .milliseconds(200) })
        #expect(Set(drawn).count > 90)
        #expect(try drawn == waits(seed: 5))
        #expect(try drawn != waits(seed: 6))
    }

    @Test func `each round of a repetition draws its own time, and again in the same way`() throws {
        let again = MockFault.Step.repeated([Self.anyTime, .noAnswer, Self.anyTime], times: 50)
        let drawn = try Self.times(Self.steps([Self.anyTime, again]))
        #expect(drawn.count == 101)
        #expect(drawn.allSatisfy { $0 >= .milliseconds(100) && $0 <= .milliseconds(200) })
        #expect(Set(drawn).count > 90)
        #expect(try drawn == Self.times(Self.steps([Self.anyTime, again])))
        #expect(try drawn != Self.times(Self.steps([Self.anyTime, again], seed: 2)))
    }
}
