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
            priority: push.priority.map(PushPriority.init(rawValue:)), collapseID: push.collapseID, now: Date())
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
