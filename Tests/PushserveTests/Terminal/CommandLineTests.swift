import ArgumentParser
import Testing

@testable import PushCommandLine
@testable import pushserve

/// The options and the help of every command of `pushserve`.
@Suite struct CommandLineTests {
    private static func paths(of type: any ParsableCommand.Type = Pushserve.self, _ path: [String] = []) -> [[String]] {
        [path] + type.configuration.subcommands.flatMap { paths(of: $0, path + [$0._commandName]) }
    }

    private static func help(_ path: [String]) -> String {
        var type: any ParsableCommand.Type = Pushserve.self
        for name in path { type = type.configuration.subcommands.first { $0._commandName == name } ?? type }
        return HelpText.fitted(Pushserve.helpMessage(for: type, columns: 80))
    }

    @Test(arguments: paths())
    func `no line of the help is wider than 80, and no example is broken`(path: [String]) throws {
        let lines = Self.help(path).split(separator: "\n", omittingEmptySubsequences: false)
        for line in lines { #expect(line.count <= 80, "\(line)") }
        let end = try #require(lines.firstIndex { $0.hasPrefix("USAGE:") })
        for (line, next) in zip(lines[..<end], lines[..<end].dropFirst()) where line.hasPrefix("  ") {
            #expect(next.isEmpty || next.hasPrefix("  "), "broken: \(line)")
        }
    }

    @Test(arguments: paths())
    func `a long option with one hyphen is recognised`(path: [String]) throws {
        let names = CommandOptions(of: Pushserve.self, for: path).longNames
        #expect(!names.isEmpty)
        for name in names where name != "--help" {
            let slip = try #require(CommandLineSlip(of: Pushserve.self, in: path + [String(name.dropFirst()), "X"]))
            #expect(slip.sentence.hasPrefix("Unknown option '\(name.dropFirst())'. Did you mean \(name)?"))
        }
    }

    @Test func `a text can begin with a hyphen, and a forgotten one is noticed`() throws {
        let id = "0b0e9d5c-1f5e-4a58-9c39-3c1c2d3f7a10"
        let bury = try #require(
            try Pushserve.reading(["queue", "bury", id, "--reason", "--- wrong ---"]) as? BuryCommand)
        #expect(bury.reason == "--- wrong ---")
        #expect(throws: CommandLineSlip.self) { try Pushserve.reading(["queue", "bury", id, "--reason", "--json"]) }
    }

    @Test func `the options that take any text are known`() {
        let found = Set(
            Self.paths().flatMap { path in
                let options = CommandOptions(of: Pushserve.self, for: path)
                return options.longNames.filter { options.option($0)?.takesText == true }
            })
        #expect(found == ["--name", "--reason"] && found.isSubset(of: CommandOptions.takingTexts))
    }

    @Test(arguments: [
        (["queue", "list", "--limit", "-1"], "--limit can't be \"-1\": the value must not be negative."),
        (["queue", "list", "--limit", "1e3"], "--limit takes a whole number, not \"1e3\"."),
        (["queue", "list", "--state", "nope"], "--state can't be \"nope\": use waiting, "),
        (["queue", "retry", "--ttl", "x"], "--ttl takes a number with its unit, such as 30m or 2h, not \"x\"."),
        (["queue", "retry", "--ttl", "0s"], "--ttl can't be \"0s\". It must be longer than 0."),
        (["queue", "retry", "--ttl", "3600"], "--ttl can't be \"3600\". For seconds, write \"3600s\"."),
        (["queue", "status", "--database", "x"], "There is no subcommand \"status\". Did you mean stats?"),
        (["key", "lst", "--json"], "There is no subcommand \"lst\". Did you mean list?"),
    ])
    func `a value that an option cannot take, and a mistyped subcommand, get the words of pushsend`(
        line: [String], words: String
    ) {
        do {
            _ = try Pushserve.reading(line)
            Issue.record("\(line) is taken")
        } catch {
            #expect(CommandFailure.ofParsing(error, in: line)?.message.hasPrefix(words) == true, "\(error)")
        }
    }

    @Test func `the exit codes come after the subcommands`() throws {
        let help = HelpText.adding("EXIT CODES", ExitCodes.rows, to: Self.help([]))
        #expect(help.contains("EXIT CODES:\n  0                       success\n"))
        #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test(arguments: [
        (
            ["help", "frobnicate"],
            "There is no subcommand \"frobnicate\". The subcommands are run, check, queue, key, inbox."
        ),
        (["help", "queue", "redrive"], "There is no subcommand \"redrive\". Did you mean retry?"),
    ])
    func `an unknown subcommand after help is named`(line: [String], sentence: String) throws {
        let (word, path, names) = try #require(SubcommandAdvice.unknownHelp(line, of: Pushserve.self))
        let advice = SubcommandAdvice.sentence(for: word, after: path, of: names, others: CommandFailure.otherNames)
        #expect(advice == sentence)
    }
}
