import Foundation
import TestSupport
import Testing

/// `scripts/setup` on machines that lack something: each says in words what is missing and how to get it.
@Suite(.takingTurns) struct SetupScriptTests {
    @Test func `with everything there it says nothing and installs nothing`() async throws {
        let ended = try await StandInMachine(["swift": Self.swift("6.2"), "pkg-config": "exit 0"]).setup()
        #expect(ended.status == 0)
        #expect(ended.output + ended.errors == "")
    }

    @Test func `without Swift it says where to get it`() async throws {
        let ended = try await StandInMachine([:]).setup()
        #expect(ended.status == 1)
        #expect(ended.errors.hasPrefix("setup: Swift is missing. Get 6.2 or newer from https://www.swift.org/install"))
    }

    @Test(arguments: [("6.1.2", "Swift 6.1.2 is too old"), ("5.10", "Swift 5.10 is too old"), ("", "unknown version")])
    func `a Swift that is too old is named`(version: String, words: String) async throws {
        let ended = try await StandInMachine(["swift": Self.swift(version)]).setup()
        #expect(ended.status == 1)
        #expect(ended.errors.contains(words), "\(ended.errors)")
        #expect(ended.errors.contains("6.2 or newer is needed"))
    }

    @Test(arguments: ["6.2", "6.10.1", "7.0"])
    func `a Swift that is new enough is taken`(version: String) async throws {
        let machine = try StandInMachine(["swift": Self.swift(version), "pkg-config": "exit 0"])
        let ended = try await machine.setup()
        #expect(ended.status == 0, "\(ended.errors)")
    }

    @Test func `without a package manager it lists what to install`() async throws {
        let ended = try await StandInMachine(["swift": Self.swift("6.2")]).setup()
        #expect(ended.status == 1)
        for words in [
            "  - pkg-config\n", "  - nghttp2 1.52 or newer (headers)\n", "  - OpenSSL 3.0 or newer (headers)\n",
            "  - libyaml 0.2 or newer (headers)\n", "  - SQLite 3.37 or newer (headers)\n",
            "neither apt-get nor Homebrew", "pkg-config libnghttp2-dev libssl-dev libyaml-dev libsqlite3-dev libpq-dev",
            "libnghttp2-devel", "nghttp2-dev",
        ] {
            #expect(ended.errors.contains(words), "\(ended.errors)")
        }
    }

    @Test(arguments: [
        (nil, "you aren't root and there is no sudo"),
        ("exit 1", "sudo needs a password, and there is no terminal"),
    ])
    func `without the right to install it gives the line for root`(sudo: String?, words: String) async throws {
        var commands = ["swift": Self.swift("6.2"), "apt-get": "touch \"$HOME/touched\"", "id": "echo 1000"]
        commands["sudo"] = sudo
        let machine = try StandInMachine(commands)
        let ended = try await machine.setup()
        #expect(ended.status == 1)
        #expect(ended.errors.contains(words), "\(ended.errors)")
        #expect(
            ended.errors.contains(
                "  apt-get update && apt-get install pkg-config libnghttp2-dev libssl-dev libyaml-dev"
                    + " libsqlite3-dev libpq-dev\n"))
        #expect(!machine.workspace.exists("home/touched"))
    }

    @Test func `an installation that fails shows its output, and what is still missing`() async throws {
        let ended = try await StandInMachine([
            "swift": Self.swift("6.2"), "id": "echo 0", "apt-get": "echo 'E: no network'; exit 100",
        ]).setup()
        #expect(ended.status == 1)
        #expect(
            ended.output
                == "Installing with apt-get: pkg-config libnghttp2-dev libssl-dev libyaml-dev libsqlite3-dev libpq-dev\n"
        )
        #expect(ended.errors.contains("    E: no network\n"), "\(ended.errors)")
        #expect(ended.errors.contains("The installation failed"))
        #expect(ended.errors.contains("  - OpenSSL 3.0 or newer (headers)\n"))
    }

    @Test func `what an installation did not bring is too old there`() async throws {
        let ended = try await StandInMachine([
            "swift": Self.swift("6.2"), "id": "echo 0", "apt-get": "exit 0",
            "pkg-config": #"[ "$2" != libnghttp2 ]"#,
        ]).setup()
        #expect(ended.status == 1)
        #expect(ended.errors.contains("still missing or too old"), "\(ended.errors)")
        #expect(ended.errors.contains("  - nghttp2 1.52 or newer (headers)\n"))
        #expect(!ended.errors.contains("OpenSSL"))
    }

    @Test func `with sudo it installs through it`() async throws {
        let machine = try StandInMachine([
            "swift": Self.swift("6.2"), "id": "echo 1000", "sudo": #"[ "$1" = -n ] && exit; "$@""#,
            "apt-get": #"echo "$@" >> "$HOME/installed""#, "pkg-config": #"[ -e "$HOME/installed" ]"#,
        ])
        let ended = try await machine.setup()
        #expect(ended.status == 0, "\(ended.errors)")
        let line = try machine.workspace.read("home/installed")
        #expect(line.contains("install --yes"))
        #expect(line.contains("libnghttp2-dev libssl-dev libyaml-dev libsqlite3-dev libpq-dev"))
    }

    @Test func `what it does not understand is refused`() async throws {
        let ended = try await StandInMachine([:]).setup("--for", "fun")
        #expect(ended.status == 1)
        #expect(ended.errors.contains("doesn't know \"--for fun\""))
    }

    private static func swift(_ version: String) -> String {
        "echo 'Swift version \(version) (swift-\(version)-RELEASE)'"
    }
}

/// A machine whose search path holds a few plain tools and the commands of a test, and nothing else.
private struct StandInMachine {
    let workspace: Workspace

    private static let tools = ["dirname", "env", "grep", "head", "mkdir", "sed", "sort", "tail", "touch"]

    /// Takes the commands by name, as scripts of `sh`.
    init(_ commands: [String: String]) throws {
        workspace = try Workspace()
        for folder in ["bin", "scripts"] {
            try FileManager.default.createDirectory(atPath: workspace.path(folder), withIntermediateDirectories: true)
        }
        for tool in Self.tools {
            let file = try #require(BuiltProgram.path(of: tool))
            try FileManager.default.createSymbolicLink(atPath: workspace.path("bin/\(tool)"), withDestinationPath: file)
        }
        for (name, script) in commands.merging(["uname": "echo Linux"], uniquingKeysWith: { own, _ in own }) {
            try workspace.write("#!/bin/sh\n\(script)\n", to: "bin/\(name)", mode: 0o700)
        }
        // A copy, so that its log is written here.
        try FileManager.default.copyItem(
            atPath: BuiltProgram.script("setup").path(), toPath: workspace.path("scripts/setup"))
    }

    func setup(_ arguments: String...) async throws -> Ended {
        let bash = try #require(BuiltProgram.path(of: "bash"))
        var tries = 0
        while true {
            tries += 1
            let program = try workspace.start(
                URL(filePath: bash), [workspace.path("scripts/setup")] + arguments,
                environment: ["PATH": workspace.path("bin")])
            let ended = await program.end()
            // A command is busy for as long as a process that another test is starting has it open for writing, too.
            if ended.status != 126 || tries == 10 { return ended }
        }
    }
}
