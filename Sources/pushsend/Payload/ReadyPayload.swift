internal import PushLint
import PushProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A ready payload: what `--template` sends, and what Examples/payloads holds.
struct ReadyPayload: Sendable {
    /// What of the flags that build a payload goes with it.
    enum Takes {
        /// All of them.
        case alert
        /// Text and sound of the alert.
        case liveActivityAlert
        /// The app's own keys.
        case custom
        /// None of them.
        case nothing
    }

    /// The word behind `--template`.
    let name: String
    /// What it shows, in a few words.
    let about: String
    let takes: Takes
    /// Words that mean the same.
    var aliases: [String] = []
    /// Sent along where no other is given.
    var collapseID: String?
    /// Builds it as of a time, from which its own dates follow.
    let payload: @Sendable (Date) throws(PayloadError) -> PushPayload

    init(
        _ name: String, _ about: String, takes: Takes = .custom, aliases: [String] = [], collapseID: String? = nil,
        payload: @escaping @Sendable (Date) throws(PayloadError) -> PushPayload
    ) {
        self.name = name
        self.about = about
        self.takes = takes
        self.aliases = aliases
        self.collapseID = collapseID
        self.payload = payload
    }
}

extension ReadyPayload {
    /// Whether the payload holds times, so that it is another one a second later.
    var hasTimes: Bool {
        let (now, later) = (Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 1))
        return (try? payload(now).bytes) != (try? payload(later).bytes)
    }

    /// All of them, in the order of the list.
    static let all: [ReadyPayload] = alerts + loudAndQuiet + silent + liveActivities + ofFrameworks + ofOthers

    /// - Throws: ``CommandFailure`` with the nearest names and the whole list, when there is none of that name.
    static func named(_ name: String) throws -> ReadyPayload {
        let folded = name.lowercased()
        if let template = all.first(where: { $0.name == folded || $0.aliases.contains(folded) }) { return template }
        let near = nearest(to: folded).map { "did you mean \($0)? " } ?? ""
        let shown = String(name.prefix(40)).printable
        throw CommandFailure.usage(
            "There is no template \"\(shown)\": \(near)The templates are \(all.map(\.name).joined(separator: ", ")).")
    }

    /// The first name that it is a part of, or the one that is spelled almost like it.
    private static func nearest(to name: String) -> String? {
        if name.count > 3, let longer = all.first(where: { $0.name.contains(name) }) { return longer.name }
        let measured = all.flatMap { template in
            ([template.name] + template.aliases).map { spelling in
                (template.name, EditDistance.between(Array(name), Array(spelling)))
            }
        }
        guard let best = measured.min(by: { $0.1 < $1.1 }), best.1 <= name.count / 2, best.1 < 4 else { return nil }
        return best.0
    }

    /// The list that `--template list` prints.
    static var list: String {
        let width = all.map(\.name.count).max() ?? 0
        let lines = all.map { template in
            "\(template.name)\(String(repeating: " ", count: width - template.name.count))  \(template.about)"
        }
        return lines.joined(separator: "\n")
    }
}
