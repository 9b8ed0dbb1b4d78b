import ArgumentParser
import Logging
import MockAPNs
import MockConsole
import PushCommandLine
internal import PushLint
import PushPlatform
import PushProvider

struct TryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "try",
        abstract: "Send a push to a mock in the same process, without an Apple account, and show both sides.",
        discussion: """
            Example:
              pushsend try -m "Hello from here"

            pushsend signs the push and sends it over TLS and HTTP/2 to a mock of APNs, which checks it by the rules in \
            Apple's documentation. Nothing leaves this machine, and no file is written.
            """
    )

    @Option(
        name: [.short, .long], parsing: .unconditional, help: ArgumentHelp("The text of the alert.", valueName: "text"))
    var message = "Hello"

    @Option(
        name: [.short, .long], parsing: .unconditional, help: ArgumentHelp("The title of the alert.", valueName: "text")
    )
    var title: String?

    @Option(help: ArgumentHelp("The bundle id of the app.", valueName: "bundle-id"))
    var topic = "com.example.app"

    @Flag(help: "Print the result as one JSON object.")
    var json = false

    @Flag(
        help: "Open the mock's inbox in a browser afterwards. It shows the push as on an iPhone. Press Ctrl-C to stop.")
    var open = false

    func validate() throws {
        if open, json { throw ValidationError("--open has no effect with --json. Leave one out.") }
    }

    private static let token = String(repeating: "5f3ad1c07b9e4286", count: 4)

    func run() async throws {
        Output.exit(try await travel())
    }

    private func travel() async throws -> ExitStatus {
        // A browser must not keep the ports of this process.
        if open { ChildProcess.rememberInheritedFiles() }
        let mock = try await MockServer.start()
        let key = try PushProviderKey(
            p8: mock.credentials.p8.utf8, keyID: mock.credentials.keyID, teamID: mock.credentials.teamID)
        let environment = PushEnvironment(
            host: mock.host, port: mock.port, trust: .authorities(pem: mock.credentials.authority))
        let notification = PushNotification(
            to: try DeviceToken(Self.token), topic: topic, payload: .alert(title: title, body: message))
        try refuseInvalid(notification)
        if !json {
            Output.print("1. A mock APNs listens on https://\(environment).")
            Output.print(
                "2. A push for \(notification.topic) to the device \(notification.deviceToken), signed with \(key):")
            Output.print(painted: "     \(data(String(decoding: notification.payload.bytes, as: UTF8.self)))")
        }
        let client = try PushClient(environment: environment, credentials: .token(key))
        let outcome = await client.outcome(of: notification, timeout: .seconds(10))
        if !json { Output.print("3. The sender got this answer:") }
        let status = SendReport(json: json, isOne: true, explainsAll: true, host: environment.host).print(
            outcome, of: notification)
        if !json, let arrival = mock.arrivals.first {
            printArrival(arrival)
        }
        await client.shutdown(drainTime: .seconds(1))
        do {
            if open, let number = mock.arrivals.first?.number { try await PushInbox(mock: mock).show(push: number) }
        } catch {
            await mock.stop()
            throw error
        }
        await mock.stop()
        return status
    }

    /// Prints what the mock received, and the next steps.
    private func printArrival(_ arrival: MockArrival) {
        let (request, verdict) = (arrival.request, arrival.verdict)
        let way = PeerText.printableLines("\(request.method) \(request.path.prefix(18))…")
        Output.print(painted: "4. The mock received: \(way), \(data(arrival.payload))")
        let status = (verdict.isAccepted ? Colour.green : .red).paint("\(verdict.status)", hasColours)
        Output.print(painted: "     and answered \(status): \(PeerText.printableLines("\(verdict.fact)"))")
        Output.print("")
        Output.print(
            painted: Colour.quiet.paint(
                "Next: \"pushsend mock\" runs a mock; \"pushsend send --help\" shows how to send to a device.",
                hasColours))
    }

    private func data(_ text: String) -> String { Colour.data.paint(PeerText.printableLines(text), hasColours) }

    private var hasColours: Bool { Output.resultsHaveColours }

    private func refuseInvalid(_ notification: PushNotification) throws {
        let findings = notification.findings().filter { $0.severity == .error }
        guard !findings.isEmpty else { return }
        let message = findings.map { "\($0.subject): \($0)" }.joined(separator: " ")
        throw CommandFailure(.invalidInput, message)
    }
}

/// The inbox of `pushsend try --open`: the mock's page with the push, until Ctrl-C.
struct PushInbox {
    let mock: MockServer

    /// Serves the page, opens it in a browser, and waits for Ctrl-C.
    func show(push number: Int) async throws {
        let interrupt = Interrupt()
        var configuration = ConsoleConfiguration()
        configuration.abilities = PageAbilities.all(mock.credentials)
        configuration.version = ProgramVersion.number
        configuration.mayStop = false
        let console: MockConsole
        do throws(ConsoleStartError) {
            console = try await MockConsole.start(for: mock, configuration)
        } catch {
            throw CommandFailure(.cannotConnect, error.description)
        }
        let address = "http://127.0.0.1:\(console.port)/#/push/\(number)"
        Output.print("5. The inbox shows what an iPhone would show, until Ctrl-C: \(address)")
        // Some browsers run until their window is closed.
        Task {
            if !(await Self.open(address)) { Output.note("No browser could be opened. Open the address yourself.") }
        }
        await interrupt.wait()
        await console.stop()
    }

    /// Opens an address with the program in BROWSER, or with that of the system.
    private static func open(_ address: String) async -> Bool {
        let environment = ProcessInfo.processInfo.environment
        #if os(macOS)
            let opener = "/usr/bin/open"
        #else
            let opener = "xdg-open"
        #endif
        let program = environment["BROWSER"].flatMap { $0.isEmpty ? nil : $0 } ?? opener
        guard let child = try? ChildProcess([program, address], setting: []) else { return false }
        return await child.end() == 0
    }
}
