import Foundation
import TestSupport
import Testing

/// Whatever cannot write its result says so and ends with 74.
@Suite(.takingTurns, .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"))) struct FullDiskTests {
    /// Each prints something on standard output.
    static let commands: [[String]] = [
        [], ["--help"], ["--version"], ["help"], ["help", "send"], ["send", "--help"], ["batch", "--help"],
        ["mock", "--help"], ["mock", "ready", "--help"], ["--help-hidden"], ["--experimental-dump-help"],
        ["--generate-completion-script", "bash"], ["--generate-completion-script", "zsh"],
        ["--generate-completion-script", "fish"], ["explain"], ["explain", "--json"], ["explain", "BadDeviceToken"],
        ["explain", "410", "--json"], ["send", "--template", "list"], ["send", "-m", "x", "--save", "-"],
        ["send", RunningMock.token, "-m", "x", "--mock", "--state", "mock", "--topic", "com.example.app", "--dry-run"],
        ["send", RunningMock.token, "-m", "x", "--mock", "--state", "mock", "--topic", "com.example.app", "--as-curl"],
        ["send", RunningMock.token, "-m", "x", "--mock", "--state", "mock", "--topic", "com.example.app", "--json"],
        ["send", RunningMock.token, "-m", "x", "--mock", "--state", "mock", "--topic", "com.example.app"],
        ["jwt", "--mock", "--state", "mock"], ["jwt", "--mock", "--state", "mock", "--json"],
        ["inspect", RunningMock.token], ["inspect", RunningMock.token, "--json"], ["lint", "odd.json"],
        ["lint", "odd.json", "--json"], ["lint", "odd.json", "--format", "github"], ["lint", "--fix", "-"], ["try"],
        ["try", "--json"], ["mock", "--port", "0"], ["mock", "--port", "0", "--json"],
        ["mock", "ready", "--state", "mock"],
        ["batch", "odd.txt", "--mock", "--state", "mock", "-m", "x", "--topic", "com.example.app", "--dry-run"],
        ["batch", "odd.txt", "--mock", "--state", "mock", "-m", "x", "--topic", "com.example.app", "--json"],
        [
            "batch", "odd.txt", "--mock", "--state", "mock", "-m", "x", "--topic", "com.example.app", "--out", "other",
            "--results", "-",
        ],
    ]

    @Test func `every subcommand that cannot print ends with 74`() async throws {
        try await RunningMock.with { mock in
            try mock.workspace.write(#"{"aps":{"sound":"chime"}}"#, to: "odd.json")
            try mock.workspace.write(RunningMock.token + "\n", to: "odd.txt")
            for command in Self.commands {
                let ended = try await mock.workspace.run(
                    ["sh", "-c", #"exec "$0" "$@" > /dev/full"#, BuiltProgram.pushsend.path()] + command,
                    input: "{'aps':{'alert':'Hi'}}")
                #expect(ended.status == 74, "\(command): \(ended.errors)")
                #expect(ended.errors.contains("can't be "), "\(command): \(ended.errors)")
            }
        }
    }
}
