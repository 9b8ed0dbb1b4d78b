internal import PushJSON
internal import PushProvider

/// A payload as the rules look at it: where each known key stands, found once, and what is known of the request.
struct LintSubject {
    /// How many findings of one rule are given for a payload; more would not help.
    static let mostFindings = 50

    let tree: JSONTree
    let request: CheckedRequest
    /// How many bytes are sent.
    let byteCount: Int
    /// Whether it is to be mended: then what can be is looked for without a limit.
    let isForRepair: Bool
    /// For the places of findings.
    let places: TreePlaces
    /// By ``KnownKey``: the node of its value in its right place, -1 where it is not there.
    private var nodes: [Int32]
    /// Members of `aps`, `alert` and `sound` that no page of Apple's knows there.
    private(set) var strangers: [(node: Int, home: KnownKey.Home)] = []

    /// Looks at a tree of an object.
    init(_ tree: JSONTree, _ request: CheckedRequest, byteCount: Int, isForRepair: Bool = false) {
        self.tree = tree
        self.request = request
        self.byteCount = byteCount
        self.isForRepair = isForRepair
        places = TreePlaces(tree)
        nodes = Array(repeating: -1, count: KnownKey.all.count)
        if let aps = tree.member("aps", of: JSONTree.root) {
            nodes[KnownKey.aps.rawValue] = Int32(aps)
            index(aps, .aps)
            if let alert = self[.alert] { index(alert, .alert) }
            if let sound = self[.sound] { index(sound, .sound) }
        }
    }

    private mutating func index(_ object: Int, _ home: KnownKey.Home) {
        guard tree.nodes[object].kind == .object else { return }
        for member in tree.children(of: object) {
            let node = tree.nodes[member]
            let name = tree.bytes[Int(node.keyStart)..<Int(node.keyEnd)]
            if let key = node.keyHasEscapes
                ? KnownKey.find(Array((tree.key(of: member) ?? "").utf8)[...], in: home)
                : KnownKey.find(name, in: home)
            {
                nodes[key.rawValue] = Int32(member)
            } else if strangers.count < Self.mostFindings
                || isForRepair && KnownKey.vocabulary(of: home).hasSpelling(tree.key(of: member) ?? "")
            {
                strangers.append((member, home))
            }
        }
    }

    // MARK: Looking

    /// How many breaches of a rule are told.
    var mostOfOneRule: Int { isForRepair ? .max : Self.mostFindings }

    /// What kind of notification it is; `nil` when nothing tells.
    var type: PushType? { request.pushType }

    /// The value of a key in its right place.
    subscript(key: KnownKey) -> Int? {
        let node = nodes[key.rawValue]
        return node < 0 ? nil : Int(node)
    }

    func has(_ key: KnownKey) -> Bool { nodes[key.rawValue] >= 0 }

    func kind(_ key: KnownKey) -> JSONTree.Kind? { self[key].map { tree.nodes[$0].kind } }

    func text(_ key: KnownKey) -> String? { self[key].flatMap(tree.text) }

    func number(_ key: KnownKey) -> Double? { self[key].flatMap(tree.number) }

    /// Whether a key stands there with a value: null is none.
    func isGiven(_ key: KnownKey) -> Bool { kind(key).map { $0 != .null } ?? false }

    /// Whether a key stands there with an object that is not empty, or any other value but null.
    func holdsSomething(_ key: KnownKey) -> Bool {
        guard let node = self[key] else { return false }
        switch tree.nodes[node].kind {
        case .null: return false
        case .string: return !tree.contents(of: node).isEmpty
        case .object, .array: return tree.nodes[node].next > node + 1
        case .bool, .number: return true
        }
    }

    /// Whether there is a text that people see: an alert that is not empty.
    var hasText: Bool {
        guard kind(.alert) == .object else { return holdsSomething(.alert) }
        return Self.textKeys.contains(where: holdsSomething)
    }

    /// The keys of an alert that bring a text.
    static let textKeys: [KnownKey] = [.title, .subtitle, .body, .titleLocKey, .subtitleLocKey, .locKey]

    /// Whether a push of this kind shows an alert: it is one, or nothing tells what it is.
    var mayAlert: Bool { type == nil || type == .alert }

    // MARK: Reporting

    /// The finding for a breach.
    func finding(_ rule: LintRule, _ breach: Breach) -> Finding {
        breach.finding(rule: rule.id, severity: rule.severity, places)
    }
}
