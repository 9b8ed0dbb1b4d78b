internal import PushJSON
import PushProvider

// MARK: For people

extension Explanation {
    /// The text for a terminal: at most 80 columns wide.
    var text: String {
        (TerminalLines.wrapped(title) + [""] + bodyLines).joined(separator: "\n")
    }

    /// The text without the title, to print after an answer that has shown the term.
    var body: String { bodyLines.joined(separator: "\n") }

    private var bodyLines: [String] {
        var paragraphs = meaning.split(separator: "\n\n").map { TerminalLines.wrapped(String($0)) }
        if let probably { paragraphs.append(TerminalLines.wrapped(probably, first: "Probably:      ")) }
        if let fault { paragraphs.append(TerminalLines.wrapped(fault, first: "Whose fault?  ")) }
        if let again { paragraphs.append(TerminalLines.wrapped(again, first: "Send again?   ")) }
        if !steps.isEmpty { paragraphs.append([isNumbered ? "Steps, in this order:" : "What to do:"] + stepLines) }
        if let source { paragraphs.append(TerminalLines.wrapped(source, first: "Source: ")) }
        if let page { paragraphs.append(["More: \(page) in the source folder of PushProvider"]) }
        return Array(paragraphs.joined(separator: [""]))
    }

    private var stepLines: [String] {
        steps.enumerated().flatMap { index, step in
            let number = String(index + 1)
            let bullet = isNumbered ? String(repeating: " ", count: max(0, 2 - number.count)) + number + ". " : "  - "
            return TerminalLines.wrapped(step, first: bullet)
        }
    }

    /// Returns one line about a term without an explanation.
    static func unknown(_ text: String) -> String {
        let near = nearest(to: text)
        let question = near.isEmpty ? "" : " Did you mean \(near.joined(separator: ", "))?"
        return
            "There is no explanation of \"\(text.prefix(60))\".\(question) \"pushsend explain\" lists all terms."
    }

    /// All terms, by kind.
    static var list: String {
        let lists = Kind.allCases.flatMap { kind in
            let terms = all.filter { $0.kind == kind }.map(\.term).joined(separator: ", ")
            let name = "  " + kind.plural + String(repeating: " ", count: max(1, 12 - kind.plural.count))
            return TerminalLines.wrapped(terms, first: name)
        }
        let lines =
            ["Terms that can be explained:", ""] + lists + [
                "", "To inspect a file, a provider token or a device token: pushsend inspect",
            ]
        return lines.joined(separator: "\n")
    }
}

// MARK: For machines

extension Explanation {
    /// The JSON output: one object on one line.
    var line: JSONLine {
        var line = JSONLine()
        line["word"] = .string(term)
        line["kind"] = .string(kind.rawValue)
        line["title"] = .string(title)
        line["meaning"] = .string(meaning)
        line["fault"] = fault.map(PushJSONValue.string)
        line["again"] = again.map(PushJSONValue.string)
        line["steps"] = steps.isEmpty ? nil : .array(steps.map(PushJSONValue.string))
        line["status"] = status.map(PushJSONValue.integer)
        line["source"] = source.map(PushJSONValue.string)
        line["page"] = page.map(PushJSONValue.string)
        return line
    }
}
