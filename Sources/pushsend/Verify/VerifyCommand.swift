import APNSVocabulary
import ArgumentParser
import MockAPNs
import PushCommandLine
internal import PushJSON
import PushPlatform
import PushProvider

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check, fact by fact, whether a server answers the way the mock does.",
        discussion: """
            Example:
              pushsend verify --topic com.example.app \\
                --key AuthKey_ABC123DEFG.p8 --team-id DEF123GHIJ --save facts.json
              pushsend mock --facts facts.json

            It sends \(VerifyQuestion.all.count) requests to the sandbox, slowly and over four connections, most of them wrong on \
            purpose. Their device token doesn't exist, so nothing can reach a person. With --device, the requests about headers and \
            payloads go to your own phone, as background pushes that show nothing.

            The file of --save has no secrets, no device token and no topic: you can attach it to an issue, and a mock that you \
            start with --facts judges as the server did.

            Exit codes: \(ExitStatus.success.code) everything agrees, \(ExitStatus.rejected.code) something differs, \
            \(ExitStatus.cannotConnect.code) can't connect, \(ExitStatus.tryAgain.code) the server stopped the run, \
            \(ExitStatus.credentials.code) credentials refused.
            """)

    @OptionGroup var profileOption: ProfileOption
    @OptionGroup(title: "Credentials: a key") var signerOptions: SignerOptions
    @OptionGroup(title: "Credentials: a certificate") var identityOptions: IdentityOptions
    @OptionGroup(title: "Server") var targetOptions: TargetOptions

    @Option(
        help: ArgumentHelp(
            "The app's bundle id. Default: PUSHSEND_TOPIC, that of the profile, or that of the certificate.",
            valueName: "bundle-id"))
    var topic: String?

    @Option(
        help: ArgumentHelp("Your own phone, for facts that a made-up device token can't show.", valueName: "token"),
        completion: .nicknames)
    var device: String?

    @Option(help: ArgumentHelp("Save what was found in this file, for a mock or an issue.", valueName: "file"))
    var save: String?

    @Flag(help: "Overwrite the file of --save.")
    var force = false

    @Option(help: ArgumentHelp("The time between two requests. Default: 500ms.", valueName: "duration"))
    var pause: DurationArgument?

    @Flag(help: "Don't ask before the requests to production.")
    var yes = false

    @Flag(help: "Print the result as one JSON object.")
    var json = false

    /// The shortest pause to a server of Apple.
    private static let shortestPause = Duration.milliseconds(200)

    func validate() throws {
        if force && save == nil { throw ValidationError("--force is only for --save.") }
    }

    func run() async throws {
        let settings = try profileOption.settings()
        let (credentials, key) = try credentials(settings)
        guard let topic = topic ?? settings.value(.topic) ?? credentials.certificate?.topics.first else {
            throw CommandFailure.usage("Give --topic, the app's bundle id.")
        }
        try CommandFailure.requireBundleID(topic, "--topic")
        if PushType.type(ofTopic: topic) != nil || SpecialTopic(topic) != nil {
            throw CommandFailure.usage(
                "--topic must be the bundle id of an app, without a suffix: the requests are for an app.")
        }
        let target = try targetOptions.target(signer: signerOptions, credentials.certificate, settings, topic: topic)
        let pause = pause?.duration ?? .milliseconds(500)
        if target.isApple, pause < Self.shortestPause {
            throw CommandFailure.usage("--pause must be at least 200ms for a server of Apple.")
        }
        if let note = target.note { Output.note(note) }
        // A server of Apple whose environment is not known may be production.
        let isProduction = target.isApple && target.environment.appleService != .sandbox
        if isProduction, !yes { try askForProduction() }

        let own = try device.map { try ownDevice($0, settings) }
        try requireRoomForFile()
        let lastRun = try target.isApple ? key.map { try LastRun(keyID: $0.keyID) } : nil
        let base = VerifyRequest(
            token: own?.hex ?? Self.madeUpToken, topic: topic,
            authorization: try key.map { "bearer \(try $0.providerToken(at: Date()))" },
            oldAuthorization: try key.map { "bearer \(try $0.providerToken(at: Date() - 2 * 3600))" })
        let verification = try await ask(
            Verification(base: base, topic: topic, environment: isProduction ? .production : .sandbox, device: own),
            credentials, target, pause, lastRun)
        try report(verification, target)
    }

    // MARK: Before

    private static let madeUpToken = "766572696679" + String(repeating: "0", count: 52)

    private func credentials(_ settings: Settings) throws -> (PushCredentials, PushProviderKey?) {
        let mayAsk = Prompt.isPossible && !json
        if var reader = try identityOptions.reader(beside: signerOptions, settings, mayAsk: mayAsk) {
            return (.identity(try reader.read()), nil)
        }
        let key = try signerOptions.providerKey(settings)
        return (.token(key), key)
    }

    private func ownDevice(_ text: String, _ settings: Settings) throws -> DeviceToken {
        let token = try settings.token(text)
        return try rethrowing(try DeviceToken(pasted: token)) { (error: DeviceTokenError) in
            CommandFailure(.invalidInput, error.description)
        }
    }

    /// Before the first request: a result that cannot be saved would be lost.
    private func requireRoomForFile() throws {
        guard let save, save != "-" else { return }
        let folder = save.contains("/") ? String(save.prefix(upTo: save.lastIndex(of: "/") ?? save.startIndex)) : "."
        if !force, FileKind(path: save) != nil {
            throw CommandFailure(
                .cannotCreate,
                "The file \"\(save.printable)\" exists already: give another name, or --force to overwrite it.")
        }
        guard access(folder.isEmpty ? "/" : folder, W_OK) == 0 else {
            throw CommandFailure(.cannotCreate, "The file \"\(save.printable)\" can't be created: give another path.")
        }
    }

    private func askForProduction() throws {
        guard Prompt.isPossible else {
            throw CommandFailure.usage(
                "Requests that are wrong on purpose go to Apple's production servers only with --yes.")
        }
        let hint = """
            \(VerifyQuestion.all.count) requests, most of them wrong on purpose, go to Apple's production servers with your \
            credentials.
            """
        guard try Prompt.agrees("Go on?", hint: hint) else {
            throw CommandFailure(.tryAgain, "Nothing was sent.")
        }
    }

    // MARK: The run

    private func ask(
        _ start: Verification, _ credentials: PushCredentials, _ target: Target, _ pause: Duration,
        _ lastRun: LastRun?
    ) async throws -> Verification {
        var verification = start
        for connection in VerifyQuestion.Connection.allCases where verification.stop == nil {
            let numbers = verification.questions(on: connection)
            guard !numbers.isEmpty else { continue }
            if Prompt.isSeen {
                Output.note("Connection \(connection.rawValue + 1): \(counted(numbers.count, "request")) ...")
            }
            let before = verification
            let authority = target.environment.host
            let requests = ProbedRequests(pause: pause) { answers in
                if answers.isEmpty { lastRun?.note() }
                var sofar = before
                for (answer, number) in zip(answers, numbers) where !sofar.note(answer, to: number) { return nil }
                return answers.count < numbers.count
                    ? sofar.request(numbers[answers.count], authority: authority) : nil
            }
            let path = try await path(requests, credentials, target)
            for (answer, number) in zip(path.answers, numbers) where verification.stop == nil {
                _ = verification.note(answer, to: number)
            }
            verification.noteEnd(path)
            if !verification.hasAnswers, let failure = path.failure {
                throw CommandFailure(.cannotConnect, failure.description)
            }
        }
        return verification
    }

    private func path(
        _ requests: ProbedRequests, _ credentials: PushCredentials, _ target: Target
    ) async throws -> ProbedPath {
        let report = try await ServerProbe(
            target.environment, credentials: credentials, proxy: target.proxy.proxy, timeout: .seconds(10)
        ).run(requests)
        if let path = report.paths.first { return path }
        throw CommandFailure(.cannotConnect, report.names.failure?.description ?? "The server has no address.")
    }

    // MARK: After

    private func report(_ verification: Verification, _ target: Target) throws {
        let findings = verification.findings
        if let save {
            let bytes = Self.file(verification, findings, target).encoded + [UInt8(ascii: "\n")]
            try SavedFile(path: save, replaces: force).write(bytes)
        }
        if json {
            Output.offer(json: Self.file(verification, findings, target).encoded + [UInt8(ascii: "\n")])
        } else if save != "-" {
            for line in VerifyReport(colours: Output.resultsHaveColours).lines(findings) {
                _ = Output.offer(painted: line)
            }
        }
        if let stop = verification.stop {
            let isRefused = findings.first.map { $0.answered.isEmpty || $0.answered.hasPrefix("403") } ?? true
            throw CommandFailure(isRefused ? .credentials : .tryAgain, stop)
        }
        Output.exit(findings.contains { $0.result == .differs } ? .rejected : .success)
    }

    /// The result as JSON, for `--facts` of a mock. Without secrets, device tokens and topics.
    private static func file(
        _ verification: Verification, _ findings: [Verification.Finding], _ target: Target
    ) -> PushJSONValue {
        let facts = findings.map { finding in
            PushJSONValue.members([
                ("fact", .string(finding.fact.id)), ("confidence", .string(finding.fact.confidence.rawValue)),
                ("result", .string(finding.result.rawValue)),
                ("sent", finding.text.isEmpty ? nil : .string(finding.text)),
                ("expected", finding.expected.isEmpty ? nil : .string(finding.expected)),
                ("answered", finding.answered.isEmpty ? nil : .string(finding.answered)),
                ("note", finding.note.map(PushJSONValue.string)),
            ])
        }
        return .members([
            ("format", .integer(1)), ("made", .integer(Int(Date().timeIntervalSince1970))),
            ("server", .string(target.isApple ? target.environment.host : "not Apple's")),
            ("version", .string(ProgramVersion.text)), ("stopped", verification.stop.map(PushJSONValue.string)),
            ("settings", .object(verification.settings)), ("facts", .array(facts)),
        ])
    }
}

/// When the last run sent something to Apple with a key. Each run signs provider tokens of its own, and Apple wants no new one within
/// 20 minutes. It does not say whether another signature makes a token new.
struct LastRun: Sendable {
    /// The file with the time of the last request. It is locked until the process ends, in any way: of several runs, only one asks.
    private let file: Int32

    /// - Throws: ``CommandFailure`` with ``ExitStatus/tryAgain`` if another run is not done, or it was less than 20 minutes ago.
    init(keyID: String) throws {
        guard let path = ConfigLocation.stateFile("verified-\(keyID)") else {
            throw CommandFailure.usage("HOME isn't set, so nothing shows when the last run was. Set XDG_STATE_HOME.")
        }
        try ConfigStore.makeFolder(of: path)
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw ConfigStore.unwritable(path, errno) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else { throw ConfigStore.unwritable(path, errno) }
            throw CommandFailure(.tryAgain, "Another run with the key \(keyID) isn't done. Try again after its end.")
        }
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = pread(file, &bytes, bytes.count, 0)
        let last = Int(String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)) ?? 0
        // What cannot be noted would let the next run begin too early.
        guard write(last) else { throw ConfigStore.unwritable(path, errno) }
        let (age, isTooFar) = time(nil).subtractingReportingOverflow(last)
        let maximum = Int(APNSLimit.providerTokenUpdateTime / .seconds(1))
        guard !isTooFar, (0..<maximum).contains(age) else { return }
        throw CommandFailure(
            .tryAgain,
            """
            The last run with the key \(keyID) was \(counted(age / 60, "minute")) ago, and each run signs its own provider token: \
            Apple wants no new one within \(maximum / 60) minutes. Run it again in \(counted((maximum - age + 59) / 60, "minute")).
            """)
    }

    /// Notes that a request is about to be sent.
    func note() { _ = write(time(nil)) }

    private func write(_ time: Int) -> Bool {
        let text = Array(String(time).utf8)
        return pwrite(file, text, text.count, 0) == text.count && ftruncate(file, text.count) == 0
    }
}

/// How `pushsend verify` shows what it found: a line for each question, then the facts without a question, and why.
struct VerifyReport {
    var colours: Bool

    func lines(_ findings: [Verification.Finding]) -> [String] {
        let asked = findings.filter { !$0.text.isEmpty }
        let width = (asked.map(\.fact.id.count).max() ?? 0) + 2
        let lines = asked.map { finding in
            "\(mark(finding.result)) \(finding.fact.id.padded(to: width, atLeast: 1))\(sentence(finding))"
        }
        func count(_ result: Verification.Result) -> Int { findings.count { $0.result == result } }
        let others = Dictionary(grouping: findings.filter(\.text.isEmpty)) { $0.note ?? "" }
        return lines + [
            "", "\(count(.agrees)) agree, \(count(.differs)) differ, \(count(.notAsked)) not asked.",
        ] + others.sorted { $0.key < $1.key }.map { "Not asked: \($1.map(\.fact.id).joined(separator: ", ")). \($0)" }
    }

    private func sentence(_ finding: Verification.Finding) -> String {
        let note = finding.note.map { " \($0)" } ?? ""
        return switch finding.result {
        case .agrees: "\(finding.text): \(finding.answered)"
        case .differs: "\(finding.text): \(finding.answered), not \(finding.expected).\(note)"
        case .notAsked: "\(finding.text): not asked.\(note)"
        }
    }

    private func mark(_ result: Verification.Result) -> String {
        switch result {
        case .agrees: Colour.green.paint("✓", colours)
        case .differs: Colour.yellow.paint("!", colours)
        case .notAsked: Colour.quiet.paint("-", colours)
        }
    }
}
