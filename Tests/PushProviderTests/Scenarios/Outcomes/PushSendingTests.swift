import Foundation
import PushProvider
import Testing

/// What an app does in its own tests: it imports the library as everybody does, and fakes the outcome of a push.
struct PushSendingTests {
    struct FakeSender: PushSending {
        var outcome: PushOutcome

        func outcome(of notification: PushNotification, timeout: Duration?) async -> PushOutcome {
            outcome
        }
    }

    /// The code of an app that knows nothing of who sends.
    private func forgetsToken(_ sender: any PushSending) async throws -> Bool {
        let notification = PushNotification(
            to: try DeviceToken("5f3ad1c07b9e4286"), topic: "com.example.app", payload: .alert(body: "Hello"))
        do throws(PushOutcome) {
            try await sender.send(notification)
            return false
        } catch {
            return error.rejection?.tokenStatus == .gone
        }
    }

    @Test(arguments: [
        (PushOutcome.accepted(PushOutcome.Acceptance(apnsID: "1")), false),
        (
            .rejected(
                PushOutcome.Rejection(
                    status: 410, reason: .unregistered, timestamp: Date(timeIntervalSince1970: 1_795_000_000),
                    registeredAt: Date(timeIntervalSince1970: 1_794_000_000))), true
        ),
        (
            .rejected(
                PushOutcome.Rejection(
                    status: 410, reason: .unregistered, timestamp: Date(timeIntervalSince1970: 1_795_000_000))
            ), false
        ),
        (.notSent(PushOutcome.NotSent(cause: .noConnection)), false),
        (.unknown(PushOutcome.Unknown(cause: .connectionLost)), false),
    ])
    func `an app fakes each outcome`(outcome: PushOutcome, forgets: Bool) async throws {
        #expect(try await forgetsToken(FakeSender(outcome: outcome)) == forgets)
        let notification = PushNotification(
            to: try DeviceToken("5f3ad1c07b9e4286"), topic: "com.example.app", payload: .alert(body: "Hello"))
        #expect(await FakeSender(outcome: outcome).outcome(of: notification) == outcome)
    }
}
