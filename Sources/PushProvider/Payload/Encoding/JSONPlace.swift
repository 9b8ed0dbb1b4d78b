/// A place in JSON that is being encoded: what stands there so far. Its containers share it.
final class JSONPlace {
    private enum Content {
        /// Nobody has asked for anything yet.
        case nothing
        case tree(EncodedJSON)
        case array([JSONPlace])
        case object([String: JSONPlace])
    }

    private var content = Content.nothing
    /// Two containers of different kinds were asked for, which have no common form.
    private var isContradictory = false

    init() {}

    init(_ tree: EncodedJSON) {
        content = .tree(tree)
    }

    // MARK: Becoming something

    func put(_ tree: EncodedJSON) {
        switch content {
        case .nothing, .tree: content = .tree(tree)
        case .array, .object: isContradictory = true
        }
    }

    func becomeArray() {
        switch content {
        case .nothing: content = .array([])
        case .array: break
        case .tree, .object: isContradictory = true
        }
    }

    func becomeObject() {
        switch content {
        case .nothing: content = .object([:])
        case .object: break
        case .tree, .array: isContradictory = true
        }
    }

    // MARK: Going down

    var count: Int {
        guard case .array(let places) = content else { return 0 }
        return places.count
    }

    func append(_ place: JSONPlace) {
        guard case .array(var places) = content else { return }
        content = .nothing
        places.append(place)
        content = .array(places)
    }

    func set(_ name: String, _ place: JSONPlace) {
        guard case .object(var members) = content else { return }
        content = .nothing
        members[name] = place
        content = .object(members)
    }

    /// What stands under a name; it is made where nothing does.
    func member(_ name: String) -> JSONPlace {
        if case .object(let members) = content, let place = members[name] { return place }
        let place = JSONPlace()
        set(name, place)
        return place
    }

    // MARK: The end

    /// What was encoded; nothing at all is an empty object, as Foundation has it.
    ///
    /// - Throws: ``PayloadError`` where containers of two kinds were asked for in one place.
    func tree(at path: String) throws(PayloadError) -> EncodedJSON {
        if isContradictory { throw .contradiction(path) }
        switch content {
        case .nothing: return .object([:])
        case .tree(let tree): return tree
        case .array(let places):
            var elements: [EncodedJSON] = []
            elements.reserveCapacity(places.count)
            for (index, place) in places.enumerated() { elements.append(try place.tree(at: "\(path)[\(index)]")) }
            return .array(elements)
        case .object(let places):
            var members: [String: EncodedJSON] = [:]
            for (name, place) in places { members[name] = try place.tree(at: "\(path).\(name)") }
            return .object(members)
        }
    }
}
