import NIOConcurrencyHelpers
import PushQueue
import TestSupport

@testable import PushDelivery

/// A team's table of devices in memory. It can fail, and be slow.
final class DeviceTable: RecipientTable {
    private let devices = NIOLockedValueBox<[UserID: [RecipientDevice]]>([:])
    private let failure = NIOLockedValueBox<QueueError?>(nil)
    private let wrong = NIOLockedValueBox<[String: QueueError]>([:])
    private let refused = NIOLockedValueBox<Set<String>>(["wrong"])
    private let gate = Watched(true)
    /// How many questions and counts wait for the gate; those after them do not.
    private let held = NIOLockedValueBox((questions: Int.max, counts: Int.max))
    /// The questions so far: the users of each.
    let questions = Watched<[Set<String>]>([])
    /// How many counts were asked for so far.
    let counts = Watched(0)

    static let down = QueueError(.unreachable, "The database of the test is down.")

    /// Gives devices to a user.
    func give(_ user: String, _ devices: RecipientDevice...) {
        self.devices.withLockedValue { $0[UserID(user)] = devices }
    }

    /// From now on, the table refuses questions about a user, as it does about "wrong".
    func refuse(_ user: String) { refused.withLockedValue { _ = $0.insert(user) } }

    /// A check finds these statements wrong.
    func fail(statements: [String: QueueError]) { wrong.withLockedValue { $0 = statements } }

    func fail(_ error: QueueError?) { failure.withLockedValue { $0 = error } }

    /// Whether questions are answered. Otherwise they wait.
    func answer(_ isOpen: Bool) { gate.change { $0 = isOpen } }

    /// Answers further questions and counts at once; those that wait go on waiting. So a test of a limit fails at once
    /// when one too many is let through.
    func answerFurther() {
        held.withLockedValue { $0 = (questions: questions.value.count, counts: counts.value) }
    }

    /// The next `counts` counts wait. Those after them are answered at once.
    func hold(counts: Int) { held.withLockedValue { $0.counts = counts } }

    /// The settings of an app that uses the table.
    func app(_ app: AppSettings) -> AppSettings {
        var app = app
        app.recipients = Recipients(self, address: "test", RecipientQueries(ofUser: "SELECT"))
        return app
    }

    func check() async throws(QueueError) -> [String: QueueError] { wrong.withLockedValue { $0 } }

    func devices(of users: [String], atClaim: Bool) async throws(QueueError) -> [[RecipientDevice]] {
        let isHeld = held.withLockedValue { questions.value.count < $0.questions }
        questions.change { $0.append(Set(users)) }
        if isHeld { _ = try? await gate.wait(for: "the table to answer") { $0 } }
        if let error = failure.withLockedValue({ $0 }) { throw error }
        if !refused.withLockedValue({ $0.isDisjoint(with: users) }) {
            throw QueueError(.invalid, "The user isn't a number.")
        }
        return devices.withLockedValue { known in users.map { known[UserID($0)] ?? [] } }
    }

    func page(of audience: String, after id: Int64, limit: Int) async throws(QueueError) -> [AudienceDevice] { [] }
    func count(of audience: String) async throws(QueueError) -> Int {
        let isHeld = held.withLockedValue { counts.value < $0.counts }
        counts.change { $0 += 1 }
        if isHeld { _ = try? await gate.wait(for: "the table to answer") { $0 } }
        if let error = failure.withLockedValue({ $0 }) { throw error }
        return 42
    }

    func delete(_ gone: [GoneToken]) async throws(QueueError) {}
}
