import APNSVocabulary
import PushDelivery
import PushPlatform
import PushProvider

/// Reads the credentials of an app.
enum AppCredentials {
    /// - Throws: ``PushCredentialsError`` if they cannot be used.
    static func read(_ credentials: AppSettings.Credentials) throws(PushCredentialsError) -> PushCredentials {
        switch credentials {
        case .key(let file, let keyID, let teamID):
            return .token(try PushProviderKey(p8File: file, keyID: keyID, teamID: teamID))
        case .identity(let file, let passphraseFile):
            let passphrase = try passphraseFile.map { path throws(PushCredentialsError) in try self.passphrase(path) }
            return .identity(
                isPKCS12(file)
                    ? try PushIdentity(p12File: file, passphrase: passphrase)
                    : try PushIdentity(certificateFile: file, passphrase: passphrase))
        }
    }

    /// The first line of a file.
    private static func passphrase(_ path: String) throws(PushCredentialsError) -> PushPassphrase {
        var file = try KeyFile(path: path)
        defer { file.wipe() }
        let line = file.bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        return PushPassphrase(bytes: line)
    }

    private static func isPKCS12(_ path: String) -> Bool {
        let name = path.lowercased()
        return name.hasSuffix(".p12") || name.hasSuffix(".pfx")
    }

    // MARK: Finding

    /// Checks the credentials of an app on this machine.
    ///
    /// - Returns: What was found, and the credentials if they can be used.
    static func check(_ settings: AppSettings, now: Date = Date()) -> ([Finding], PushCredentials?) {
        let app = settings.name
        let credentials: PushCredentials
        do throws(PushCredentialsError) { credentials = try read(settings.credentials) } catch {
            let status = CommandFailure(error).status
            return (
                [
                    .failed(
                        "credentials", app: app, error.description, remedy: "The app is down; the others run.", status)
                ], nil
            )
        }
        var findings: [Finding] = []
        let days = credentials.certificate?.daysLeft(at: now)
        if let certificate = credentials.certificate {
            if !certificate.isTaken(by: settings.environment) {
                let service = settings.environment.appleService?.rawValue ?? "\(settings.environment)"
                let fact = "\"\(certificate)\" is not for \(service)."
                return (
                    [
                        .failed(
                            "credentials", app: app, fact,
                            remedy: "Correct \"environment\", or use another certificate.", .credentials)
                    ],
                    nil
                )
            }
            if let topic = settings.topic, !certificate.topics.isEmpty, !certificate.topics.contains(topic) {
                findings.append(
                    .warning(
                        "credentials", app: app,
                        """
                        The certificate does not include the topic \(topic.printable). It includes: \
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

    private static func fact(_ credentials: PushCredentials, _ settings: AppSettings, _ days: Int?) -> String {
        if let certificate = credentials.certificate, let days {
            return "The certificate \"\(certificate)\" can be used; \(counted(days, "day is", "days are")) left."
        }
        guard case .key(_, let keyID, _) = settings.credentials else { return "They can be used." }
        return "The key \(keyID) can be used."
    }
}
