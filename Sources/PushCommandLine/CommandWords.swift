import APNSVocabulary

struct CommandWords {
    /// The sentence about the first option whose text was forgotten, so that the next option became the text.
    private(set) var forgottenText: String?
    /// Words with one hyphen that are no options.
    private(set) var unknown: [String] = []
    /// The first word with two hyphens that is no option.
    private(set) var unknownLong: String?
    /// All words, with each text that begins with a hyphen joined to its option. argument-parser reads every text in this form.
    private(set) var joined: [String]

    init(_ options: CommandOptions) {
        joined = options.path
        var words = options.words
        while let word = words.popFirst() {
            if word == "--" {
                joined.append(word)
                break
            }
            if let option = options.optionTakingNext(after: word), option.takesText, let text = words.popFirst() {
                noteForgotten(text, word, option, options)
                joined += Self.join(text, to: word, option)
                continue
            }
            joined.append(word)
            guard word.hasPrefix("-"), options.option(word.prefix { $0 != "=" }) == nil else { continue }
            if !word.hasPrefix("--") { unknown.append(word) } else { unknownLong = unknownLong ?? word }
        }
        joined += words
    }

    /// Notes a text that is the name of another option, with or without a value. The name of its own option can be a text.
    private mutating func noteForgotten(
        _ text: String, _ word: String, _ option: CommandOptions.Option, _ options: CommandOptions
    ) {
        guard forgottenText == nil, text.hasPrefix("-"), let name = option.longName,
            let other = options.option(text.prefix { $0 != "=" }), other.isShown, other.names != option.names,
            // Nobody writes the value of an option of one letter in this way, but a key of --data can have one letter.
            text.hasPrefix("--") || !text.contains("=")
        else { return }
        let shown = String(text.prefix(Self.longestShown)).printable
        forgottenText = """
            \(word) has no text: the next word is the option \(shown.prefix { $0 != "=" }). If that is the text, write \
            \(name)=\(shown).
            """
    }

    /// The most characters of a word in a sentence.
    private static let longestShown = 40

    private static func join(_ text: String, to word: String, _ option: CommandOptions.Option) -> [String] {
        guard text.hasPrefix("-"), text.count > 1, let name = option.longName else { return [word, text] }
        // Other options of one letter in the same word stay.
        let others = word.hasPrefix("--") ? "" : word.dropLast()
        return (others.count > 1 ? [String(others)] : []) + ["\(name)=\(text)"]
    }
}
