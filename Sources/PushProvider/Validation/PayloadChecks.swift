package import PushJSON

/// What Apple certainly refuses in a payload.
package enum PayloadChecks {
    /// A longer text is no payload: nothing but its size is looked at.
    package static let mostBytes = 1 << 20

    /// The findings in a payload that is refused.
    ///
    /// - Parameters:
    ///   - payload: The payload.
    ///   - request: The headers that it goes with.
    /// - Returns: Findings in the order of their places.
    static func findings(_ payload: PushPayload, _ request: CheckedRequest) -> [Finding] {
        let bytes = payload.bytes
        let oversized = tooLarge(bytes.count, request).map { $0.finding(rule: "payload-too-large", severity: .error) }
        guard bytes.count <= mostBytes else { return [oversized].compactMap { $0 } }
        let text = PayloadText(bytes, payload.reading, nil)
        guard let tree = text.tree else { return text.findings + [oversized].compactMap { $0 } }
        let places = TreePlaces(tree)
        var found: [(rule: String, breach: Breach?)] = [("payload-too-large", tooLarge(bytes.count, request))]
        if let aps = tree.member("aps", of: JSONTree.root) {
            found.append(("background-visible", backgroundIsSilent(tree, aps: aps, request.pushType)))
        }
        let findings = found.compactMap { rule, breach in breach?.finding(rule: rule, severity: .error, places) }
        return (text.findings + findings.filter { text.isSound($0.location) }).inOrderOfPlaces
    }

    /// Whether the payload is larger than Apple takes.
    ///
    /// - Parameters:
    ///   - count: The bytes that are sent.
    ///   - request: The headers that it goes with.
    ///   - breakdown: What is largest in it, in a sentence that begins with a space; asked only where it is needed.
    /// - Returns: `nil` for a payload that is small enough.
    package static func tooLarge(_ count: Int, _ request: CheckedRequest, breakdown: () -> String = { "" }) -> Breach? {
        let type = request.inferred.pushType
        let (limit, bearer) =
            request.broadcast == nil
            ? (APNSLimit.payloadBytes(for: type), "push type \(type)")
            : (APNSLimit.broadcastPayloadBytes, "a broadcast")
        guard count > limit else { return nil }
        // What is so long was not read to its end.
        let problem =
            count > mostBytes
            ? "The payload has more than \(mostBytes) bytes, and \(bearer) may have \(limit)."
            : "The payload has \(count) bytes, \(count - limit) more than the \(limit) that \(bearer) may have."
        return Breach(.payload, problem, "\(smaller)\(breakdown())")
    }

    /// The remedy for a payload that is too large.
    package static let smaller =
        "Shorten what is largest, or send an id in its place, by which the app or its service extension fetches it."

    /// Whether a background notification also has something to see or hear.
    package static func backgroundIsSilent(_ tree: JSONTree, aps: Int, _ type: PushType?) -> Breach? {
        guard type == .background else { return nil }
        for key: StaticString in ["alert", "badge", "sound"] {
            guard let node = tree.member(key, of: aps), tree.nodes[node].kind != .null else { continue }
            return Breach(
                .key(node), "A background notification cannot have an alert, a badge or a sound.",
                "Remove them, or use push type alert.")
        }
        return nil
    }
}
