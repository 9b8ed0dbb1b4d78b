internal import PushJSON
internal import PushProvider

/// A payload for the rules: the position of each known key, and the known parts of the request.
struct LintSubject {
    /// The maximum number of findings of one rule for a payload. Further findings are not reported.
    static let maximumFindings = 50

    let tree: JSONTree
    let request: CheckedRequest
    let byteCount: Int
    /// Whether the findings are for a repair. Then their number is not limited.
    let isForRepair: Bool
    /// The lines and paths of findings.
    let positions: TreePositions
    /// For each ``KnownKey``: the node of its value in the object where it belongs; -1 if it is missing.
    private var nodes: [Int32]
    /// The members of `aps`, `alert` and `sound` that Apple does not document there.
    private(set) var unknownKeys: [(node: Int, home: KnownKey.Home)] = []
    /// The key that each misspelt one stands for, by node. It is found once: several rules ask, and comparing names is slow.
    private(set) var misspellings: [Int: (key: KnownKey, found: Misspelling)] = [:]

    /// Indexes the keys of a payload, which must be an object.
    init(_ tree: JSONTree, _ request: CheckedRequest, byteCount: Int, isForRepair: Bool = false) {
        self.tree = tree
        self.request = request
        self.byteCount = byteCount
        self.isForRepair = isForRepair
        positions = TreePositions(tree)
        nodes = Array(repeating: -1, count: KnownKey.all.count)
        if let aps = tree.member("aps", of: JSONTree.root) {
            nodes[KnownKey.aps.rawValue] = Int32(aps)
            index(aps, .aps)
            if let alert = self[.alert] { index(alert, .alert) }
            if let sound = self[.sound] { index(sound, .sound) }
        }
        for (node, home) in unknownKeys { misspellings[node] = misspelling(of: node, in: home) }
    }

    private mutating func index(_ object: Int, _ home: KnownKey.Home) {
        guard tree.nodes[object].kind == .object else { return }
        for member in tree.children(of: object) {
            let node = tree.nodes[member]
            let name = tree.bytes[Int(node.keyStart)..<Int(node.keyEnd)]
            if let key = node.keyHasEscapes
                ? KnownKey.find(Array((tree.key(of: member) ?? "").utf8)[...], in: home)
                : KnownKey.find(name, in: home), isAccessory || !KnownKey.ofAccessory.contains(key)
            {
                nodes[key.rawValue] = Int32(member)
            } else if unknownKeys.count < Self.maximumFindings
                || isForRepair && KnownKey.vocabulary(of: home).hasSpelling(tree.key(of: member) ?? "")
            {
                unknownKeys.append((member, home))
            }
        }
    }

    /// What was meant by an unknown key; `nil` if it isn't misspelt.
    private func misspelling(of node: Int, in home: KnownKey.Home) -> (key: KnownKey, found: Misspelling)? {
        guard let name = tree.key(of: node) else { return nil }
        for owner in [home] + KnownKey.Home.allCases.filter({ $0 != home && $0 != .root }) {
            // In another object, only case, hyphens and underscores may differ: a key of the app can resemble Apple's.
            let isSpelling = owner == home || KnownKey.vocabulary(of: owner).hasSpelling(name)
            guard isSpelling, let found = Misspelling(name, of: KnownKey.vocabulary(of: owner)), found.meant != name
            else { continue }
            let key = KnownKey.find(Array(found.meant.utf8)[...], in: owner)
            if let key, KnownKey.ofAccessory.contains(key), !isAccessory { continue }
            return key.map { ($0, found) }
        }
        return nil
    }

    // MARK: Lookup

    var maximumOfOneRule: Int { isForRepair ? .max : Self.maximumFindings }

    var type: PushType? { request.pushType }

    /// The value of a key in the object where it belongs.
    subscript(key: KnownKey) -> Int? {
        let node = nodes[key.rawValue]
        return node < 0 ? nil : Int(node)
    }

    func has(_ key: KnownKey) -> Bool { nodes[key.rawValue] >= 0 }

    func kind(_ key: KnownKey) -> JSONTree.Kind? { self[key].map { tree.nodes[$0].kind } }

    func text(_ key: KnownKey) -> String? { self[key].flatMap(tree.text) }

    func number(_ key: KnownKey) -> Double? { self[key].flatMap(tree.number) }

    /// Whether a key has a value other than null.
    func isGiven(_ key: KnownKey) -> Bool { kind(key).map { $0 != .null } ?? false }

    /// Whether a key has a value that is neither null nor empty.
    func holdsSomething(_ key: KnownKey) -> Bool {
        guard let node = self[key] else { return false }
        switch tree.nodes[node].kind {
        case .null: return false
        case .string: return !tree.contents(of: node).isEmpty
        case .object, .array: return tree.nodes[node].next > node + 1
        case .bool, .number: return true
        }
    }

    var hasText: Bool {
        guard kind(.alert) == .object else { return holdsSomething(.alert) }
        // As closures here and in the rules: a reference to a method would copy the whole subject.
        return Self.textKeys.contains { holdsSomething($0) }
    }

    /// The keys of an alert that show text.
    static let textKeys: [KnownKey] = [.title, .subtitle, .body, .titleLocKey, .subtitleLocKey, .locKey]

    var isAccessory: Bool { type == .accessory }

    /// Whether the topic is that of a pass or an order in Wallet, which reads nothing of the payload.
    var isForWallet: Bool { request.topic.flatMap(SpecialTopic.init) == .wallet }

    /// Whether the push has no effect without the key. Then it is reported as missing, and nothing says to remove it.
    func requires(_ key: KnownKey) -> Bool {
        switch key {
        case .timestamp, .event, .contentState: isLiveActivity
        case .attributesType, .attributes, .alert: isLiveActivity && event == "start"
        case .contentAvailable: type == .background && !isForWallet
        case .contentChanged: type == .widgets || type == .controls
        default: isAccessory && KnownKey.ofAccessory.contains(key)
        }
    }

    /// Whether a push of this type may show an alert: its push type is alert, or unknown.
    var mayAlert: Bool { type == nil || type == .alert }

    // MARK: Reporting

    func finding(_ rule: LintRule, _ found: RuleFinding) -> PushFinding {
        found.finding(rule: rule.id, severity: rule.severity, positions)
    }
}
