import APNSVocabulary
import Logging
import PushCommandLine
import PushDelivery
import PushPlatform
import PushProvider

enum AppCredentials {
    /// Logs what is wrong with the credentials of apps. An app that cannot be used is down; the others run.
    static func report(_ apps: [ConfiguredApp], _ log: Logger) {
        for app in apps {
            let findings = check(app.settings).0 + [deliveryCounts(app.settings)].compactMap(\.self)
            for finding in findings where finding.result != .ok {
                let text = [finding.fact, finding.remedy].compactMap(\.self).joined(separator: " ")
                let level: Logger.Level = finding.result == .failed ? .error : .warning
                log.log(
                    level: level, "\(text)", metadata: ["app": "\(app.settings.name)", "at": "\(app.location)"])
            }
        }
    }

    /// Checks the credentials of an app on this machine.
    ///
    /// - Returns: What was found, and the credentials if they can be used.
    static func check(_ settings: AppSettings, now: Date = Date()) -> ([Finding], PushCredentials?) {
        let app = settings.name
        func failed(_ fact: String, _ remedy: String, _ status: ExitStatus) -> ([Finding], PushCredentials?) {
            ([.failed("credentials", app: app, fact, remedy: remedy, status)], nil)
        }
        let credentials: PushCredentials
        do throws(PushCredentialsError) { credentials = try settings.credentials.read() } catch {
            let fact = error.description + error.rightPlace
            return failed(fact, "The app is down; the others run.", CommandFailure(error).status)
        }
        var findings: [Finding] = []
        let days = credentials.certificate?.daysLeft(at: now)
        if let certificate = credentials.certificate {
            if !certificate.isTaken(by: settings.environment) {
                let service = settings.environment.appleService?.rawValue ?? "\(settings.environment)"
                return failed(
                    "\"\(certificate)\" isn't for \(service).",
                    "Correct \"environment\", or use another certificate.", .credentials)
            }
            if let topic = settings.topic, !certificate.topics.isEmpty, !certificate.topics.contains(topic) {
                findings.append(
                    .warning(
                        "credentials", app: app,
                        """
                        The certificate doesn't include the topic \(topic.printable). It includes: \
                        \(certificate.topics.joined(separator: ", ")).
                        """,
                        remedy: "Correct \"topic\", or use another certificate."))
            }
        } else if settings.topic == nil {
            findings.append(
                .warning(
                    "credentials", app: app, "There is no topic, so each push must name one.",
                    remedy: "Set \"topic\" to the bundle id of the app."))
        }
        findings += credentials.warnings.map { .warning("credentials", app: app, $0, daysLeft: days) }
        if findings.allSatisfy({ $0.result == .ok }) {
            findings.append(.ok("credentials", app: app, fact(credentials, settings, days), daysLeft: days))
        }
        return (findings, credentials)
    }

    /// What is found about the import of Apple's delivery counts; `nil` if they are not imported.
    static func deliveryCounts(_ settings: AppSettings) -> Finding? {
        guard let source = settings.deliveryCounts else { return nil }
        let (app, file) = (settings.name, source.tokenFile.printable)
        do throws(DeliveryCountSource.TokenMistake) {
            guard try !source.readToken().isOpenToOthers else {
                return .warning(
                    "delivery", app: app, "Other users can read \"\(file)\": protect it with chmod 600.")
            }
        } catch {
            return .failed(
                "delivery", app: app, "\"token_file\", \(file), \(error.description)",
                remedy: "Until then, Apple's delivery counts are not imported.", .credentials)
        }
        guard settings.environment.appleService != .sandbox else {
            return .warning(
                "delivery", app: app,
                "Apple counts pushes to production only, so its counts are not compared with those to the sandbox.")
        }
        return .ok("delivery", app: app, "The token for Apple's delivery counts can be read.")
    }

    private static func fact(_ credentials: PushCredentials, _ settings: AppSettings, _ days: Int?) -> String {
        if let certificate = credentials.certificate, let days {
            return "The certificate \"\(certificate)\" can be used; \(counted(days, "day is", "days are")) left."
        }
        guard case .key(_, let keyID, _) = settings.credentials else { return "They can be used." }
        return "The key \(keyID) can be used."
    }
}
