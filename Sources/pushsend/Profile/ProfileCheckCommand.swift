import ArgumentParser
import PushCommandLine
import PushPlatform
import PushProvider

struct ProfileCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a profile's files and values, without the network.",
        discussion: """
            Example:
              pushsend profile check coffee

            "pushsend doctor --profile NAME" also checks the way to Apple, and whether Apple accepts the credentials.
            """)

    @Argument(
        help: ArgumentHelp("The profile. Default: the one that is used without --profile.", valueName: "name"),
        completion: .profiles)
    var name: String?

    func run() throws {
        let settings = try Settings.read(profile: name)
        var worst = ExitStatus.success
        for warning in settings.warnings { Output.note(warning) }
        func check(_ what: String, _ body: () throws -> String?) {
            do {
                if let fact = try body() { Output.print("ok      \(what): \(fact.printable)") }
            } catch {
                let failure = CommandFailure.from(error)
                worst = max(worst, failure.status)
                Output.print("failed  \(what): \(failure.message.printable)")
            }
        }
        var certificate: PushCertificate?
        check("credentials") {
            let (fact, read) = try credentials(settings)
            certificate = read
            return fact
        }
        check("server") { try server(settings, certificate) }
        check("topic") { try topic(settings, certificate) }
        check("devices") {
            let names = settings.devices.map(\.nickname)
            return names.isEmpty ? "none" : names.joined(separator: ", ")
        }
        Output.exit(worst)
    }

    private func credentials(_ settings: Settings) throws -> (String, PushCertificate?) {
        let signer = try SignerOptions.parse([])
        let identity = try IdentityOptions.parse([])
        if var reader = try identity.reader(beside: signer, settings, mayAsk: Prompt.isPossible) {
            let read = try reader.read()
            return ("\(read)", read.certificate)
        }
        return ("\(try signer.providerKey(settings))", nil)
    }

    private func server(_ settings: Settings, _ certificate: PushCertificate?) throws -> String {
        let target = try TargetOptions.parse([]).target(
            signer: try SignerOptions.parse([]), certificate, settings, topic: settings.value(.topic))
        let chosen = target.note == nil || certificate != nil ? "" : ", because no environment is set"
        let proxy = target.proxy.line.map { ", \($0)" } ?? ""
        return "\(target.environment)\(chosen)\(proxy)"
    }

    private func topic(_ settings: Settings, _ certificate: PushCertificate?) throws -> String {
        guard let topic = settings.value(.topic) else {
            let topics = certificate?.topics ?? []
            return topics.isEmpty ? "none: give --topic with each push" : topics.joined(separator: ", ")
        }
        return try MessageQuestion.topic(topic, certificate, teamID: settings.value(.teamID))
    }
}
