import ArgumentParser
import PushCommandLine
import PushPlatform
import PushProvider

struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show what is in a .p8, .p12, .pem or .cer file, a provider token or a device token.",
        discussion: """
            Example:
              pushsend inspect push.p12

            It shows the kind, topics, environment, ids and expiry, and never the key itself. The exit code is \
            \(ExitStatus.credentials.code) for a file or provider token that can't be used, and \
            \(ExitStatus.invalidInput.code) for such a device token.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "A file, a provider token, a device token, or - for one of them on standard input. Repeatable.",
            valueName: "thing"),
        completion: .file()
    )
    var things: [String]

    @Option(
        name: .customLong("key"),
        help: ArgumentHelp("Verify the signatures of provider tokens with this key.", valueName: "p8"),
        completion: .file()
    )
    var keyFile: String?

    @OptionGroup var passphrase: PassphraseOptions

    @Flag(help: "Print one JSON object for each argument.")
    var json = false

    func validate() throws {
        try PassphraseOptions.refusePassphrases(in: things + [keyFile])
    }

    func run() throws {
        var inspector = Inspector(now: Int(Date().timeIntervalSince1970))
        inspector.key = try keyFile.map { (try KeyInspection.read($0), $0) }
        inspector.passphrase = try passphrase.given(.variables(), ofFile: false)
        if Prompt.isPossible { inspector.ask = Self.ask }
        var worst = ExitStatus.success
        for (index, thing) in things.enumerated() {
            let isFile = FileKind(path: thing) != nil
            let inspection = try inspector.inspect(isFile ? thing : Settings.defaultToken(thing))
            worst = max(worst, inspection.status)
            show(inspection, isFirst: index == 0)
        }
        Output.exit(worst)
    }

    private func show(_ inspection: Inspection, isFirst: Bool) {
        if json {
            Output.print(inspection.line.text)
        } else if inspection.isReadable {
            Output.print((isFirst ? "" : "\n") + inspection.text)
        } else {
            Output.complain(inspection.complaint)
        }
    }

    /// Asks for a passphrase. An empty answer, or Ctrl-D, means none.
    private static func ask(_ name: String) throws -> PushPassphrase? {
        do {
            let answer = try Prompt.secret("Passphrase of \(name.printable)")
            return answer.isEmpty ? nil : PushPassphrase(bytes: answer)
        } catch is Prompt.Unanswered {
            return nil
        }
    }
}
