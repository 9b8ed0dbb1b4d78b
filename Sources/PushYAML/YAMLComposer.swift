/// Makes a value of the events of a parser.
struct YAMLComposer {
    /// A value with what it counts towards the limits.
    private struct Part {
        var node: YAMLNode
        /// The number of values in it. It counts itself, but no keys.
        var size = 1
        var levelsBelow = 0
    }

    private let parser: YAMLParser
    private let limits: YAMLLimits
    private var anchors: [String: Part] = [:]
    private var countOfAliases = 0
    /// The number of values so far. The values that an alias stands for count each time.
    private var countOfValues = 0

    init(_ bytes: [UInt8], _ limits: YAMLLimits) throws(YAMLError) {
        parser = try YAMLParser(bytes)
        self.limits = limits
    }

    mutating func document() throws(YAMLError) -> YAMLNode? {
        _ = try parser.next()
        guard case .documentStart = try parser.next().kind else { return nil }
        let root = try part(try parser.next(), depth: 0)
        _ = try parser.next()
        let end = try parser.next()
        guard case .streamEnd = end.kind else {
            throw YAMLError(.syntax("there is a second document"), at: end.position)
        }
        return root.node
    }

    private mutating func part(_ event: YAMLEvent, depth: Int) throws(YAMLError) -> Part {
        if case .alias(let name) = event.kind { return try target(of: name, event.position, depth) }
        try count(1, at: event.position)
        guard depth <= limits.depth else { throw YAMLError(.tooDeep, at: event.position) }
        switch event.kind {
        case .scalar(let scalar, let anchor):
            return keep(Part(node: YAMLNode(content: .scalar(scalar), position: event.position)), anchor)
        case .sequenceStart(let anchor): return keep(try sequence(event.position, depth), anchor)
        case .mappingStart(let anchor): return keep(try mapping(event.position, depth), anchor)
        case .streamStart, .documentStart, .documentEnd, .streamEnd, .alias, .sequenceEnd, .mappingEnd:
            throw YAMLError(.syntax("a value is missing"), at: event.position)
        }
    }

    private mutating func sequence(_ position: YAMLPosition, _ depth: Int) throws(YAMLError) -> Part {
        var whole = Part(node: YAMLNode(content: .sequence([]), position: position))
        var items: [YAMLNode] = []
        while true {
            let event = try parser.next()
            if case .sequenceEnd = event.kind { break }
            items.append(Self.add(try part(event, depth: depth + 1), to: &whole))
        }
        whole.node.content = .sequence(items)
        return whole
    }

    private mutating func mapping(_ position: YAMLPosition, _ depth: Int) throws(YAMLError) -> Part {
        var whole = Part(node: YAMLNode(content: .mapping([]), position: position))
        var members: [YAMLNode.Member] = []
        var positions: [String: YAMLPosition] = [:]
        while true {
            let event = try parser.next()
            if case .mappingEnd = event.kind { break }
            let key = try key(event, depth)
            if let first = positions.updateValue(event.position, forKey: key.text) {
                throw YAMLError(.duplicateKey(key.text, first: first), at: event.position)
            }
            let value = Self.add(try part(try parser.next(), depth: depth + 1), to: &whole)
            members.append(YAMLNode.Member(key: key, keyPosition: event.position, value: value))
        }
        whole.node.content = .mapping(members)
        return whole
    }

    /// Reads a key, which counts no value. A sequence or mapping is not read, because it can be huge.
    private mutating func key(_ event: YAMLEvent, _ depth: Int) throws(YAMLError) -> YAMLScalar {
        let part: Part
        switch event.kind {
        case .scalar(let scalar, let anchor):
            part = keep(Part(node: YAMLNode(content: .scalar(scalar), position: event.position)), anchor)
        case .alias(let name): part = try target(of: name, event.position, depth + 1)
        default: throw YAMLError(.keyIsNoScalar, at: event.position)
        }
        guard case .scalar(let scalar) = part.node.content else {
            throw YAMLError(.keyIsNoScalar, at: event.position)
        }
        return scalar
    }

    private static func add(_ part: Part, to whole: inout Part) -> YAMLNode {
        whole.size += part.size
        whole.levelsBelow = max(whole.levelsBelow, part.levelsBelow + 1)
        return part.node
    }

    // MARK: Anchors

    /// A later value with the same anchor replaces it.
    private mutating func keep(_ part: Part, _ anchor: String?) -> Part {
        if let anchor { anchors[anchor] = part }
        return part
    }

    private mutating func target(
        of name: String, _ position: YAMLPosition, _ depth: Int
    ) throws(YAMLError) -> Part {
        countOfAliases += 1
        if let maximum = limits.aliases, countOfAliases > maximum { throw YAMLError(.tooManyAliases, at: position) }
        guard let part = anchors[name] else { throw YAMLError(.syntax("found undefined alias"), at: position) }
        try count(part.size, at: position)
        guard depth + part.levelsBelow <= limits.depth else { throw YAMLError(.tooDeep, at: position) }
        return part
    }

    private mutating func count(_ size: Int, at position: YAMLPosition) throws(YAMLError) {
        countOfValues += size
        guard countOfValues <= limits.values else { throw YAMLError(.tooManyValues, at: position) }
    }
}
