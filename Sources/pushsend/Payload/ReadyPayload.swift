internal import APNSVocabulary
import PushPlatform
import PushProvider

/// A ready payload: `--template` sends it, and it is in Examples/payloads.
struct ReadyPayload: Sendable {
    /// Which payload flags can be used with the template.
    enum AllowedFlags {
        /// All of them.
        case alert
        /// Text and sound of the alert.
        case liveActivityAlert
        /// The app's own keys.
        case custom
        /// None of them.
        case nothing
    }

    /// The name for `--template`.
    let name: String
    /// A short description.
    let about: String
    let allowedFlags: AllowedFlags
    /// Other names for it.
    var aliases: [String] = []
    /// The collapse id, if none is given.
    var collapseID: String?
    /// Builds the payload. Its times are computed from the given time.
    let payload: @Sendable (Date) throws(PushPayloadError) -> PushPayload

    init(
        _ name: String, _ about: String, allowedFlags: AllowedFlags = .custom, aliases: [String] = [],
        collapseID: String? = nil,
        payload: @escaping @Sendable (Date) throws(PushPayloadError) -> PushPayload
    ) {
        self.name = name
        self.about = about
        self.allowedFlags = allowedFlags
        self.aliases = aliases
        self.collapseID = collapseID
        self.payload = payload
    }
}

extension ReadyPayload {
    /// Whether the payload contains times, so that it is different one second later.
    var hasTimes: Bool {
        let (now, later) = (Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 1))
        return (try? payload(now).bytes) != (try? payload(later).bytes)
    }

    /// All templates, in the order of the list.
    static let all: [ReadyPayload] = alerts + loudAndQuiet + silent + liveActivities + ofFrameworks + ofOthers

    /// - Throws: ``CommandFailure`` with the nearest names and the whole list, if there is no such name.
    static func named(_ name: String) throws -> ReadyPayload {
        let folded = name.lowercased()
        if let template = all.first(where: { $0.name == folded || $0.aliases.contains(folded) }) { return template }
        let near = nearest(to: folded).map { "did you mean \($0)? " } ?? ""
        let shown = String(name.prefix(40)).printable
        throw CommandFailure.usage(
            "There is no template \"\(shown)\": \(near)The templates are \(all.map(\.name).joined(separator: ", ")).")
    }

    private static func nearest(to name: String) -> String? {
        let best = NearestName.nearest(to: name, of: all.flatMap { [$0.name] + $0.aliases })
        return best.flatMap { best in all.first { $0.name == best || $0.aliases.contains(best) }?.name }
    }

    /// The output of `--template list`.
    static var list: String {
        let width = all.map(\.name.count).max() ?? 0
        let lines = all.map { template in
            "\(template.name)\(String(repeating: " ", count: width - template.name.count))  \(template.about)"
        }
        return lines.joined(separator: "\n")
    }
}
