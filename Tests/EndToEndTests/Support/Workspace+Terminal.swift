import Foundation
import TestSupport
import Testing

/// What the terminal shows, and what is typed then.
typealias TerminalStep = (wait: String, type: String)

extension Workspace {
    /// Runs `pushsend` on a terminal, where somebody answers; the result's output is all that the terminal showed.
    func terminal(
        _ arguments: [String], _ steps: [TerminalStep], environment: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Ended {
        try await terminal(
            command: [BuiltProgram.pushsend.path()] + arguments, steps, environment: environment,
            sourceLocation: sourceLocation)
    }

    /// Runs any command there.
    func terminal(
        command: [String], _ steps: [TerminalStep], environment: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Ended {
        let input = try JSONEncoder().encode(steps.map { [$0.wait, $0.type] })
        let ended = try await start(
            URL(filePath: "/usr/bin/env"),
            ["python3", BuiltProgram.client("terminal.py")] + command,
            environment: environment, input: String(decoding: input, as: UTF8.self)
        ).end()
        #expect(!ended.wasTooSlow, "pushsend did not end in time", sourceLocation: sourceLocation)
        #expect(ended.errors == "", "\(ended.output)", sourceLocation: sourceLocation)
        #expect(secrets(in: ended).isEmpty, sourceLocation: sourceLocation)
        return ended
    }
}
