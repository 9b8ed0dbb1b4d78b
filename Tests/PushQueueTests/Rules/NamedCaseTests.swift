import PushQueue
import Testing

/// Values that are stored by their numbers and shown by their names.
struct NamedCaseTests {
    @Test func `each number of a value has the name of its place`() {
        check(QueueJobState.self)
        check(QueueJobOutcome.Kind.self)
        check(QueueCampaignState.self)
        check(QueuePriority.self)
    }

    private func check<Value: NamedCase & Equatable>(_ type: Value.Type) {
        #expect(Value.allCases.map(\.rawValue) == Array(Value.names.indices), "\(type)")
        #expect(Value.allCases.allSatisfy { Value(name: $0.name) == $0 }, "\(type)")
    }
}
