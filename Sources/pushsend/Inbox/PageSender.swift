import MockAPNs
import MockConsole
import PushPlatform
import PushProvider

/// Sends pushes from the mock's page to the mock, signed with the mock's own key. Each has its own connection, as with
/// `pushsend send`, so that no earlier answer delays it.
enum PageSender {
    /// How long a send waits for the answer of the mock. A fault can delay it.
    private static let timeout = Duration.seconds(10)

    static func send(_ push: ComposedPush, to mock: MockServer) async throws -> SentPush {
        let notification = try notification(push)
        let key = try key(of: mock)
        var configuration = PushConfiguration()
        // The mock judges what the page sends, and its first answer counts.
        configuration.checksNotifications = false
        configuration.retry = .never
        let environment = PushEnvironment(
            host: ["0.0.0.0": "127.0.0.1", "::": "::1"][mock.host] ?? mock.host, port: mock.port,
            trust: .authorities(pem: mock.credentials.authority))
        let client = try PushClient(environment: environment, credentials: .token(key), configuration: configuration)
        let outcome = await client.outcome(of: notification, timeout: timeout)
        await client.shutdown(drainTime: .zero)
        return try answer(outcome)
    }

    private static func answer(_ outcome: PushOutcome) throws(SendProblem) -> SentPush {
        switch outcome {
        case .accepted(let acceptance): SentPush(status: 200, apnsID: acceptance.apnsID)
        case .rejected(let rejection):
            SentPush(status: rejection.status, reason: rejection.reason?.rawValue, apnsID: rejection.apnsID)
        case .notSent, .unknown, .invalid: throw SendProblem(detail: "\(outcome)")
        }
    }

    private static func notification(_ push: ComposedPush) throws(SendProblem) -> PushNotification {
        let token: DeviceToken
        do throws(DeviceTokenError) {
            token = try DeviceToken(pasted: push.token ?? "")
        } catch {
            throw SendProblem(member: "token", detail: "\(error)")
        }
        return PushNotification(
            to: token, topic: push.topic ?? "", payload: PushPayload(json: push.payload),
            pushType: push.pushType.map(PushType.init(rawValue:)),
            priority: push.priority.map(PushPriority.init(rawValue:)),
            // Exactly as it was sent, or none: the mock judges it.
            expiration: push.expiration.flatMap { PushExpiration(exact: $0) } ?? .apnsDefault,
            collapseID: push.collapseID)
    }

    private static func key(of mock: MockServer) throws(SendProblem) -> PushProviderKey {
        do {
            return try PushProviderKey(
                p8: mock.credentials.p8.utf8, keyID: mock.credentials.keyID, teamID: mock.credentials.teamID)
        } catch {
            throw SendProblem(detail: "The mock's own key cannot be used: \(error)")
        }
    }
}
