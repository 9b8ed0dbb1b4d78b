import Foundation
import PushProvider

/// A test of an app without any server: the sample of `PushSending`.
enum FakeOutcomes {
    /// What an app does with an outcome. In your app it takes the client as `any PushSending`, too.
    static func forgetsToken(
        _ sender: any PushSending, _ notification: PushNotification
    ) async -> Bool {
        await sender.outcome(of: notification).rejection?.tokenStatus == .gone
    }

    static func run() async throws {
        struct FakeSender: PushSending {
            var outcome: PushOutcome

            func outcome(of notification: PushNotification, timeout: Duration?) async -> PushOutcome {
                outcome
            }
        }

        let gone = FakeSender(
            outcome: .rejected(
                PushOutcome.Rejection(
                    status: 410, reason: .unregistered, timestamp: Date(),
                    registeredAt: Date(timeIntervalSinceNow: -3600))))

        let notification = PushNotification(
            to: try DeviceToken("5f3ad1c07b9e4286"), topic: "com.example.app", payload: .alert(body: "Hello"))
        try TestAgainstMock.check(await forgetsToken(gone, notification), "a token that is gone is forgotten")
        let accepted = FakeSender(outcome: .accepted(PushOutcome.Acceptance(apnsID: "A1")))
        try TestAgainstMock.check(await !forgetsToken(accepted, notification), "others are kept")
    }
}
