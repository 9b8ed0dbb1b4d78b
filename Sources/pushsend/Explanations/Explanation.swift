internal import APNSVocabulary
import PushCommandLine
internal import PushJSON
internal import PushPlatform
import PushProvider

/// The explanation of one term. `pushsend explain` prints it, and it follows a rejection on a terminal.
///
/// The texts of all terms are its members. Each kind of term has its own file.
struct Explanation: Hashable, Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case reason
        case status
        case exitCode = "exit_code"
        case outcome
        case topic
        case rule

        var plural: String {
            switch self {
            case .reason: "reasons"
            case .status: "statuses"
            case .exitCode: "exit codes"
            case .outcome: "outcomes"
            case .topic: "topics"
            case .rule: "lint rules"
            }
        }
    }

    /// The term, in its usual spelling.
    var term: String
    var kind: Kind
    /// One line: the term and a short description.
    var title: String
    /// What happened. Paragraphs are separated by an empty line.
    var meaning: String
    /// The probable cause for this push, and what to try; `nil` if only the term is known.
    var probably: String?
    /// Who usually causes it; `nil` if it is not an error.
    var fault: String?
    /// Whether the same push may be sent again; `nil` if the question does not apply.
    var again: String?
    /// What to do, in order.
    var steps: [String] = []
    /// Whether the steps are numbered, for lists to follow from the top.
    var isNumbered = false
    var status: Int?
    /// The source of a rule.
    var source: String?
    /// The page of the documentation with more details.
    var page: String?
    /// Other terms under which users look for it.
    var aliases: [String] = []
}

extension Explanation {
    /// An outcome, or the cause of one. The title begins with the term.
    static func outcome(
        _ term: String, _ title: String, _ meaning: String, fault: String? = nil, again: String? = nil,
        steps: [String] = [], page: String? = "docs/outcomes-and-retries.md"
    ) -> Explanation {
        Explanation(
            term: term, kind: .outcome, title: "\(term.replacing("-", with: " ")): \(title)", meaning: meaning,
            fault: fault, again: again, steps: steps, page: page)
    }

    /// A common problem. The title begins with the term.
    static func topic(
        _ term: String, _ title: String, _ meaning: String, fault: String? = nil, again: String? = nil,
        steps: [String] = [], isNumbered: Bool = false, page: String? = nil, aliases: [String] = []
    ) -> Explanation {
        Explanation(
            term: term, kind: .topic, title: "\(term): \(title)", meaning: meaning, fault: fault, again: again,
            steps: steps, isNumbered: isNumbered, page: page, aliases: aliases)
    }

    static let all: [Explanation] = reasons + statuses + exitCodes + outcomes + causes + ofLines + topics + rules

    /// Finds the explanation for text that was typed, or pasted from an answer.
    ///
    /// Letter case, spaces, hyphens and underscores are ignored. If the text has several terms, as in `rejected  410
    /// Unregistered`, the most specific one is used: a reason before a number before an outcome.
    static func find(_ text: String) -> Explanation? {
        if let whole = byFoldedTerm[folded(text)] { return whole }
        // A line of the lint ends with the rule, after any other words.
        if let rule = text.firstMatch(of: #/\[([a-z0-9-]+)\]\s*$/#)?.1, let found = byFoldedTerm[folded(String(rule))] {
            return found
        }
        // The time at the end of a line of `send` is not an exit code.
        let words = text.replacing(#/\(\d+ ms\)/#, with: "").split {
            !$0.isLetter && !$0.isNumber && $0 != "-" && $0 != "_"
        }.map(String.init)
        let pairs = zip(words, words.dropFirst()).map { $0 + $1 }
        let found = (words + pairs).compactMap { byFoldedTerm[folded($0)] }
        // The names of push types are common words of lines and payloads.
        let rest = found.filter { $0.term != "push-type" }
        return rest.first { $0.kind == .reason } ?? rest.first { $0.kind != .outcome } ?? rest.first ?? found.first
    }

    /// Returns the terms that contain this one, or have a similar spelling: at most three, the nearest first.
    static func nearest(to text: String) -> [String] {
        let typed = folded(text)
        // A similar number is a different number, not a typing error.
        guard typed.count > 3, !typed.allSatisfy(\.isNumber) else { return [] }
        let terms = all.filter { $0.kind != .status && $0.kind != .exitCode }
        let measured = terms.map { explanation -> (term: String, distance: Int) in
            let spellings = ([explanation.term] + explanation.aliases).map { folded($0) }
            let distances = spellings.map { $0.contains(typed) ? 1 : NearestName.slips(typed, $0) }
            return (term: explanation.term, distance: distances.min() ?? .max)
        }
        let least = measured.map { $0.distance }.min() ?? .max
        guard least <= typed.count / 2 else { return [] }
        let near = measured.filter { $0.distance <= least + 1 && $0.distance <= typed.count / 2 }
        return near.sorted { ($0.distance, $0.term) < ($1.distance, $1.term) }.prefix(3).map { $0.term }
    }

    private static let byFoldedTerm: [String: Explanation] = Dictionary(
        all.flatMap { explanation in
            ([explanation.term] + explanation.aliases).map { (folded($0), explanation) }
        },
        uniquingKeysWith: { first, _ in first }
    )

    /// Returns only letters and digits, in lower case.
    private static func folded(_ text: String) -> String {
        text.lowercased().filter { $0.isLetter || $0.isNumber }
    }
}

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
        if let page { paragraphs.append(["More: \(Documentation.address(of: page))"]) }
        return Array(paragraphs.joined(separator: [""]))
    }

    private var stepLines: [String] {
        steps.enumerated().flatMap { index, step in
            let bullet = isNumbered ? String(index + 1).aligned(to: 2) + ". " : "  - "
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

    static var list: String {
        let lists = Kind.allCases.flatMap { kind in
            let terms = all.filter { $0.kind == kind }.map(\.term).joined(separator: ", ")
            let name = "  " + kind.plural.padded(to: 12, atLeast: 1)
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
    var line: JSONLine {
        [
            "word": .string(term), "kind": .string(kind.rawValue), "title": .string(title), "meaning": .string(meaning),
            "fault": fault.map(PushJSONValue.string), "again": again.map(PushJSONValue.string),
            "steps": steps.isEmpty ? nil : .array(steps.map(PushJSONValue.string)),
            "status": status.map(PushJSONValue.integer), "source": source.map(PushJSONValue.string),
            "page": page.map { .string(Documentation.address(of: $0)) },
        ]
    }
}
