internal import PushJSON
internal import PushProvider

/// The size of each part of a payload, in bytes.
struct Breakdown {
    private struct Part {
        var node: Int
        /// The size of key and value.
        var bytes: Int
        /// For an encrypted envelope: the size of the plaintext.
        var privateBytes: Int?
    }

    private let tree: JSONTree
    /// The largest first.
    private var parts: [Part] = []

    init(_ tree: JSONTree) {
        self.tree = tree
        for member in tree.children(of: JSONTree.root) {
            // `aps` and `alert` are listed by their members.
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

    /// The size of the plaintext; `nil` if the member is not an envelope or has an unknown version.
    private func sealedBytes(in member: Int) -> Int? {
        guard tree.key(of: member) == SealedEnvelope.name, let text = tree.text(of: member) else { return nil }
        return SealedEnvelope(text)?.plaintextByteCount
    }

    /// A sentence with the largest parts, with a space before it; empty if there are none.
    var text: String {
        guard !parts.isEmpty else { return "" }
        let maximum = 5
        let list = parts.prefix(maximum).map(text).joined(separator: ", ")
        return " Largest parts in bytes: \(list)\(parts.count > maximum ? ", and \(parts.count - maximum) more" : "")."
    }

    private func text(_ part: Part) -> String {
        let name = tree.path(of: part.node).dropFirst("payload.".count)
        guard let sealed = part.privateBytes else { return "\(name) \(part.bytes)" }
        return "\(name) \(part.bytes) (\(sealed) of plaintext, \(part.bytes - sealed) added by encryption)"
    }
}
