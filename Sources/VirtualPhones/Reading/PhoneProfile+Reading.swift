package import PushJSON
import PushPlatform

extension PhoneProfile {
    private static let maximumPhones = 50

    /// Reads one phone, a list of phones, or an object with the list under `phones`, in JSON.
    ///
    /// - Parameter json: The text.
    /// - Returns: At least one profile. All ids differ.
    /// - Throws: ``PhoneProfileError``, with line and column.
    public static func list(json: [UInt8]) throws(PhoneProfileError) -> [PhoneProfile] {
        let tree = try rethrowing(try LocatedJSON(json: json)) { (error: JSONTextError) in
            PhoneProfileError(error.message, at: "", error.position, remedy: error.remedy)
        }
        return try list(tree)
    }

    /// Reads one phone, a list of phones, or an object with the list under `phones`.
    ///
    /// - Parameter tree: JSON or YAML, with positions.
    /// - Returns: At least one profile. All ids differ.
    /// - Throws: ``PhoneProfileError``.
    package static func list(_ tree: LocatedJSON) throws(PhoneProfileError) -> [PhoneProfile] {
        var items: [(value: LocatedJSON, pointer: String)] = [(tree, "")]
        if let list = tree.array {
            items = list.enumerated().map { ($1, "/\($0)") }
        } else if tree["phones"] != nil {
            items = try ProfileReader(tree, known: ["phones"]).list("phones")
        }
        guard (1...maximumPhones).contains(items.count) else {
            throw PhoneProfileError(
                "A file describes 1 to \(maximumPhones) phones, not \(items.count).", at: "", tree.position)
        }
        return try distinct(items, "id", \.id, "Two phones have the id", remedy: "Give each phone its own id.") {
            (value, pointer) throws(PhoneProfileError) in try PhoneProfile(value, at: pointer)
        }
    }

    /// Reads items of which no two may have the same value of a member.
    static func distinct<Item>(
        _ items: [(value: LocatedJSON, pointer: String)], _ member: String, _ path: KeyPath<Item, String>,
        _ problem: String, remedy: String? = nil,
        _ read: (LocatedJSON, String) throws(PhoneProfileError) -> Item
    ) throws(PhoneProfileError) -> [Item] {
        var found: [Item] = []
        for (value, pointer) in items {
            let item = try read(value, pointer)
            let id = item[keyPath: path]
            guard !found.contains(where: { $0[keyPath: path] == id }) else {
                throw PhoneProfileError(
                    "\(problem) \(id.debugDescription).", at: "\(pointer)/\(member)",
                    value[member]?.position ?? value.position, remedy: remedy)
            }
            found.append(item)
        }
        return found
    }

    /// Reads a phone.
    ///
    /// - Parameters:
    ///   - tree: JSON or YAML, with positions.
    ///   - pointer: The JSON Pointer of the value.
    ///   - id: The id, if the value has none.
    /// - Throws: ``PhoneProfileError``.
    package init(_ tree: LocatedJSON, at pointer: String = "", id: String? = nil) throws(PhoneProfileError) {
        let members = try ProfileReader(
            tree, at: pointer,
            known: [
                "id", "name", "os", "note", "online", "muted", "focus", "locked", "foreground", "stores_several",
                "activities", "apps",
            ])
        let id = try members.required("id", try members.text("id") ?? id)
        guard Self.isID(id) else {
            throw members.problem(
                "id", "\(id.debugDescription) isn't an id.",
                remedy: "Use 1 to 64 letters, digits, hyphens and underscores.")
        }
        self.init(id: id)
        name = try members.text("name") ?? id
        os = try members.text("os") ?? os
        note = try members.text("note")
        activities = try ActivityRules(in: members)
        switches.storesSeveral = try members.bool("stores_several") ?? false
        switches.online = try members.bool("online") ?? true
        switches.muted = try members.bool("muted") ?? false
        switches.focus = try members.text("focus")
        switches.foreground = try members.text("foreground")
        for (name, text) in [("focus", switches.focus), ("foreground", switches.foreground)] where text == "" {
            throw members.problem(name, "\(name.debugDescription) is empty.", remedy: "Give a name, or null for none.")
        }
        switches.locked = try members.bool("locked") ?? (switches.foreground == nil)
        if switches.locked, switches.foreground != nil {
            throw members.problem(
                "foreground", "A locked phone has no app in the foreground.", remedy: "Set \"locked\" to false.")
        }
        apps = try Self.distinct(
            try members.list("apps"), "topic", \.topic, "The phone has two apps with the topic", PhoneAppProfile.init)
    }

    package static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == 0x2D || $0 == 0x5F }
    }
}

extension PhoneProfile.ActivityRules {
    fileprivate init(in members: ProfileReader) throws(PhoneProfileError) {
        self.init()
        guard
            let rules = try members.object(
                "activities",
                known: ["starts", "start_time", "update_pause", "needs_allow", "token_time", "active_time"])
        else { return }
        if rules.has("starts") { starts = try rules.integer("starts", in: 0...1000) }
        startTime = try rules.duration("start_time", atMost: .seconds(30 * 86_400)) ?? startTime
        updatePause = try rules.duration("update_pause", atMost: .seconds(86_400))
        tokenTime = try rules.duration("token_time", atMost: .seconds(30 * 86_400))
        needsAllow = try rules.bool("needs_allow") ?? false
        activeTime = try rules.duration("active_time", atMost: .seconds(30 * 86_400)) ?? activeTime
    }
}
