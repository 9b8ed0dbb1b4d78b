import APNSVocabulary
package import ArgumentParser

/// A mistake in a command line that argument-parser reads as something else.
package struct CommandLineSlip: Error, Equatable {
    /// What is wrong, and how to write it.
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
        let value = ShellWord.quoted(String(word.dropFirst(2).prefix(longestShown)).printable)
        return "\(option) needs a space before its value. Did you mean \(option) \(value)?"
    }

    /// The most characters of a value in a sentence.
    private static let longestShown = 40

    /// The least number of letters of a misspelt name. A shorter word is rather several options of one letter.
    private static let shortestGuess = 4
}
