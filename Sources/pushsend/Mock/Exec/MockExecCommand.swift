import APNSVocabulary
import ArgumentParser
import MockAPNs
import MockConsole
import PushCommandLine
import PushPlatform

struct MockExecCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exec",
        abstract: "Run a command with a new mock, and return the exit code of the command.",
        discussion: """
            Example:
              pushsend mock exec -- npm test
              pushsend mock exec --fail-on violations --junit mock.xml -- ./test-my-sender

            The mock listens on free ports and keeps its state in a new folder, which is removed at the end. The \
            command finds it by these variables: APNS_URL, APNS_HOST, APNS_PORT, APNS_CA, APNS_KEY_FILE, APNS_KEY_ID, \
            APNS_TEAM_ID, APNS_TOPIC, MOCK_URL (the REST API), PUSHSEND_STATE (so that "pushsend send --mock" and \
            "pushsend mock wait" find it), NODE_EXTRA_CA_CERTS, and SSL_CERT_FILE (the system's authorities and the mock's). \
            --https-proxy adds HTTPS_PROXY and https_proxy, for senders that can only set a proxy.

            The exit code is that of the command; \(noSuchCommand) if there is no such command, \(cannotRun) if it can't \
            be run. If the command succeeds, but --fail-on has found something, it is \(ExitStatus.rejected.code). \
            Only the command writes to standard output.
            """
    )

    /// The exit codes that a shell has for a command that cannot be started.
    private static let noSuchCommand: Int32 = 127
    private static let cannotRun: Int32 = 126

    /// What makes a run fail although the command succeeded.
    enum FailOn: String, ExpressibleByArgument, CaseIterable {
        /// A client broke a rule of APNs.
        case violations
        /// A request arrived that no wait or assert matched.
        case unmatched
    }

    @OptionGroup var ports: MockPortOptions<FreePorts>

    @OptionGroup var options: MockOptions

    @OptionGroup var console: ConsoleOptions

    @OptionGroup var proxy: ProxyVariableOption

    @Option(
        help: ArgumentHelp(
            "Fail if a client broke a rule of APNs, or if a request arrived that no wait or assert matched. Repeatable.",
            valueName: "violations|unmatched"))
    var failOn: [FailOn] = []

    @Option(
        help: ArgumentHelp(
            "Write every request to this file as JSON lines, including those of namespaces.", valueName: "file"),
        completion: .file())
    var dump: String?

    @Option(
        help: ArgumentHelp(
            """
            Write the results of wait and assert to this file, for CI, and with --fail-on violations the broken rules.
            """, valueName: "file"),
        completion: .file())
    var junit: String?

    @Option(
        help: ArgumentHelp("Keep the mock's state in this folder instead of a temporary one.", valueName: "dir"),
        completion: .directory)
    var state: String?

    @Argument(
        parsing: .postTerminator, help: ArgumentHelp("The command and its arguments, after --.", valueName: "command"))
    var command: [String] = []

    func validate() throws {
        try ports.requireUse(with: console)
        if command.isEmpty {
            throw ValidationError("Give the command after two hyphens: pushsend mock exec -- COMMAND")
        }
    }

    func run() async throws {
        Output.exit(ExitStatus(code: try await execute()))
    }

    private func execute() async throws -> Int32 {
        ChildProcess.rememberInheritedFiles()
        let folder = try state.map(AbsolutePath.of) ?? Self.temporaryFolder()
        defer { if state == nil { try? FileManager.default.removeItem(atPath: folder) } }
        let dumping = try dump.map { try RequestDump($0) }
        let junitFile = try junit.map { try ResultFile($0, of: "--junit") }
        let ledger = dumping.map { dump in RunLedger { dump.add($0, in: $1) } } ?? RunLedger()
        let running = try await MockRun.start(options, ports.ports, console, stateFolder: folder, ledger: ledger)
        let writing = dumping.map { dump in Task { await dump.write() } }
        let code: Int32
        do {
            try MockEnvironmentVariables.writeBundle(authorityFile: running.note.authorityFile, stateFolder: folder)
            code = try await runCommand(running, in: folder)
        } catch {
            await running.stop()
            dumping?.finish()
            throw error
        }
        // Requests of the last moment are still being written to the log.
        await running.stop()
        dumping?.finish()
        await writing?.value
        let result = ExecResult(ledger, failOn: failOn)
        result.complain()
        var problems = dumping?.problem.map { [$0] } ?? []
        do throws(CommandFailure) {
            try junitFile?.write(Array(result.junit(exitCode: code).utf8))
        } catch {
            problems.append(error.message)
        }
        for problem in problems { Output.complain(problem) }
        // The failure of the command matters most.
        if code != 0 { return code }
        if result.fails { return ExitStatus.rejected.code }
        return problems.isEmpty ? code : ExitStatus.cannotWrite.code
    }

    private func runCommand(_ running: MockRun, in folder: String) async throws -> Int32 {
        var variables: [(name: String, value: String?)] = MockEnvironmentVariables(
            running.note, stateFolder: folder, setsProxy: proxy.isOn
        ).variables.map { ($0.name, $0.value) }
        // The API of another mock must not be taken for this one's.
        if console.isOff { variables.append(("MOCK_URL", nil)) }
        SignalForwarding.prepare()
        defer { SignalForwarding.stop() }
        let child: ChildProcess
        do throws(SystemFailure) {
            child = try ChildProcess(command, setting: variables)
        } catch {
            Output.complain("The command \"\(command[0])\" can't be run: \(error.text).")
            return error.number == ENOENT ? Self.noSuchCommand : Self.cannotRun
        }
        // The child decides what a signal means; this process ends when it does.
        SignalForwarding.start(to: child.processID)
        return await child.end()
    }

    private static func temporaryFolder() throws -> String {
        let parent = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        // mkdtemp wants six X's at the end and replaces them in place, so it needs the bytes and not a string.
        var template = Array("\(parent)/pushsend-mock-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CommandFailure(
                .cannotCreate,
                "No folder can be created in \(parent) (\(String(cString: strerror(errno)))). Set TMPDIR.")
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Passes signals on to a child: those by which people and CI systems end, stop or inform a program.
///
/// Ctrl-C on a terminal reaches the child by itself, because both are in the foreground. So only signals that a process has sent
/// are passed on.
enum SignalForwarding {
    // A signal handler has no context and must not lock, so it can only read and write static variables.

    /// The process id of the child; 0 before it is started.
    // Unsafe, as a lock isn't possible: only the main thread sets it, once, before it looks at the early signal.
    nonisolated(unsafe) private static var child: pid_t = 0
    /// A signal that arrived before there was a child; 0 if none did.
    // Unsafe for the same reason: only the handler sets it. A signal after the child is set is passed on at once.
    nonisolated(unsafe) private static var early: Int32 = 0

    /// Installs the handlers. From now on, these signals do not end this process. Call it before the child is started.
    static func prepare() {
        var action = sigaction()
        action.sa_flags = SA_SIGINFO | SA_RESTART
        #if canImport(Darwin)
            action.__sigaction_u.__sa_sigaction = { number, info, _ in SignalForwarding.forward(number, info) }
        #else
            action.__sigaction_handler.sa_sigaction = { number, info, _ in SignalForwarding.forward(number, info) }
        #endif
        for number in numbers { sigaction(number, &action, nil) }
    }

    private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2]

    /// Removes the handlers: the child has ended, and a signal ends this process.
    static func stop() {
        child = 0
        for number in numbers { signal(number, SIG_DFL) }
    }

    /// Passes signals on to this child, also a signal that has already arrived.
    static func start(to processID: pid_t) {
        child = processID
        if early != 0 { kill(processID, early) }
    }

    /// Called by the handlers: only functions that are allowed there.
    private static func forward(_ number: Int32, _ info: UnsafeMutablePointer<siginfo_t>?) {
        let errorBefore = errno
        if let info, info.pointee.si_code <= 0 {
            if child == 0 { early = number } else { kill(child, number) }
        }
        errno = errorBefore
    }
}
