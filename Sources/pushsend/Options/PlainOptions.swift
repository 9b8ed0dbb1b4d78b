import ArgumentParser

/// Options that can be read without argument-parser. `scripts/lib/write-plain-options` writes the initialisers from the
/// declarations of the options. A test compares each option with the result of argument-parser for the same words.
protocol PlainOptions: ParsableArguments {
    /// - Throws: Any error if argument-parser must read the words, even if only to report what is wrong with them.
    init(plain words: inout PlainArguments) throws
}

extension PlainOptions {
    /// Creates and validates the options like argument-parser.
    static func checked(_ words: inout PlainArguments) throws -> Self {
        var options = try Self(plain: &words)
        try options.validate()
        return options
    }
}
