import PushCommandLine
internal import PushJSON
import PushProvider

/// The result of the inspection of one argument, as `pushsend inspect` prints it.
struct Inspection {
    enum Kind: String {
        case key
        case p12
        case pem
        case certificate
        case providerToken = "provider_token"
        case deviceToken = "device_token"
        /// A common wrong input, or an unknown one.
        case other
    }

    /// A fact on its own line.
    struct Fact: Equatable {
        var label: String
        var text: String
    }

    var kind: Kind
    /// The name: the path of the file, or the ends of a token.
    var name: String
    /// A short description.
    var title: String
    /// The facts, in the order of the output.
    private(set) var facts: [Fact] = []
    var notes: [String] = []
    /// Why it cannot be used and what to do, as a sentence; `nil` if it can be used.
    private(set) var problem: String?
    /// The exit code if this is the only inspection.
    private(set) var status = ExitStatus.success
    /// Whether the content could be decoded.
    private(set) var isReadable = true
    private var members = JSONLine()

    init(_ kind: Kind, name: String, title: String) {
        (self.kind, self.name, self.title) = (kind, name, title)
    }

    /// Creates the result for content that cannot be decoded, with the reason.
    static func unreadable(_ kind: Kind, name: String, _ problem: String, _ status: ExitStatus) -> Inspection {
        var inspection = Inspection(kind, name: name, title: "")
        inspection.isReadable = false
        inspection.addProblem(problem, status)
        return inspection
    }

    /// Adds a fact for the text output.
    mutating func add(_ label: String, _ text: String) {
        facts.append(Fact(label: label, text: PeerText.printable(text, atMost: Self.longest)))
    }

    /// The maximum number of characters of a fact, a note, or a problem. A long list of topics is shorter.
    private static let longest = 1000

    /// Adds an empty line between facts.
    mutating func addGap() {
        facts.append(Fact(label: "", text: ""))
    }

    subscript(key: String) -> PushJSONValue? {
        get { members[key] }
        set { members[key] = newValue }
    }

    /// Sets why it cannot be used. The first problem and the worst exit code are kept.
    mutating func addProblem(_ problem: String, _ status: ExitStatus) {
        self.problem = self.problem ?? problem
        self.status = max(self.status, status)
    }
}

// MARK: For people

extension Inspection {
    /// The text output: at most 80 columns wide, unless a word is wider.
    var text: String {
        let width = (facts.map(\.label.count).max() ?? 0) + 4
        var lines = TerminalLines.wrapped("\(name): \(title)")
        for fact in facts {
            if fact.label.isEmpty {
                lines.append("")
                continue
            }
            let label = "  " + fact.label.padded(to: width - 2)
            lines += TerminalLines.wrapped(fact.text, first: label)
        }
        for note in notes { lines += TerminalLines.wrapped(note, first: "  Note: ") }
        if let problem { lines += TerminalLines.wrapped(problem, first: "  Problem: ") }
        return lines.map { PeerText.printable($0, atMost: Self.longest) }.joined(separator: "\n")
    }

    /// The error for content that could not be decoded: one line with its name.
    var complaint: String {
        let problem = problem ?? ""
        if problem.contains("\"\(name)\"") { return problem }
        let isSentenceAboutIt = problem.hasPrefix("It ")
        return "\"\(name)\"\(isSentenceAboutIt ? " " : ": ")\(isSentenceAboutIt ? problem.dropFirst(3) : problem[...])"
    }
}

// MARK: For machines

extension Inspection {
    var line: JSONLine {
        var line = members
        line["kind"] = .string(kind.rawValue)
        line["readable"] = .bool(isReadable)
        line["usable"] = .bool(problem == nil)
        line["problem"] = problem.map(PushJSONValue.string)
        line["notes"] = notes.isEmpty ? nil : .array(notes.map(PushJSONValue.string))
        return line
    }
}
