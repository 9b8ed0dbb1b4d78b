internal import PushJSON
internal import PushProvider

/// What of a payload takes how many bytes.
struct Breakdown {
    private struct Part {
        var node: Int
        /// Of key and value.
        var bytes: Int
        /// Of an envelope: how many bytes were sealed.
        var privateBytes: Int?
    }

    private let tree: JSONTree
    /// The largest first.
    private var parts: [Part] = []

    init(_ tree: JSONTree) {
        self.tree = tree
        for member in tree.children(of: JSONTree.root) {
            // Of `aps` and `alert` the contents tell more.
            if tree.hasKey("aps", member), tree.nodes[member].kind == .object {
                for inner in tree.children(of: member) {
                    if tree.hasKey("alert", inner), tree.nodes[inner].kind == .object {
                        for text in tree.children(of: inner) { add(text) }
                    } else {
                        add(inner)
                    }
                }
            } else {
                add(member, privateBytes: sealedBytes(in: member))
            }
        }
        parts.sort { ($0.bytes, $1.node) > ($1.bytes, $0.node) }
    }

    private mutating func add(_ member: Int, privateBytes: Int? = nil) {
        let start = tree.keyRange(of: member)?.lowerBound ?? tree.range(of: member).lowerBound
        parts.append(
            Part(node: member, bytes: tree.range(of: member).upperBound - start, privateBytes: privateBytes))
    }

    /// `nil` for what is no envelope, or one of a version that is not known.
    private func sealedBytes(in member: Int) -> Int? {
        guard tree.key(of: member) == SealedEnvelope.name, let text = tree.text(of: member) else { return nil }
        return SealedEnvelope(text)?.plaintextByteCount
    }

    /// A sentence with the largest parts, with a space before it; empty when there are none.
    var words: String {
        guard !parts.isEmpty else { return "" }
        let most = 5
        let told = parts.prefix(most).map(words).joined(separator: ", ")
        return " In bytes: \(told)\(parts.count > most ? ", and \(parts.count - most) more" : "")."
    }

    private func words(_ part: Part) -> String {
        let name = tree.path(of: part.node).dropFirst("payload.".count)
        guard let sealed = part.privateBytes else { return "\(name) \(part.bytes)" }
        return "\(name) \(part.bytes) (\(sealed) of what is sealed, \(part.bytes - sealed) of the sealing)"
    }
}
