import TestSupport
import Testing

@Suite(.takingTurns) struct HelpTests {
    @Test(arguments: [
        "send", "channel", "profile", "doctor", "verify", "delivery", "jwt", "inspect", "explain", "mock", "try",
    ])
    func `the help of each command has an example that is on lines of its own`(command: String) async throws {
        let workspace = try Workspace()
        let ended = try await workspace.pushsend(command, "--help")
        #expect(ended.status == 0)
        #expect(ended.errors == "")
        #expect(ended.output.contains("Example:\n  pushsend \(command)"))
        #expect(try await workspace.pushsend("help", command).output == ended.output)
    }

    /// What the help renders is broken at 80 columns: a sentence that was broken before would look ragged.
    @Test(arguments: [
        [], ["send"], ["channel"], ["profile"], ["doctor"], ["verify"], ["delivery"], ["jwt"], ["inspect"], ["explain"],
        ["mock"],
        ["try"],
    ])
    func `the text of the help has no line that ends after a word or two`(command: [String]) async throws {
        let ended = try await Workspace().pushsend(command + ["--help"])
        let text = ended.output.prefix(upTo: try #require(ended.output.firstRange(of: "USAGE:")).lowerBound)
        let paragraphs = String(text).split(separator: "\n\n").dropFirst()
        for paragraph in paragraphs {
            let lines = paragraph.split(separator: "\n").filter { !$0.hasPrefix(" ") }
            for line in lines.dropLast() where !line.hasSuffix(":") {
                #expect(line.count > 55, "\(paragraph)")
            }
        }
    }

    @Test(arguments: ["send", "batch"])
    func `what most need comes before everything else, and exists`(command: String) async throws {
        let help = try await Workspace().pushsend(command, "--help").output
        let start = try #require(help.firstRange(of: "need")?.upperBound)
        let end = try #require(help[start...].firstRange(of: "\n\n")?.lowerBound)
        let all = help[try #require(help.firstRange(of: "USAGE:")).lowerBound...]
        let names = help[start..<end].split(separator: "\n").map { $0.dropFirst(2).prefix(20) }
        let flags = names.flatMap { $0.split { " ,".contains($0) } }.filter { $0.hasPrefix("-") }
        #expect(flags.count > 5)
        for flag in flags { #expect(all.contains("\(flag) ") || all.contains("\(flag),"), "\(flag)") }
    }

    @Test func `jwt --mock is said to take a key, and examples have no gaps`() async throws {
        let workspace = try Workspace()
        #expect(
            try await workspace.pushsend("jwt", "--help").output.contains("Use the key of a running \"pushsend mock\""))
        for command in [
            "send", "batch", "channel", "profile", "doctor", "verify", "delivery", "lint", "jwt", "inspect", "explain",
            "mock",
            "try",
        ] {
            let examples = try await workspace.pushsend(command, "--help").output.split(separator: "\n")
                .filter { $0.hasPrefix("  pushsend ") }
            #expect(!examples.isEmpty)
            for example in examples { #expect(!example.contains("..."), "\(example)") }
        }
    }

    @Test func `without a command the help is shown, with the exit codes`() async throws {
        let ended = try await Workspace().pushsend()
        #expect(ended.status == 0)
        for code in ["0", "1", "64", "65", "66", "69", "70", "73", "75", "76", "77", "130"] {
            #expect(ended.output.contains("  \(code) "))
        }
    }

    @Test func `--version is one line with a number, and the commit if the build knew it`() async throws {
        let ended = try await Workspace().pushsend("--version")
        #expect(try await Workspace().pushsend("version").output == ended.output)
        #expect(ended.status == 0)
        #expect(ended.output.wholeMatch(of: /\d+\.\d+\.\d+( \([0-9a-f]{10}\+?\))?\n/) != nil)
    }
}
