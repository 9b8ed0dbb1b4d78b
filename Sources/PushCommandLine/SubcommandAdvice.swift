import APNSVocabulary
package import ArgumentParser

package enum SubcommandAdvice {
    /// Suggests what may be meant.
    ///
    /// - Parameters:
    ///   - text: The word as written.
    ///   - path: The commands before it, such as `pushsend mock`.
    ///   - names: The existing subcommands.
    ///   - others: For a word of other tools, what may be meant: a subcommand, possibly with options.
    /// - Returns: One or two sentences.
    package static func sentence(
        for text: String, after path: [String], of names: [String], others: [String: [String]]
    ) -> String {
        let start = "There is no subcommand \"\(SecretText.shown(text))\"."
        let word = text.lowercased()
        if ["version", "-v", "--version"].contains(word), let program = path.first {
            return "\(start) Did you mean \(program) --version?"
        }
        let meant = others[word]?.first { names.contains(String($0.prefix { $0 != " " })) }
        if let meant, meant.contains(" ") {
            return "\(start) Did you mean \(([path.joined(separator: " "), meant]).joined(separator: " "))?"
        }
        if let name = meant ?? NearestName.nearest(to: word, of: names + ["help"]) {
            return "\(start) Did you mean \(name)?"
        }
        return names.count == 1
            ? "\(start) The only one is \(names[0])." : "\(start) The subcommands are \(names.joined(separator: ", "))."
    }

    /// Returns the names of the subcommands of a command.
    ///
    /// - Parameters:
    ///   - root: The root command.
    ///   - path: The subcommands that lead to the command.
    /// - Returns: `nil` if there is no such command, or it has no subcommands.
    package static func names(of root: any ParsableCommand.Type, _ path: some Sequence<String>) -> [String]? {
        let named = NamedCommand(of: root, in: path)
        return named.words.isEmpty && !named.subcommands.isEmpty ? named.subcommands : nil
    }

    /// A word where a subcommand belongs, the commands before it, and the subcommands that it could be.
    package typealias Unknown = (word: String, path: [String], names: [String])

    /// Finds an unknown subcommand after `help`, as in `pushsend help sned`. argument-parser would show the general help.
    ///
    /// - Parameters:
    ///   - arguments: The words after the name of the program.
    ///   - root: The root command.
    /// - Returns: `nil` if there is none.
    package static func unknownHelp(_ arguments: [String], of root: any ParsableCommand.Type) -> Unknown? {
        guard arguments.first == "help" else { return nil }
        return unknown(in: arguments.dropFirst().filter { !$0.hasPrefix("-") && $0 != "help" }, of: root)
    }

    /// Finds an unknown subcommand before options, as in `pushserve queue status --json`. argument-parser only complains about the first option.
    ///
    /// - Parameters:
    ///   - problem: What argument-parser says.
    ///   - arguments: The words after the name of the program.
    ///   - root: The root command.
    /// - Returns: `nil` if there is none.
    package static func unknown(
        before problem: String, in arguments: [String], of root: any ParsableCommand.Type
    ) -> Unknown? {
        guard problem.hasPrefix("Unknown option"), arguments.first != "help" else { return nil }
        return unknown(in: arguments.prefix { !$0.hasPrefix("-") }, of: root)
    }

    private static func unknown(in words: some Sequence<String>, of root: any ParsableCommand.Type) -> Unknown? {
        let named = NamedCommand(of: root, in: words)
        guard let word = named.words.first, !named.subcommands.isEmpty else { return nil }
        return (word, [root._commandName] + named.path, named.subcommands)
    }
}
