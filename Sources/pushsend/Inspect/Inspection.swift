internal import PushJSON
import PushProvider

/// What was found out about one thing: what `pushsend inspect` prints of it.
struct Inspection {
    /// What sort of thing it is.
    enum Kind: String {
        case key
        case p12
        case pem
        case certificate
        case providerToken = "provider_token"
        case deviceToken = "device_token"
        /// Something that people hand in instead, or nothing that is known.
        case other
    }

    /// A fact on a line of its own.
    struct Fact: Equatable {
        var label: String
        var text: String
    }

    var kind: Kind
    /// How it is called: the path of its file, or a token's ends.
    var name: String
    /// What it is, in a few words.
    var title: String
    /// The facts, in the order of reading.
    private(set) var facts: [Fact] = []
    /// What is worth knowing beside the facts, in sentences.
    var notes: [String] = []
    /// Why it cannot be used, and what to do, in a sentence; `nil` when it can.
    private(set) var problem: String?
    /// How the command ends if this is all.
    private(set) var status = ExitStatus.accepted
    /// Whether it was understood what is in it.
    private(set) var isReadable = true
    private var members = JSONLine()

    init(_ kind: Kind, name: String, title: String) {
        (self.kind, self.name, self.title) = (kind, name, title)
    }

    /// Something of which no more can be told than why.
    static func unreadable(_ kind: Kind, name: String, _ problem: String, _ status: ExitStatus) -> Inspection {
        var inspection = Inspection(kind, name: name, title: "")
        inspection.isReadable = false
        inspection.object(problem, status)
        return inspection
    }

    /// Adds a fact for people.
    mutating func add(_ label: String, _ text: String) {
        facts.append(Fact(label: label, text: PeerText.printable(text, atMost: Self.longest)))
    }

    /// Characters of a fact, a note or a problem. A long list of topics is shorter.
    private static let longest = 1000

    /// An empty line between facts.
    mutating func addGap() {
        facts.append(Fact(label: "", text: ""))
    }

    /// A member of the JSON object.
    subscript(key: String) -> JSONValue? {
        get { members[key] }
        set { members[key] = newValue }
    }

    /// Says why it cannot be used. The first reason stands, the worst status counts.
    mutating func object(_ problem: String, _ status: ExitStatus) {
        self.problem = self.problem ?? problem
        self.status = max(self.status, status)
    }
}

// MARK: For people

extension Inspection {
    /// A block of lines, at most 80 columns wide where no word is wider.
    var text: String {
        let width = (facts.map(\.label.count).max() ?? 0) + 4
        var lines = TerminalLines.wrapped("\(name): \(title)")
        for fact in facts {
            if fact.label.isEmpty {
                lines.append("")
                continue
            }
            let label = "  " + fact.label + String(repeating: " ", count: width - fact.label.count - 2)
            lines += TerminalLines.wrapped(fact.text, first: label)
        }
        for note in notes { lines += TerminalLines.wrapped(note, first: "  Note: ") }
        if let problem { lines += TerminalLines.wrapped(problem, first: "  Problem: ") }
        return lines.map { PeerText.printable($0, atMost: Self.longest) }.joined(separator: "\n")
    }

    /// Of what could not be read: one line that names it.
    var complaint: String {
        let problem = problem ?? ""
        if problem.contains("\"\(name)\"") { return problem }
        let isSentenceAboutIt = problem.hasPrefix("It ")
        return "\"\(name)\"\(isSentenceAboutIt ? " " : ": ")\(isSentenceAboutIt ? problem.dropFirst(3) : problem[...])"
    }
}

// MARK: For machines

extension Inspection {
    /// One JSON object on one line.
    var line: JSONLine {
        var line = members
        line["kind"] = .string(kind.rawValue)
        line["readable"] = .bool(isReadable)
        line["usable"] = .bool(problem == nil)
        line["problem"] = problem.map(JSONValue.string)
        line["notes"] = notes.isEmpty ? nil : .array(notes.map(JSONValue.string))
        return line
    }
}
