import MockAPNs
import MockConsole
import PushPlatform

/// The inbox of `pushsend try --open`: the mock's page with the push, until Ctrl-C.
struct PushInbox {
    let mock: MockServer

    /// Serves the page, opens it in a browser, and waits for Ctrl-C.
    func show(push number: Int) async throws {
        let interrupt = Interrupt()
        var configuration = ConsoleConfiguration()
        configuration.abilities = PageAbilities.all(mock.credentials)
        configuration.version = PushsendVersion.number
        configuration.mayStop = false
        let console: MockConsole
        do throws(ConsoleStartError) {
            console = try await MockConsole.start(for: mock, configuration)
        } catch {
            throw CommandFailure(status: .cannotConnect, message: error.description)
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
            let usual = "/usr/bin/open"
        #else
            let usual = "xdg-open"
        #endif
        let program = environment["BROWSER"].flatMap { $0.isEmpty ? nil : $0 } ?? usual
        guard let child = try? ChildProcess([program, address], setting: []) else { return false }
        return await child.end() == 0
    }
}
