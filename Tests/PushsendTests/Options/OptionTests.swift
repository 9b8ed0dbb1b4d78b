import ArgumentParser
import TestSupport
import Testing

@testable import PushCommandLine
@testable import PushJSON
@testable import pushsend

/// Every option of every command, as argument-parser knows them.
@Suite struct OptionTests {
    struct Case: Sendable, CustomStringConvertible {
        var command: [String]
        var names: [String]
        var takesValue: Bool
        var takesText: Bool
        var isShown: Bool
        var description: String { (command + names).joined(separator: " ") }
    }

    static let all: [Case] = {
        guard let root = PushJSONValue(json: Array(Pushsend._dumpHelp().utf8))?["command"] else { return [] }
        return cases(root, [])
    }()

    private static func cases(_ command: PushJSONValue, _ path: [String]) -> [Case] {
        let own = command.list("arguments").filter { $0["kind"] != "positional" }.map { argument in
            Case(
                command: path,
                names: argument.list("names").compactMap { name in
                    guard case .string(let text)? = name["name"] else { return nil }
                    return (name["kind"] == "short" ? "-" : "--") + text
                },
                takesValue: argument["kind"] == "option", takesText: argument["parsingStrategy"] == "unconditional",
                isShown: argument["shouldDisplay"] == true)
        }
        return own
            + command.list("subcommands").flatMap { subcommand -> [Case] in
                guard case .string(let name)? = subcommand["commandName"], name != "help" else { return [] }
                return cases(subcommand, path + [name])
            }
    }

    private static let long = all.filter { $0.isShown && $0.names.contains { $0.hasPrefix("--") && $0 != "--help" } }
    private static let texts = all.filter(\.takesText)

    /// Each option once, in the first command that has it. Without optimisation, argument-parser takes half a second to describe all
    /// commands.
    private static func once(_ cases: [Case]) -> [Case] {
        var seen: Set<[String]> = []
        return cases.filter { seen.insert($0.names).inserted }
    }

    @Test func `there are options to try, and the free texts are among them`() {
        #expect(Self.long.count > 200)
        #expect(CommandOptions.takingTexts.isSuperset(of: Self.texts.flatMap(\.names)))
        for name in ["--message", "--title", "--subtitle", "--data", "--data-json", "--payload", "--collapse-id"] {
            #expect(Self.texts.contains { $0.command == ["send"] && $0.names.contains(name) }, "\(name)")
        }
    }

    @Test(arguments: once(long))
    func `a long option with one hyphen is recognised`(option: Case) throws {
        for name in option.names where name.hasPrefix("--") {
            let words = option.command + [String(name.dropFirst())] + (option.takesValue ? ["X"] : [])
            let slip = try #require(CommandLineSlip(of: Pushsend.self, in: words), "\(words)")
            #expect(
                slip.sentence.hasPrefix("Unknown option '\(name.dropFirst())'. Did you mean \(name)? See 'pushsend"))
        }
    }

    @Test(arguments: [
        ("-mHello", "-m needs a space before its value. Did you mean -m Hello?"),
        ("-tHello you", "-t needs a space before its value. Did you mean -t 'Hello you'?"),
        ("-b5", "-b needs a space before its value. Did you mean -b 5?"),
        ("-dkey=value", "-d needs a space before its value. Did you mean -d 'key=value'?"),
        ("-esandbox", "-e needs a space before its value. Did you mean -e sandbox?"),
        ("-topci", "Unknown option '-topci'. Did you mean --topic?"),
    ])
    func `a value after an option of one letter needs a space`(word: String, sentence: String) throws {
        let slip = try #require(CommandLineSlip(of: Pushsend.self, in: ["send", "5f3a", word]))
        #expect(slip.sentence.hasPrefix(sentence), "\(slip.sentence)")
        // An option without a value, and a passphrase.
        for other in ["-vx", "-psecret"] {
            #expect(CommandLineSlip(of: Pushsend.self, in: ["send", "5f3a", other]) == nil)
        }
    }

    @Test(arguments: once(texts))
    func `a forgotten text is noticed, and its own name can be a text`(option: Case) throws {
        for name in option.names {
            let slip = try #require(CommandLineSlip(of: Pushsend.self, in: option.command + [name, "--version"]))
            let own = try #require(option.names.first { $0.hasPrefix("--") })
            #expect(slip.sentence.hasPrefix("\(name) has no text: the next word is the option --version."))
            #expect(slip.sentence.contains("write \(own)=--version."))
            #expect(CommandLineSlip(of: Pushsend.self, in: option.command + [name, own]) == nil)
        }
    }

    @Test(arguments: [
        "-5°C tonight", "- milk", "--- urgent ---", "---", "-= sale =-", "--message", "--new: it's here", "-x",
    ])
    func `a text can begin with a hyphen`(text: String) throws {
        for name in ["-m", "--message"] {
            let send = try #require(try Pushsend.reading(["send", "5f3a", name, text, "--mock"]) as? SendCommand)
            #expect(send.payloadOptions.message == text)
            #expect(send.tokens == ["5f3a"] && send.signerOptions.mock)
        }
        let several = ["send", "-vm", text, "5f3a", "-d", "a=-1", "-d", "-b=2"]
        let send = try #require(try Pushsend.reading(several) as? SendCommand)
        #expect(send.payloadOptions.message == text && send.how.verbose)
        #expect(send.payloadOptions.data == ["a=-1", "-b=2"])
    }

    @Test func `an option in the place of a text is refused, although argument-parser accepts it`() {
        #expect(throws: CommandLineSlip.self) { try Pushsend.reading(["send", "-m", "--topic", "5f3a"]) }
        #expect(throws: CommandLineSlip.self) {
            try Pushsend.reading(["send", "5f3a", "-m", "--topic=com.example.app"])
        }
        #expect(throws: Never.self) { try Pushsend.reading(["send", "5f3a", "--message=--topic", "--mock", "--json"]) }
    }

    @Test func `an empty value after an equals sign is empty, and takes no other word`() throws {
        let words = ["send", "--collapse-id=", "--title=", "5f3a", "-m", "x", "--", "--topic="]
        let send = try #require(try Pushsend.reading(words) as? SendCommand)
        #expect(send.headers.collapseID == "" && send.payloadOptions.title == "")
        #expect(send.tokens == ["5f3a", "--topic="])
        let text = try #require(try Pushsend.reading(["send", "5f3a", "-m", "--x="]) as? SendCommand)
        #expect(text.payloadOptions.message == "--x=" && text.payloadOptions.title == nil)
    }

    @Test(arguments: [
        ["send", "5f3a"], ["send", "5f3a", "--message", "Hello"], ["jwt", "--mock"], ["mock", "list", "help"],
    ])
    func `a command is the same as the tree of commands reads it`(line: [String]) throws {
        let short = String(describing: try Pushsend.reading(line))
        #expect(short == String(describing: try Pushsend.parseAsRoot(line)))
    }

    @Test func `the page about commands has each option of send`() throws {
        let page = try Page.text("docs/commands.md")
        let names = Set(page.matches(of: /--?[a-z][a-z0-9-]*/).map { String($0.output) })
        let options = Self.all.filter { $0.command == ["send"] && $0.isShown }.flatMap(\.names)
        #expect(Set(options).subtracting(names).subtracting(["--version", "--help", "-h"]) == [])
    }
}

/// The help of every command, on 80 columns.
@Suite struct HelpFormTests {
    static let paths = Set(OptionTests.all.map(\.command)).sorted { $0.joined() < $1.joined() }

    static func help(_ path: [String]) -> String {
        var type: any ParsableCommand.Type = Pushsend.self
        for name in path {
            type = type.configuration.subcommands.first { $0._commandName == name } ?? type
        }
        return HelpText.fitted(Pushsend.helpMessage(for: type, columns: 80))
    }

    @Test(arguments: paths)
    func `no line is wider than 80, no example is broken, and no default stands twice`(path: [String]) throws {
        let lines = Self.help(path).split(separator: "\n", omittingEmptySubsequences: false)
        for line in lines { #expect(line.count <= 80, "\(line)") }
        let end = try #require(lines.firstIndex { $0.hasPrefix("USAGE:") })
        for (line, next) in zip(lines[..<end], lines[..<end].dropFirst()) where line.hasPrefix("  ") {
            #expect(next.isEmpty || next.hasPrefix("  "), "broken: \(line)")
        }
        var options: [String] = []
        for line in lines[end...] {
            if line.hasPrefix("  -") || options.isEmpty { options.append("") }
            options[options.count - 1] += " " + line
        }
        for option in options { #expect(option.lowercased().split(separator: "default:").count <= 2, "\(option)") }
    }

    @Test func `the exit codes come after the subcommands`() throws {
        let help = HelpText.adding("EXIT CODES", Explanation.exitCodeRows, to: Self.help([]))
        let subcommands = try #require(help.firstRange(of: "SUBCOMMANDS:"))
        let codes = try #require(help.firstRange(of: "EXIT CODES:\n  0                       accepted, or done\n"))
        #expect(subcommands.upperBound < codes.lowerBound)
        #expect(help.hasSuffix("  See 'pushsend help <subcommand>' for detailed help."))
    }

    @Test func `mock exec speaks of free ports, not of the usual ones`() {
        let help = Self.help(["mock", "exec"])
        #expect(!help.contains("2197") && !help.contains("2198") && help.contains("any free port."))
        #expect(Self.help(["mock", "run"]).contains("2198"))
    }

    @Test func `--trust-key needs --key-id only for a file whose name lacks the id`() {
        let help = Self.help(["mock", "run"]).replacing(/\s+/, with: " ")
        #expect(help.contains("Needs --team-id; and --key-id, unless the file is named AuthKey_<id>.p8."))
    }

    @Test func `notes are broken between words, commands are not`() {
        let text = "The key is shown at developer.apple.com, once.\n  pushsend send phone --topic com.example.app"
        #expect(
            WordWrap.fitted(text, width: 24)
                == "The key is shown at\ndeveloper.apple.com,\nonce.\n  pushsend send phone --topic com.example.app")
    }
}

extension PushJSONValue {
    fileprivate func list(_ key: String) -> [PushJSONValue] {
        guard case .array(let elements)? = self[key] else { return [] }
        return elements
    }
}
