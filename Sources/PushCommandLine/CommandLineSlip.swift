internal import APNSVocabulary
package import ArgumentParser
package import PushPlatform

/// A mistake in a command line that argument-parser reads as something else.
package struct CommandLineSlip: Error, Equatable {
    package let sentence: String

    /// Finds a long option with one hyphen, as in `-topic X`, and an option whose text was forgotten, as in `-m --topic X`. It's `nil` if
    /// there is no such mistake.
    ///
    /// - Parameters:
    ///   - root: The root command.
    ///   - arguments: The words after the name of the program.
    ///   - foreign: Returns the sentence for an option of another tool, which is written with two hyphens, in a command.
    package init?(
        of root: any ParsableCommand.Type, in arguments: [String],
        foreign: (_ option: String, _ command: String?) -> String? = { _, _ in nil }
    ) {
        guard arguments.first?.hasPrefix(Self.completion) != true else { return nil }
        let options = CommandOptions(of: root, for: arguments)
        let words = CommandWords(options)
        let sentence =
            words.forgottenText ?? words.unknown.compactMap { Self.sentence(for: $0, options, foreign) }.first
        guard let sentence else { return nil }
        self.sentence = "\(sentence) \(options.advice(of: root))"
    }

    /// Finds only an option whose text was forgotten, in a command line that argument-parser accepts.
    init?(forgottenTextIn arguments: [String], of root: any ParsableCommand.Type) {
        let options = CommandOptions(of: root, for: arguments)
        guard let sentence = CommandWords(options).forgottenText else { return nil }
        self.sentence = "\(sentence) \(options.advice(of: root))"
    }

    /// The sentences about the first option with two hyphens that the command does not have. argument-parser says first what is missing for
    /// it. `nil` if there is none.
    package static func unknownOption(of root: any ParsableCommand.Type, in arguments: [String]) -> String? {
        guard let word = CommandWords(CommandOptions(of: root, for: arguments)).unknownLong else { return nil }
        return unknownOption(in: "Unknown option '\(word.prefix { $0 != "=" })'", of: root, arguments)
    }

    /// The sentences about an option that the command does not have.
    ///
    /// - Parameters:
    ///   - problem: The message of argument-parser. Its own suggestions are far off: `--key` for `--hlep`.
    ///   - root: The root command.
    ///   - arguments: The words after the name of the program.
    /// - Returns: `nil` if the message is about something else.
    package static func unknownOption(
        in problem: String, of root: any ParsableCommand.Type, _ arguments: [String]
    ) -> String? {
        guard let word = problem.firstMatch(of: /^Unknown option '([^']*)'/)?.output.1 else { return nil }
        let options = CommandOptions(of: root, for: arguments)
        let unknown = "Unknown option '\(SecretText.shown(String(word)))'."
        let letters = word.dropFirst().map { "-\($0)" }
        // argument-parser takes options of one letter together only if none has a value.
        if !word.hasPrefix("--"), letters.count > 1, letters.allSatisfy({ options.option($0) != nil }) {
            return "\(unknown) Write each option with its value: \(letters.joined(separator: " … ")) …."
        }
        guard word.hasPrefix("--"), let near = NearestName.misspelt(String(word), of: options.longNames) else {
            return unknown
        }
        return "\(unknown) Did you mean \(near)?"
    }

    /// The first word with which a shell asks for completions.
    private static let completion = "---completion"

    private static func sentence(
        for word: String, _ options: CommandOptions, _ foreign: (String, String?) -> String?
    ) -> String? {
        let name = String(word.dropFirst().prefix { $0 != "=" })
        // `-help` shows the help. A hidden option has advice of its own, without its value.
        guard name.count > 1, name.first?.isLetter == true, name != "help",
            options.option("--\(name)")?.isShown != false
        else { return nil }
        let unknown = "Unknown option '-\(name)'."
        if options.option("--\(name)") != nil { return "\(unknown) Did you mean --\(name)?" }
        if let sentence = foreign("--\(name)", options.path.first) { return "\(unknown) \(sentence)" }
        // A passphrase can follow -p without a space, and must not be shown.
        guard name.lowercased().first != "p" else { return nil }
        let attached = attachedValue(word, options)
        // With another first letter it's rather a value: `-dkey=value`.
        if name.count >= shortestGuess, let meant = NearestName.misspelt(name, of: options.longNames),
            attached == nil || meant.hasPrefix("--\(name.prefix(1))")
        {
            return "\(unknown) Did you mean \(meant)?"
        }
        return attached
    }

    /// The sentence for a value that follows an option of one letter without a space, as in `-mHello`. It isn't taken for the value: a
    /// misspelt `-topci` would become a title.
    private static func attachedValue(_ word: String, _ options: CommandOptions) -> String? {
        let option = word.prefix(2)
        guard options.option(option)?.takesValue == true else { return nil }
        let value = ShellWord.quoted(SecretText.shown(String(word.dropFirst(2))))
        return "\(option) needs a space before its value. Did you mean \(option) \(value)?"
    }

    /// The least number of letters of a misspelt name. A shorter word is rather several options of one letter.
    private static let shortestGuess = 4
}

/// What argument-parser says about a wrong command line.
package struct ParsingMistake {
    package let text: String
    /// "See 'pushsend mock ready --help' for more information."
    private let more: String?
    /// The help of the option: "How long each push may take."
    private let explanation: String?

    package init(_ error: any Error, of root: any ParsableCommand.Type) {
        let lines = root.fullMessage(for: error).split(separator: "\n")
        text = root.message(for: error)
        more = lines.last { $0.hasPrefix("  See ") }.map { String($0.dropFirst(2)) }
        // "Help:  --timeout <duration>  How long each push may take."
        let help = lines.first { $0.hasPrefix("Help:  ") }?.dropFirst("Help:  ".count)
        explanation = help?.firstRange(of: "  ").map { String(help?[$0.upperBound...] ?? "") }
    }

    /// The first word in quotation marks.
    package var argument: String? { Self.quoted(text) }

    /// The program and the subcommands whose help is meant: `pushsend mock ready`.
    package var path: [String] {
        let words = more.flatMap(Self.quoted)?.split(separator: " ").map(String.init) ?? []
        return words.filter { !$0.hasPrefix("-") }
    }

    private static func quoted(_ text: String) -> String? {
        text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false).dropFirst().first.map(String.init)
    }

    package func with(_ sentence: String) -> String { Self.joined([sentence, more]) }

    /// Sentences or what is wrong, then the help of the option, and where to find more.
    package func full(_ sentences: [String]? = nil) -> String {
        let own = text.hasSuffix(".") || text.hasSuffix("?") ? text : text + "."
        return Self.joined((sentences ?? [own]) + [explanation, more])
    }

    private static func joined(_ sentences: [String?]) -> String {
        sentences.compactMap(\.self).joined(separator: " ")
    }
}

/// The text about options of which only one can be given.
package func notTogether(_ options: String...) -> String {
    "\(options.dropLast().joined(separator: ", ")) and \(options.last ?? "") can't be combined: give one of them."
}

extension Variables {
    /// Names that only look like known ones: a misspelt one would change nothing, and nobody would notice.
    ///
    /// - Parameters:
    ///   - prefix: What all names of a program begin with.
    ///   - known: The variables that the program reads.
    /// - Returns: The names that are set, each with the one that was probably meant.
    package func misspelt(_ prefix: String, among known: [String]) -> [(name: String, meant: String)] {
        let ends = known.map { String($0.dropFirst(prefix.count)) }
        return names.filter { $0.hasPrefix(prefix) && !known.contains($0) }.sorted().compactMap { name in
            NearestName.misspelt(String(name.dropFirst(prefix.count)), of: ends).map { (name, prefix + $0) }
        }
    }
}
