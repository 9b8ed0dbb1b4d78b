import Foundation
import TestSupport

/// The statements that the sources declare, read from their text: so no statement is forgotten when one is added.
struct SourceStatements {
    /// A constant whose value is a statement. What is only known when the program runs matches anything.
    struct Statement: Sendable, Hashable {
        /// Its file and its name.
        var name: String
        /// The parts of its text, between what matches anything.
        var parts: [String]

        func matches(_ sql: String) -> Bool {
            guard parts.count > 1 else { return sql == parts[0] }
            guard sql.hasPrefix(parts[0]), sql.hasSuffix(parts[parts.count - 1]) else { return false }
            var rest = sql[...]
            for part in parts where !part.isEmpty {
                guard let range = rest.firstRange(of: part) else { return false }
                rest = rest[range.upperBound...]
            }
            return true
        }
    }

    private(set) var statements: [Statement] = []
    private var definitions: [String: [Definition]] = [:]

    /// A constant or a function whose value is a literal.
    private struct Definition {
        var file: String
        /// The labels, names and default values of the parameters.
        var parameters: [(label: String, name: String, value: String?)]
        var value: Substring
    }

    /// What stands for a part that matches anything.
    private static let anything: Character = "\u{1}"

    /// Reads all files of a folder of the repository.
    init(in folder: String) throws {
        let root = Repository.url(folder)
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        var texts: [String: String] = [:]
        for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
            texts[file.lastPathComponent] = try String(contentsOf: file, encoding: .utf8)
        }
        var definitions: [String: [Definition]] = [:]
        for (file, text) in texts {
            for match in text.matches(of: /static (?:let|var) (\w+)(?:: String)? (?:=|\{)\s*(?=#?")/) {
                definitions[String(match.1), default: []].append(
                    Definition(file: file, parameters: [], value: text[match.range.upperBound...]))
            }
            for match in text.matches(of: /static func (\w+)\(([^{]*)\) -> String \{\s*(?=#?")/) {
                definitions[String(match.1), default: []].append(
                    Definition(
                        file: file, parameters: Self.parameters(match.2), value: text[match.range.upperBound...]))
            }
        }
        self.definitions = definitions
        var found: [Statement] = []
        for (file, text) in texts.sorted(by: { $0.key < $1.key }) {
            for match in text.matches(of: /static (?:let|var) (\w+)(?:: PostgresText =| = PostgresText\()\s*/) {
                let value = read(text[match.range.upperBound...], [:], file)
                found.append(Statement(name: "\(file): \(match.1)", parts: Self.parts(of: value)))
            }
        }
        statements = found
    }

    /// A text whose lines and spaces do not count.
    static func normal(_ sql: String) -> String {
        sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private static func parts(of text: String) -> [String] {
        normal(text).split(separator: anything, omittingEmptySubsequences: false).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
    }

    // MARK: Reading Swift

    /// The value of the expression at the beginning of a text.
    private func read(_ text: Substring, _ values: [String: String], _ file: String) -> String {
        if text.first == "\"" || text.hasPrefix("#\"") { return literal(text, values, file) }
        let words = text.prefix { $0.isLetter || $0.isNumber || $0 == "." || $0 == "_" }
        let name = words.split(separator: ".").last.map(String.init) ?? ""
        let rest = text.dropFirst(words.count)
        if rest.first != "(", let value = values[name] { return value }
        if Int(words) != nil { return String(words) }
        let known = definitions[name] ?? []
        guard let definition = known.first(where: { $0.file == file }) ?? (known.count == 1 ? known[0] : nil),
            definition.parameters.isEmpty || rest.first == "("
        else { return String(Self.anything) }
        var inner: [String: String] = [:]
        var arguments = rest.first == "(" ? Self.list(Self.balanced(rest)) : []
        for parameter in definition.parameters {
            if let argument = arguments.first, Self.label(argument) == parameter.label {
                let value = Self.label(argument) == "_" ? argument : String(argument.drop { $0 != ":" }.dropFirst())
                inner[parameter.name] = read(value.trimmed, values, file)
                arguments.removeFirst()
            } else {
                inner[parameter.name] = read((parameter.value ?? "").trimmed, values, definition.file)
            }
        }
        return literal(definition.value, inner, definition.file)
    }

    /// The text of the literal at the beginning, with the values of what it contains.
    private func literal(_ text: Substring, _ values: [String: String], _ file: String) -> String {
        if text.hasPrefix("#\"") { return String(text.dropFirst(2).prefix { $0 != "#" }.dropLast()) }
        let mark = text.hasPrefix("\"\"\"") ? "\"\"\"" : "\""
        var (result, rest) = ("", text.dropFirst(mark.count))
        while let next = rest.first, !rest.hasPrefix(mark) {
            rest = rest.dropFirst()
            guard next == "\\" else {
                result.append(next)
                continue
            }
            if rest.first == "(" {
                let inner = Self.balanced(rest)
                result += read(inner.trimmed, values, file)
                rest = rest.dropFirst(inner.count + 2)
            } else {
                // A line that goes on, or a quotation mark.
                if rest.first != "\n", let escaped = rest.first { result.append(escaped) }
                rest = rest.dropFirst()
            }
        }
        // The lines with the marks do not belong to the text.
        return mark.count == 3 ? String(result.trimmed) : result
    }

    /// What stands between the bracket at the beginning and its end. Brackets in literals come in pairs.
    private static func balanced(_ text: Substring) -> Substring {
        var depth = 0
        for index in text.indices {
            if text[index] == "(" { depth += 1 }
            if text[index] == ")" { depth -= 1 }
            if depth == 0 { return text[text.index(after: text.startIndex)..<index] }
        }
        return ""
    }

    /// The parts between the commas that are in no brackets and no literal.
    private static func list(_ text: Substring) -> [String] {
        var (parts, depth, isQuoted) = ([""], 0, false)
        for character in text {
            if character == "\"" { isQuoted.toggle() }
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            if character == ",", depth == 0, !isQuoted {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        return parts.map { String($0.trimmed) }.filter { !$0.isEmpty }
    }

    private static func label(_ argument: String) -> String {
        argument.prefixMatch(of: /(\w+):\s/).map { String($0.1) } ?? "_"
    }

    private static func parameters(_ text: Substring) -> [(label: String, name: String, value: String?)] {
        list(text).map { parameter in
            let names = parameter.prefix { $0 != ":" }.split(separator: " ").map(String.init)
            let value = parameter.firstRange(of: " = ").map { String(parameter[$0.upperBound...]) }
            return (names.first ?? "_", names.last ?? "", value)
        }
    }
}

extension StringProtocol {
    fileprivate var trimmed: Substring {
        let start = Substring(self).drop { $0.isWhitespace }
        return start[..<(start.lastIndex { !$0.isWhitespace }.map { start.index(after: $0) } ?? start.startIndex)]
    }
}
