import Foundation
import TestSupport
import Testing

/// A server of `Clients/` that treats requests as no healthy server does. It needs the mock's certificate in `workspace`.
final class PythonServer: Sendable {
    private let program: RunningProgram
    let port: Int

    private init(_ manner: String, in workspace: Workspace) async throws {
        let python = try BuiltProgram.preparedPython()
        program = try workspace.start(
            URL(filePath: python),
            [BuiltProgram.client("h2_server.py"), manner, "mock/server.pem", "mock/server-key.pem"])
        guard let line = await program.output.line(0), let port = Int(line) else {
            program.terminate()
            let ended = await program.end()
            throw RunningMock.NotReady(description: "h2_server.py ended: \(ended.errors)")
        }
        self.port = port
    }

    /// Runs one around `body`.
    static func with(
        _ manner: String, in workspace: Workspace, _ body: (PythonServer) async throws -> Void
    ) async throws {
        // Only to make the certificate.
        try await RunningMock.with(in: workspace) { _ in }
        let server = try await PythonServer(manner, in: workspace)
        do {
            try await body(server)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    /// Waits until a request has arrived.
    func request() async throws {
        _ = try #require(await program.output.line(1))
    }

    /// How many requests it has said to have got so far.
    var requestCount: Int { max(0, program.output.text.count { $0 == "\n" } - 1) }

    private func stop() async {
        program.terminate()
        _ = await program.end()
    }
}
