import APNSVocabulary
import ArgumentParser
import PushJSON

/// The options of the command that a command line names, from argument-parser's own description of them.
///
/// The description takes milliseconds to make, so it's only made when a command line may contain a mistake.
struct CommandOptions {
    struct Option {
        /// The names, with their hyphens.
        var names: [String]
        var takesValue: Bool
        /// Whether the value is a text that may begin with a hyphen.
        var takesText: Bool
        /// Whether the help shows the option. A hidden one only exists to be refused with advice.
        var isShown: Bool

        /// The name of two hyphens, which accepts a value after an equals sign.
        var longName: String? { names.first { $0.hasPrefix("--") } }
    }

    /// The options of both programs that take any word as their text, also one that begins with a hyphen. Asking the commands for them
    /// would take as long as a push.
    static let takingTexts: Set = [
        "-d", "-m", "-s", "-t", "-y", "--category", "--collapse-id", "--data", "--data-json", "--identity", "--message",
        "--name", "--payload", "--reason", "--sound", "--subtitle", "--then", "--thread-id", "--title",
        "--token-column",
    ]

    /// The subcommands, such as `mock` and `fault`.
    let path: [String]
    let words: ArraySlice<String>
    private let options: [Option]
    /// Whether a word after the options can be any word, as in a search.
    let takesAnyWord: Bool

    init(of root: any ParsableCommand.Type, for arguments: [String]) {
        let named = NamedCommand(of: root, in: arguments)
        (path, words) = (named.path, named.words)
        let command = named.type.configuration.defaultSubcommand ?? named.type
        // Of this command only: the description of all takes ten times as long. A group has no options of its own.
        let isGroup = !command.configuration.subcommands.isEmpty
        let description = isGroup ? nil : PushJSONValue(json: Array(command._dumpHelp().utf8))?["command"]
        let arguments = description?.elements("arguments") ?? []
        takesAnyWord = arguments.contains { $0["valueName"] == "search" }
        let shared = [["--help", "-h"], ["--version"]].map {
            Option(names: $0, takesValue: false, takesText: false, isShown: true)
        }
        options = arguments.compactMap(Option.init) + shared
    }

    func option(_ name: some StringProtocol) -> Option? { options.first { $0.names.contains(String(name)) } }

    /// The names with two hyphens that the help shows.
    var longNames: [String] { options.filter(\.isShown).flatMap(\.names).filter { $0.hasPrefix("--") } }

    func advice(of root: any ParsableCommand.Type) -> String {
        "See '\(([root._commandName] + path).joined(separator: " ")) --help' for more information."
    }

    /// Returns the option whose value is the word after this one; `nil` if there is none.
    func optionTakingNext(after word: String) -> Option? {
        if let option = option(word) { return option.takesValue ? option : nil }
        // Several options of one letter in one word: the last one takes the value.
        let letters = word.dropFirst()
        guard word.hasPrefix("-"), letters.count > 1, letters.allSatisfy({ option("-\($0)") != nil }),
            let last = letters.last, let option = option("-\(last)")
        else { return nil }
        return option.takesValue ? option : nil
    }
}

/// The command that the first words of a command line name.
struct NamedCommand {
    private(set) var type: any ParsableCommand.Type
    /// The subcommands that lead to it.
    private(set) var path: [String] = []
    /// The words after them.
    private(set) var words: ArraySlice<String>

    init(of root: any ParsableCommand.Type, in arguments: some Sequence<String>) {
        (type, words) = (root, Array(arguments)[...])
        while let name = words.first,
            let next = type.configuration.subcommands.first(where: { $0._commandName == name })
        {
            type = next
            path.append(name)
            words.removeFirst()
        }
    }

    var subcommands: [String] { type.configuration.subcommands.map { $0._commandName } }
}

extension CommandOptions.Option {
    fileprivate init?(_ argument: PushJSONValue) {
        guard argument["kind"] != "positional" else { return nil }
        names = argument.elements("names").compactMap { name in
            guard case .string(let text)? = name["name"] else { return nil }
            return (name["kind"] == "long" ? "--" : "-") + text
        }
        takesValue = argument["kind"] == "option"
        takesText = argument["parsingStrategy"] == "unconditional"
        isShown = argument["shouldDisplay"] == true
    }
}

extension PushJSONValue {
    fileprivate func elements(_ key: String) -> [PushJSONValue] {
        guard case .array(let elements)? = self[key] else { return [] }
        return elements
    }
}
