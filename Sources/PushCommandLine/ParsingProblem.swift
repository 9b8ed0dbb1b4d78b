package import ArgumentParser

/// What argument-parser says about a wrong command line.
package struct ParsingProblem {
    /// What is wrong.
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

    /// A sentence, and where to find more.
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
