import PushCommandLine
internal import PushJSON
import PushProvider

/// How `pushsend doctor` shows hops: aligned lines for people, one JSON object for programs.
struct DoctorReport {
    var colours: Bool
    /// The width at which lines are broken; `nil` to break none.
    var width: Int?

    /// The width of the mark and the name of a hop.
    private static let columns = 19

    // MARK: For people

    static func title(_ server: String) -> String { "pushsend doctor: \(server.printable)" }

    /// The lines of one hop: mark, name and fact, and below it the remedy.
    func text(_ hop: Hop) -> String {
        let name = "  \(hop.label)".padded(to: Self.columns, atLeast: 1)
        let about = hop.address.map { "\($0): " } ?? ""
        var fact = lines(about + hop.fact, after: name)
        fact = mark(hop.result) + fact.dropFirst()
        guard let remedy = hop.remedy, !remedy.isEmpty else { return fact }
        let indentation = String(repeating: " ", count: Self.columns)
        return fact + "\n" + lines(remedy, after: indentation + "-> ")
    }

    func text(_ conclusion: String) -> String { "\n" + lines(conclusion, after: "") }

    private func lines(_ text: String, after first: String) -> String {
        let text = PeerText.printable(text, atMost: Self.longest)
        guard let width else { return first + text }
        return TerminalLines.wrapped(text, first: first, width: width).joined(separator: "\n")
    }

    /// The maximum number of characters of a fact or a remedy.
    private static let longest = 1000

    private func mark(_ result: Hop.Result) -> String {
        switch result {
        case .ok: Colour.green.paint("✓", colours)
        case .note: Colour.cyan.paint("i", colours)
        case .warning: Colour.yellow.paint("!", colours)
        case .failed: Colour.red.paint("✗", colours)
        case .skipped: Colour.quiet.paint("-", colours)
        case .notKnown: Colour.magenta.paint("?", colours)
        }
    }

    // MARK: For programs

    static func line(_ diagnosis: Diagnosis) -> JSONLine {
        [
            "server": .string(diagnosis.server), "exit_code": .integer(Int(diagnosis.status.code)),
            "conclusion": .string(diagnosis.conclusion), "first": diagnosis.first.map { .string($0.name.rawValue) },
            "hops": .array(diagnosis.hops.map(value)),
        ]
    }

    private static func value(_ hop: Hop) -> PushJSONValue {
        var members = hop.details
        members["hop"] = .string(hop.name.rawValue)
        members["verdict"] = .string(hop.result.rawValue)
        members["fact"] = .string(hop.fact)
        members["remedy"] = hop.remedy.map(PushJSONValue.string)
        members["port"] = hop.port.map(PushJSONValue.integer)
        members["address"] = hop.address.map(PushJSONValue.string) ?? members["address"]
        return .object(members)
    }
}

/// All hops of one run of `pushsend doctor`, and what follows from them.
struct Diagnosis: Equatable, Sendable {
    /// The server, as `host:port`.
    var server: String
    var hops: [Hop] = []

    /// The exit code: that of the worst hop.
    var status: ExitStatus { hops.map(\.status).max() ?? .success }

    /// The hop to correct first: of those with the worst exit code, the first. Later ones often follow from it.
    var first: Hop? {
        let status = status
        return status == .success ? nil : hops.first { $0.status == status }
    }

    /// The closing line: what to do first.
    var conclusion: String {
        if let first { return "Do this first, for \(first.label): \(first.remedy ?? first.fact)" }
        let scope = hops.contains { $0.name == .tcp } ? "between here and \(server)" : "on this machine"
        let checked = hops.first { $0.name == .credentials }
        let isOpen = checked.map { $0.result == .skipped } ?? true
        return "No problems found \(scope)\(isOpen ? "; the credentials weren't tried" : "")."
    }
}
