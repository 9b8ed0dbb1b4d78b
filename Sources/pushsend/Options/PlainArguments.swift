import ArgumentParser

/// The words of a simple command line, which needs no parser: options with their full name, and each value as its own
/// word.
///
/// argument-parser uses reflection to find the options of a command. For `send` this takes a third of the time of a
/// push. Anything that is not simple is left to it: abbreviations, `--name=value`, and options that are repeated,
/// unknown, or missing.
struct PlainArguments {
    /// The words are not simple: argument-parser must read them.
    struct UnsupportedSyntax: Error {}

    private let words: [String]
    private var isTaken: [Bool]

    init(_ words: some Sequence<String>) throws {
        self.words = Array(words)
        isTaken = Array(repeating: false, count: self.words.count)
        // An empty word, or words after `--`, are not simple.
        if self.words.contains("") || self.words.contains("--") { throw UnsupportedSyntax() }
    }

    /// Takes a flag. Each name begins with a hyphen, also for an option.
    mutating func flag(_ names: String...) -> Bool {
        takeName(names) != nil
    }

    /// Takes an option with its value.
    mutating func option(_ names: String...) throws -> String? {
        try takeName(names).map { try takeValue(at: $0 + 1) }
    }

    /// Takes an option whose value is not a plain string. `read` returns `nil` for an invalid value.
    mutating func option<Value>(_ names: String..., read: (String) -> Value?) throws -> Value? {
        guard let index = takeName(names) else { return nil }
        guard let value = read(try takeValue(at: index + 1)) else { throw UnsupportedSyntax() }
        return value
    }

    /// Takes all occurrences of an option.
    mutating func options(_ names: String...) throws -> [String] {
        var values: [String] = []
        while let index = takeName(names) { values.append(try takeValue(at: index + 1)) }
        return values
    }

    /// Takes the remaining words. They must not be options.
    mutating func arguments() throws -> [String] {
        let left = words.indices.filter { !isTaken[$0] }.map { words[$0] }
        if left.contains(where: Self.isName) { throw UnsupportedSyntax() }
        isTaken = isTaken.map { _ in true }
        return left
    }

    private static func isName(_ word: String) -> Bool { word.utf8.first == UInt8(ascii: "-") }

    private mutating func takeName(_ names: [String]) -> Int? {
        guard let index = words.indices.first(where: { !isTaken[$0] && names.contains(words[$0]) }) else { return nil }
        isTaken[index] = true
        return index
    }

    private mutating func takeValue(at index: Int) throws -> String {
        // A value never looks like a name here, so the order in which options are taken does not matter.
        guard words.indices.contains(index), !isTaken[index], !Self.isName(words[index]) else {
            throw UnsupportedSyntax()
        }
        isTaken[index] = true
        return words[index]
    }
}

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
