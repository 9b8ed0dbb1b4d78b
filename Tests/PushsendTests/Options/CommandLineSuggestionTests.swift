import TestSupport
import Testing

@testable import pushsend

/// What is said to flags of other tools, and to slips.
@Suite struct CommandLineSuggestionTests {
    @Test(arguments: [
        ("--body", "send", "-m, --message"), ("--body", "try", "-m, --message"),
        ("--production", "batch", "-e production"),
        ("--sandbox", "mock", "-e sandbox"), ("--silent", "send", "--content-available"),
        ("--bundle-id", "lint", "--topic"), ("--ttl", "send", "--expires"), ("--p8", "jwt", "--key"),
        ("--team", "jwt", "--team-id"), ("--certificate", "send", "--cert"),
    ])
    func `a flag of another tool has its name here`(flag: String, command: String, ours: String) throws {
        let sentence = try #require(CommandLineSuggestion.sentence(forFlag: flag, of: command))
        #expect(sentence.hasPrefix("Did you mean \(ours)"), "\(sentence)")
        #expect(sentence.hasSuffix("?"))
    }

    @Test(arguments: [
        ("--collapse-id", "no collapse id"), ("--push-type", "liveactivity"), ("--apns-id", "--request-id"),
    ])
    func `a flag that a broadcast lacks says why`(flag: String, words: String) {
        #expect(CommandLineSuggestion.sentence(forFlag: flag, of: "channel")?.contains(words) == true)
    }

    @Test(arguments: [("--production", "lint"), ("--body", "jwt"), ("--token", "jwt"), ("--strange", "send")])
    func `a flag that a subcommand has nothing like is not guessed`(flag: String, command: String) {
        #expect(CommandLineSuggestion.sentence(forFlag: flag, of: command) == nil)
    }

    @Test func `device tokens have no flag, and before a subcommand nothing has`() {
        #expect(CommandLineSuggestion.sentence(forFlag: "--token", of: "send")?.contains("pushsend send TOKEN") == true)
        #expect(CommandLineSuggestion.sentence(forFlag: "--token", of: "batch")?.contains("the input") == true)
        #expect(CommandLineSuggestion.sentence(forFlag: "--body", of: nil)?.contains("after a subcommand") == true)
    }

    @Test(arguments: [("3600", "3600s"), ("2026", "2026s"), ("31622400", "31622400s")])
    func `a bare number of --expires is what Apple or a person means by it`(value: String, meant: String) {
        #expect(CommandLineSuggestion.sentence(forExpires: value)?.hasPrefix("Did you mean \(meant)?") == true)
        #expect(CommandLineSuggestion.sentence(forExpires: "1763900000000")?.contains("milliseconds") == true)
        for taken in ["soon", "-5", "0", "1763900000"] {
            #expect(CommandLineSuggestion.sentence(forExpires: taken) == nil)
        }
    }

    @Test func `a part of a second and a number that is no time are no expiration`() {
        #expect(CommandLineSuggestion.sentence(forExpires: "0.5")?.hasPrefix("Did you mean once?") == true)
        #expect(CommandLineSuggestion.sentence(forExpires: "1.5")?.hasPrefix("Did you mean 1.5s?") == true)
        for tooFar in ["1000000000000000000", "253402300799"] {
            #expect(CommandLineSuggestion.sentence(forExpires: tooFar)?.contains("at most 30 days") == true)
        }
        #expect(CommandLineSuggestion.sentence(forExpires: "1795330800.5") == nil)
    }

    private let names = ["send", "batch", "lint", "jwt", "inspect", "explain", "mock", "try"]

    @Test(arguments: [
        ("sned", "send"), ("mcok", "mock"), ("Lint", "lint"), ("insp", "inspect"), ("token", "jwt"), ("push", "send"),
        ("bacth", "batch"),
    ])
    func `a slip in a subcommand is understood`(word: String, meant: String) {
        let sentence = CommandLineSuggestion.sentence(forSubcommand: word, after: ["pushsend"], of: names)
        #expect(sentence == "There is no subcommand \"\(word)\". Did you mean \(meant)?")
    }

    @Test func `what is like no subcommand gets all of them, and a device token its place`() {
        #expect(
            CommandLineSuggestion.sentence(forSubcommand: "xyz", after: ["pushsend"], of: names).hasSuffix(
                "The subcommands are send, batch, lint, jwt, inspect, explain, mock, try."))
        #expect(
            CommandLineSuggestion.sentence(forSubcommand: "xyz", after: ["pushsend"], of: ["ready"]).hasSuffix(
                "The only one is ready."))
        let token = "5f3ad1c07b9e42865f3ad1c07b9e4286"
        let sentence = CommandLineSuggestion.sentence(forSubcommand: token, after: ["pushsend"], of: names)
        #expect(sentence.contains("pushsend send TOKEN") && !sentence.contains(token))
        #expect(
            !CommandLineSuggestion.sentence(forSubcommand: "a\u{1B}[2J\u{202E}", after: ["pushsend"], of: names)
                .contains("\u{1B}"))
    }

    @Test(arguments: [
        (["mock"], "version", ["run", "list"], "Did you mean pushsend --version?"),
        (["profile"], "use", ["add", "list"], "Did you mean pushsend profile add NAME --update --default?"),
        (["profile"], "delete", ["add", "remove"], "Did you mean remove?"),
        (["channel"], "rm", ["create", "delete"], "Did you mean delete?"),
    ])
    func `a word of other tools leads to the command that does it`(
        path: [String], word: String, names: [String], meant: String
    ) {
        let sentence = CommandLineSuggestion.sentence(forSubcommand: word, after: ["pushsend"] + path, of: names)
        #expect(sentence == "There is no subcommand \"\(word)\". \(meant)")
    }
}
