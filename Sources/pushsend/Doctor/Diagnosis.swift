/// All hops of one run of `pushsend doctor`, and what follows from them.
struct Diagnosis: Equatable, Sendable {
    /// The server, as `host:port`.
    var server: String
    var hops: [Hop] = []

    /// The exit code: that of the worst hop.
    var status: ExitStatus { hops.map(\.status).max() ?? .accepted }

    /// The hop to correct first: of those with the worst exit code, the first. Later ones often follow from it.
    var first: Hop? {
        let status = status
        return status == .accepted ? nil : hops.first { $0.status == status }
    }

    /// The closing line: what to do first.
    var conclusion: String {
        if let first { return "Do this first, for \(first.label): \(first.remedy ?? first.fact)" }
        let scope = hops.contains { $0.name == .tcp } ? "between here and \(server)" : "on this machine"
        let checked = hops.first { $0.name == .credentials }
        let isOpen = checked.map { $0.result == .skipped } ?? true
        return "No problems found \(scope)\(isOpen ? "; the credentials were not tried" : "")."
    }
}
