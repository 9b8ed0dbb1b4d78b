package import PushJSON

/// Checks a payload for content that Apple always refuses.
package enum PayloadChecks {
    /// The maximum size of a text that is parsed, in bytes. For a longer text, only its size is checked.
    package static let maximumBytes = 1 << 20

    /// Returns the findings in a payload that Apple refuses.
    ///
    /// - Parameters:
    ///   - payload: The payload.
    ///   - request: The headers of the same request.
    /// - Returns: Findings in the order of their positions.
    static func findings(_ payload: PushPayload, _ request: CheckedRequest) -> [PushFinding] {
        let bytes = payload.bytes
        let oversized = tooLarge(bytes.count, request).map { $0.finding(rule: "payload-too-large", severity: .error) }
        guard bytes.count <= maximumBytes else { return [oversized].compactMap { $0 } }
        let text = PayloadText(bytes, payload.reading, nil)
        guard let tree = text.tree else { return text.findings + [oversized].compactMap { $0 } }
        let subjects = TreePositions(tree)
        var found: [(rule: String, found: RuleFinding?)] = [("payload-too-large", tooLarge(bytes.count, request))]
        if let aps = tree.member("aps", of: JSONTree.root) {
            found.append(("background-visible", backgroundIsSilent(tree, aps: aps, request.pushType)))
        }
        let findings = found.compactMap { rule, found in found?.finding(rule: rule, severity: .error, subjects) }
        return (text.findings + findings.filter { text.isSound($0.location) }).sortedByPosition
    }

    /// Checks whether the payload is larger than Apple accepts.
    ///
    /// - Parameters:
    ///   - count: The number of bytes that are sent.
    ///   - request: The headers of the same request.
    ///   - breakdown: A sentence about the largest parts, beginning with a space; called only for a payload that is too
    ///     large.
    /// - Returns: `nil` for a payload that is small enough.
    package static func tooLarge(_ count: Int, _ request: CheckedRequest, breakdown: () -> String = { "" })
        -> RuleFinding?
    {
        let type = request.inferred.pushType
        let (limit, bearer) =
            request.broadcast == nil
            ? (APNSLimit.payloadBytes(for: type), "push type \(type)")
            : (APNSLimit.broadcastPayloadBytes, "a broadcast")
        guard count > limit else { return nil }
        // A text of this size was not read to its end.
        let problem =
            count > maximumBytes
            ? "The payload is longer than \(maximumBytes) bytes; the limit for \(bearer) is \(limit)."
            : "The payload is \(count) bytes, \(count - limit) more than the limit for \(bearer), \(limit)."
        return RuleFinding(.payload, problem, "\(smaller)\(breakdown())")
    }

    /// The remedy for a payload that is too large.
    package static let smaller =
        "Shorten the largest part, or replace it with an id, so that the app or its service extension can fetch it."

    /// Checks whether a background notification has an alert, a badge or a sound.
    package static func backgroundIsSilent(_ tree: JSONTree, aps: Int, _ type: PushType?) -> RuleFinding? {
        guard type == .background else { return nil }
        for key: StaticString in ["alert", "badge", "sound"] {
            guard let node = tree.member(key, of: aps), tree.nodes[node].kind != .null else { continue }
            return RuleFinding(
                .key(node), "A background notification can't have an alert, a badge or a sound.",
                "Remove them, or use push type alert.")
        }
        return nil
    }
}
