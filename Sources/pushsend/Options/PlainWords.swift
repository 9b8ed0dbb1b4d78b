/// The words of a command line whose meaning needs no parser: options in full, each value in a word of its own.
///
/// argument-parser finds out by reflection what a command takes, which for `send` is a third of the time of a push. What
/// is not plain at first sight is left to it: abbreviations, `--name=value`, what is given twice, unknown or missing.
struct PlainWords {
    /// Something is not plain: the words have to be read by argument-parser.
    struct Doubt: Error {}

    private let words: [String]
    private var isTaken: [Bool]

    init(_ words: some Sequence<String>) throws {
        self.words = Array(words)
        isTaken = Array(repeating: false, count: self.words.count)
        // What an empty word means is not plain, nor what follows two hyphens.
        if self.words.contains("") || self.words.contains("--") { throw Doubt() }
    }

    /// Takes a flag; each of its names begins with a hyphen, as do those of an option.
    mutating func flag(_ names: String...) -> Bool {
        takeName(names) != nil
    }

    /// Takes an option with its value.
    mutating func option(_ names: String...) throws -> String? {
        try takeName(names).map { try takeValue(at: $0 + 1) }
    }

    /// Takes an option whose value is more than text; `read` gives `nil` for what it cannot read.
    mutating func option<Value>(_ names: String..., read: (String) -> Value?) throws -> Value? {
        guard let index = takeName(names) else { return nil }
        guard let value = read(try takeValue(at: index + 1)) else { throw Doubt() }
        return value
    }

    /// Takes an option as often as it is there.
    mutating func options(_ names: String...) throws -> [String] {
        var values: [String] = []
        while let index = takeName(names) { values.append(try takeValue(at: index + 1)) }
        return values
    }

    /// Takes what is left, which must not be an option.
    mutating func arguments() throws -> [String] {
        let left = words.indices.filter { !isTaken[$0] }.map { words[$0] }
        if left.contains(where: Self.isName) { throw Doubt() }
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
        // A value never looks like a name here, so that it does not matter what is taken first.
        guard words.indices.contains(index), !isTaken[index], !Self.isName(words[index]) else { throw Doubt() }
        isTaken[index] = true
        return words[index]
    }
}
