import Foundation
import TestSupport
import Testing

/// An HTTP proxy that shares no line with ours, `Clients/connect_proxy.py`.
final class PythonProxy: Sendable {
    private let program: RunningProgram
    let port: Int

    private init(_ flags: [String], in workspace: Workspace) async throws {
        let python = try BuiltProgram.preparedPython()
        program = try workspace.start(URL(filePath: python), [BuiltProgram.client("connect_proxy.py")] + flags)
        guard let line = await program.output.line(0), let port = Int(line) else {
            program.terminate()
            let ended = await program.end()
            throw RunningMock.NotReady(description: "connect_proxy.py ended: \(ended.errors)")
        }
        self.port = port
    }

    /// Runs one around `body`.
    ///
    /// - Returns: What it was asked to connect to.
    @discardableResult
    static func with(
        _ flags: String..., in workspace: Workspace, _ body: (PythonProxy) async throws -> Void
    ) async throws -> [String] {
        let proxy = try await PythonProxy(flags, in: workspace)
        do {
            try await body(proxy)
        } catch {
            _ = await proxy.stop()
            throw error
        }
        return await proxy.stop().output.split(separator: "\n").dropFirst().map(String.init)
    }

    private func stop() async -> Ended {
        program.terminate()
        return await program.end()
    }
}
