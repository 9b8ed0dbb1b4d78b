import MockAPNs
import MockConsole
internal import PushJSON
internal import PushLint
import PushPlatform
import PushProvider

/// What the mock's page can do with the library: check payloads, send them, offer ready ones.
enum PageAbilities {
    /// - Parameters:
    ///   - credentials: The credentials of the mock.
    ///   - stateFolder: The folder in which other commands find the mock; `nil` if there is none.
    /// - Returns: The abilities.
    static func all(_ credentials: MockCredentials, stateFolder: String? = nil) -> ConsoleAbilities {
        var abilities = ConsoleAbilities()
        abilities.lint = lint
        abilities.send = { try await PageSender.send($0, to: $1) }
        abilities.templates = templates
        abilities.authorityFile = credentials.files?.authority
        abilities.keyFile = credentials.files?.p8
        abilities.mockFlags = stateFolder.map { "--mock\(StateFolderOption.flag(for: AbsolutePath.of($0)))" }
        return abilities
    }

    // MARK: Lint

    @Sendable private static func lint(_ push: ComposedPush) -> PushLinting {
        let payload = LintedPayload(name: "payload", bytes: push.payload)
        let context = context(push)
        let findings = payload.templateFindings(context)
        let repaired = findings.contains(where: \.isRepairable) ? payload.repaired(context).payload.bytes : nil
        return PushLinting(
            findings: findings.map(finding), repaired: repaired.map { String(decoding: $0, as: UTF8.self) })
    }

    private static func context(_ push: ComposedPush) -> LintContext {
        LintContext(
            topic: push.topic, pushType: push.pushType.map(PushType.init(rawValue:)),
            priority: push.priority.map(PushPriority.init(rawValue:)),
            expiration: push.expiration.flatMap { Int($0) }.map { $0 == 0 ? .once : .until(secondsSince1970: $0) },
            collapseID: push.collapseID, now: Date())
    }

    private static func finding(_ finding: PushFinding) -> PushLinting.Finding {
        PushLinting.Finding(
            position: finding.location.map { ($0.line, $0.column, $0.bytes.count) },
            severity: finding.severity.rawValue, rule: finding.rule, subject: finding.subject,
            problem: finding.problem, remedy: finding.advice, isFixable: finding.isRepairable)
    }

    // MARK: Templates

    /// The topic of the examples. Live Activities have its suffix.
    private static let topic = "com.example.app"

    @Sendable private static func templates() -> [PayloadTemplate] {
        ReadyPayload.all.compactMap { template in
            guard let payload = try? template.payload(Date()), let value = PushJSONValue(json: payload.bytes) else {
                return nil
            }
            let type = payload.pushType ?? .alert
            return PayloadTemplate(
                name: template.name, about: template.about,
                payload: String(PrettyJSON.text(value).dropLast()), pushType: type.rawValue,
                topic: topic + (type.topicSuffix ?? ""), collapseID: template.collapseID)
        }
    }
}

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

    private static func answer(_ outcome: PushOutcome) throws(SendFailure) -> SentPush {
        switch outcome {
        case .accepted(let acceptance): SentPush(status: 200, apnsID: acceptance.apnsID)
        case .rejected(let rejection):
            SentPush(status: rejection.status, reason: rejection.reason?.rawValue, apnsID: rejection.apnsID)
        case .notSent, .unknown, .invalid: throw SendFailure(detail: "\(outcome)")
        }
    }

    private static func notification(_ push: ComposedPush) throws(SendFailure) -> PushNotification {
        let token = try rethrowing(try DeviceToken(pasted: push.token ?? "")) { (error: DeviceTokenError) in
            SendFailure(member: "token", detail: "\(error)")
        }
        return PushNotification(
            to: token, topic: push.topic ?? "", payload: PushPayload(json: push.payload),
            pushType: push.pushType.map(PushType.init(rawValue:)),
            priority: push.priority.map(PushPriority.init(rawValue:)),
            // Exactly as it was sent, or none: the mock judges it.
            expiration: push.expiration.flatMap { PushExpiration(exact: $0) } ?? .apnsDefault,
            collapseID: push.collapseID)
    }

    private static func key(of mock: MockServer) throws(SendFailure) -> PushProviderKey {
        do {
            return try PushProviderKey(
                p8: mock.credentials.p8.utf8, keyID: mock.credentials.keyID, teamID: mock.credentials.teamID)
        } catch {
            throw SendFailure(detail: "The mock's own key can't be used: \(error)")
        }
    }
}
