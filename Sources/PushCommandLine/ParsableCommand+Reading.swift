package import ArgumentParser

extension ParsableCommand {
    /// Reads a command line with this root command.
    ///
    /// - Parameter arguments: The words after the name of the program.
    /// - Returns: The command.
    /// - Throws: An error of argument-parser, or ``CommandLineSlip`` for an option whose text was forgotten.
    package static func reading(_ arguments: [String]) throws -> any ParsableCommand {
        let arguments = separatingEmptyValues(spelledOut(arguments))
        let command = try parsed(arguments)
        if mayLackText(arguments), let slip = CommandLineSlip(forgottenTextIn: arguments, of: self) { throw slip }
        return command
    }

    /// Changes `send help` and `send -help` to `send --help`, and `version` to `--version`. Where any word is expected, `help` is one.
    private static func spelledOut(_ arguments: [String]) -> [String] {
        if arguments == ["version"] { return ["--version"] }
        guard let last = arguments.last, last == "-help" || last == "help" && arguments.count > 1,
            arguments.first != "help"
        else { return arguments }
        let options = CommandOptions(of: self, for: arguments)
        guard options.words == [last], last == "-help" || !options.takesAnyWord else { return arguments }
        return options.path + ["--help"]
    }

    /// Changes `--message=` to two words: for argument-parser, an option without a value takes the next word.
    private static func separatingEmptyValues(_ arguments: [String]) -> [String] {
        guard arguments.contains(where: { $0.hasPrefix("--") && $0.hasSuffix("=") }) else { return arguments }
        let options = CommandOptions(of: self, for: arguments)
        var words = options.words
        var separated = options.path
        while let word = words.popFirst() {
            if word == "--" { return separated + [word] + words }
            if word.hasSuffix("="), let option = options.option(word.dropLast()), option.takesValue {
                separated += [String(word.dropLast()), ""]
                continue
            }
            separated.append(word)
            // A text is a text, whatever it ends with.
            if options.optionTakingNext(after: word) != nil, let value = words.popFirst() { separated.append(value) }
        }
        return separated
    }

    private static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
        // argument-parser looks at each option of a command four times if it comes to it through the tree, and twice without.
        // Whatever isn't simple, such as --help, is left to the tree.
        if let (type, words) = leaf(arguments), let command = try? type.parseAsRoot(words),
            Swift.type(of: command) == type
        {
            return command
        }
        do {
            return try parseAsRoot(arguments)
        } catch {
            // argument-parser refuses some texts wherever they are, such as "--- urgent ---", unless they are joined to their
            // option.
            guard arguments.dropFirst().contains(where: isNoOption) else { throw error }
            let joined = CommandWords(CommandOptions(of: self, for: arguments)).joined
            guard joined != arguments else { throw error }
            return try parseAsRoot(joined)
        }
    }

    /// Finds the subcommand without subcommands that the first words name, and the words after them.
    private static func leaf(_ arguments: [String]) -> (type: any ParsableCommand.Type, words: [String])? {
        let named = NamedCommand(of: self, in: arguments)
        guard named.subcommands.isEmpty, !named.path.isEmpty else { return nil }
        return (named.type, Array(named.words))
    }

    /// Whether argument-parser refuses the word even where it's a value.
    private static func isNoOption(_ word: String) -> Bool { word.hasPrefix("---") || word.hasPrefix("-=") }

    /// Whether a word that begins with a hyphen may be the text of the option before it.
    private static func mayLackText(_ arguments: [String]) -> Bool {
        zip(arguments, arguments.dropFirst()).contains { option, text in
            guard text.hasPrefix("-"), text.count > 1, option.hasPrefix("-") else { return false }
            // Several options of one letter can be one word.
            return CommandOptions.takingTexts.contains(option) || option.count > 2 && !option.hasPrefix("--")
        }
    }
}
