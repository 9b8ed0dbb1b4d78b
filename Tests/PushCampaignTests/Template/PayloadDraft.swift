@testable import PushJSON
@testable import PushProvider

/// A payload that tests change and write again: values as they are spelled, members in their order, duplicates included.
indirect enum PayloadDraft: Sendable {
    case scalar(String)
    case list([PayloadDraft])
    case object([(key: String, value: PayloadDraft)])

    init(_ tree: JSONTree, at node: Int = JSONTree.root) {
        switch tree.nodes[node].kind {
        case .array: self = .list(tree.children(of: node).map { PayloadDraft(tree, at: $0) })
        case .object:
            self = .object(
                tree.children(of: node).map { child in
                    let key = tree.keyRange(of: child).map { String(decoding: tree.bytes[$0], as: UTF8.self) }
                    return (key: key ?? "", value: PayloadDraft(tree, at: child))
                })
        default: self = .scalar(tree.spelling(of: node))
        }
    }

    /// The payload as text.
    ///
    /// - Parameter space: What stands between values.
    /// - Returns: JSON, unless a scalar is none.
    func written(_ space: String = "") -> String {
        switch self {
        case .scalar(let text): return text
        case .list(let elements):
            return "[\(space)\(elements.map { $0.written(space) }.joined(separator: "\(space),\(space)"))\(space)]"
        case .object(let members):
            let written = members.map { "\($0.key)\(space):\(space)\($0.value.written(space))" }
            return "{\(space)\(written.joined(separator: "\(space),\(space)"))\(space)}"
        }
    }

    /// How many values there are in it, itself included.
    var count: Int {
        switch self {
        case .scalar: 1
        case .list(let elements): elements.reduce(1) { $0 + $1.count }
        case .object(let members): members.reduce(1) { $0 + $1.value.count }
        }
    }

    /// Changes one of the values, which are counted from 0 in the order in which they begin.
    mutating func change(_ index: Int, _ change: (inout PayloadDraft) -> Void) {
        if index == 0 { return change(&self) }
        var rest = index - 1
        switch self {
        case .scalar: return
        case .list(var elements):
            for index in elements.indices {
                if rest < elements[index].count {
                    elements[index].change(rest, change)
                    break
                }
                rest -= elements[index].count
            }
            self = .list(elements)
        case .object(var members):
            for index in members.indices {
                if rest < members[index].value.count {
                    members[index].value.change(rest, change)
                    break
                }
                rest -= members[index].value.count
            }
            self = .object(members)
        }
    }
}
