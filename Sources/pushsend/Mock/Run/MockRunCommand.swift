import APNSVocabulary
import ArgumentParser
import MockAPNs
import PushCommandLine
import PushPlatform

struct MockRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a mock of APNs on this machine. It checks the requests of any sender.",
        discussion: """
            Example:
              pushsend mock

            "mock" alone means "mock run".

            In another terminal:
              pushsend send 5f3ad1c07b9e4286 --mock --topic com.example.app -m Hello

            It needs no configuration. It keeps its CA, certificate and key in the state folder and reuses them at the \
            next start. Received notifications and registered devices aren't stored. A second mock at the same \
            time needs its own --state. The key id is always \(MockCredentials.keyID) and the team id always \
            \(MockCredentials.teamID), so test configurations can contain them.

            Clients can use a certificate instead of a provider token, if the mock's CA has issued it. With --certs, the \
            mock uses the CA, certificate and keys in a folder that certs.example/make.sh created. The script also creates \
            .p12 files.

            Limits protect the mock. When a client exceeds one, the mock closes its connection and names the limit in \
            the GOAWAY and in the log. For load tests, --limit none removes the limits. --limit NAME=VALUE sets one limit to \
            a number, a time with its unit, or none:
            \(MockLimitArgument.table)

            All faults, and all settings:
            \(Documentation.address(of: "docs/mock-api.md#failure-injection"))
            \(Documentation.address(of: "docs/mock-fidelity.md#settings"))
            """
    )

    @OptionGroup var ports: MockPortOptions<UsualPorts>

    @OptionGroup var options: MockOptions

    @OptionGroup var console: ConsoleOptions

    @OptionGroup var state: StateFolderOption

    @Flag(help: "Print JSON lines: one when the mock is ready, then one for each request.")
    var json = false

    @Flag(name: [.short, .long], help: "Don't print the requests.")
    var quiet = false

    func validate() throws { try ports.requireUse(with: console) }

    func run() async throws {
        let running = try await MockRun.start(options, ports.ports, console, stateFolder: try state.path)
        // From here on, Ctrl-C must clean up.
        let interrupt = Interrupt()
        let report = MockReport(running, environment: options.environment, json: json)
        let printing = Task {
            let isRead = await Self.printRequests(report, isQuiet: quiet)
            if !isRead { interrupt.request() }
            return isRead
        }
        let stopping = Task { if await running.stopWasRequested() { interrupt.request() } }
        await interrupt.wait()
        stopping.cancel()
        await running.stop()
        let mock = running.mock
        if await printing.value, !json {
            Output.note(
                "\(counted(mock.arrivalCount, "request")) on \(counted(mock.connectionCount, "connection")). Stopped."
            )
        }
    }

    /// Prints requests until the mock stops or the reader has closed the pipe.
    private static func printRequests(_ start: MockReport, isQuiet: Bool) async -> Bool {
        var report = start
        guard report.ready() else { return false }
        if isQuiet { return true }
        // With a slow reader, only the batch that is being written and the mock's log are in memory.
        var next = 1
        while let arrivals = await report.mock.arrivals(from: next, atMost: 1000), let first = arrivals.first,
            let last = arrivals.last
        {
            if first.number > next, !report.leavesOut(next...first.number - 1) { return false }
            guard report.print(arrivals) else { return false }
            next = last.number + 1
        }
        let count = report.mock.arrivalCount
        return count < next || report.leavesOut(next...count)
    }
}
