import PushYAML

/// Changes the text of a configuration file. Everything else in it stays as it was, with its comments.
struct ConfigText {
    /// The file is written in a form that cannot be changed line by line.
    struct Unchangeable: Error {}

    /// A key of a mapping with its position. Line and column begin with 1.
    private struct Key {
        var name: String
        var line: Int
        var column: Int
        var value: YAMLNode
    }

    private var lines: [String]
    /// Whether the only line breaks are line feeds. YAML also knows others, and counts their lines.
    private let hasUsualLines: Bool

    init(_ text: String) {
        let text = text.replacing("\r\n", with: "\n")
        hasUsualLines = !text.unicodeScalars.contains { ["\r", "\u{85}", "\u{2028}", "\u{2029}"].contains($0) }
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        while lines.last?.allSatisfy({ $0 == " " }) == true { lines.removeLast() }
    }

    var text: String { lines.map { $0 + "\n" }.joined() }

    // MARK: Changes

    /// Adds a profile at the end, or replaces the one with its name.
    mutating func put(_ profile: NewProfile) throws {
        guard let root = try root() else {
            if !lines.isEmpty { lines.append("") }
            lines += ["profiles:"] + profile.lines(indent: 2)
            return
        }
        guard let profiles = root.first(where: { $0.name == "profiles" }) else {
            lines += ["", "profiles:"] + profile.lines(indent: 2)
            return
        }
        guard case .mapping(let mapping) = profiles.value.content else {
            // "profiles:" alone.
            try requireNothing(after: profiles)
            lines.insert(contentsOf: profile.lines(indent: profiles.column + 1), at: profiles.line)
            return
        }
        let children = try keys(mapping)
        guard let first = children.first else { throw Unchangeable() }
        let new = profile.lines(indent: first.column - 1)
        let end = endOfProfiles(root, profiles)
        if let index = children.firstIndex(where: { $0.name == profile.name }) {
            lines.replaceSubrange(range(of: children, index, end: end), with: new)
        } else {
            let last = range(of: children, children.count - 1, end: end)
            lines.insert(contentsOf: new, at: last.upperBound)
        }
    }

    mutating func remove(_ name: String) throws {
        guard let root = try root(), let profiles = root.first(where: { $0.name == "profiles" }),
            case .mapping(let mapping) = profiles.value.content
        else { throw Unchangeable() }
        let children = try keys(mapping)
        guard let index = children.firstIndex(where: { $0.name == name }) else { throw Unchangeable() }
        lines.removeSubrange(range(of: children, index, end: endOfProfiles(root, profiles)))
    }

    /// Sets which profile is used by default; `nil` for none.
    mutating func choose(_ name: String?) throws {
        let root = try root() ?? []
        if let chosen = root.first(where: { $0.name == "profile" }) {
            guard let name else {
                lines.remove(at: chosen.line - 1)
                return
            }
            let start = chosen.value.position
            guard start.line == chosen.line, case .scalar = chosen.value.content else {
                throw Unchangeable()
            }
            let line = lines[chosen.line - 1]
            let comment = line.firstRange(of: " #").map { String(line[$0.lowerBound...]) } ?? ""
            lines[chosen.line - 1] =
                String(line.unicodeScalars.prefix(start.column - 1)) + NewProfile.scalar(name) + comment
        } else if let name {
            let line = "profile: \(NewProfile.scalar(name))"
            let index = root.first { $0.name == "profiles" }.map { $0.line - 1 } ?? lines.count
            lines.insert(line, at: index)
        }
    }

    // MARK: Structure

    private func root() throws -> [Key]? {
        guard hasUsualLines else { throw Unchangeable() }
        let limits = YAMLLimits(bytes: ConfigReader.maximumBytes)
        guard let node = try YAMLDocument.read(Array(text.utf8), limits: limits) else { return nil }
        switch node.content {
        case .mapping(let mapping): return try keys(mapping)
        case .scalar(let scalar) where scalar.text.isEmpty: return nil
        default: throw Unchangeable()
        }
    }

    /// Returns the keys, each of which must begin a line.
    private func keys(_ mapping: [YAMLNode.Member]) throws -> [Key] {
        let keys = mapping.map { member in
            Key(
                name: member.key.text, line: member.keyPosition.line, column: member.keyPosition.column,
                value: member.value)
        }
        let beginLines = keys.allSatisfy { key in
            lines.indices.contains(key.line - 1)
                && lines[key.line - 1].unicodeScalars.prefix(key.column - 1).allSatisfy { $0 == " " }
        }
        guard beginLines else { throw Unchangeable() }
        return keys
    }

    /// The index of the line after all profiles.
    private func endOfProfiles(_ root: [Key], _ profiles: Key) -> Int {
        root.map(\.line).filter { $0 > profiles.line }.min().map { $0 - 1 } ?? lines.count
    }

    /// The lines of one of several keys. Blank lines and comments before the next key belong to the next key.
    private func range(of keys: [Key], _ index: Int, end: Int) -> Range<Int> {
        let start = keys[index].line - 1
        var end = index + 1 < keys.count ? keys[index + 1].line - 1 : end
        while end - 1 > start {
            let line = lines[end - 1].drop { $0 == " " }
            guard line.isEmpty || line.hasPrefix("#") || line.hasPrefix("...") else { break }
            end -= 1
        }
        return start..<end
    }

    private func requireNothing(after key: Key) throws {
        let rest = lines[key.line - 1].unicodeScalars.dropFirst(key.column - 1 + "profiles:".count)
            .drop { $0 == " " || $0 == "\t" }
        guard rest.isEmpty || rest.first == "#" else { throw Unchangeable() }
    }
}

/// A profile to be written to a configuration file.
struct NewProfile: Equatable {
    var name: String
    var settings: [SettingName: String] = [:]
    var devices: [(nickname: String, token: String)] = []

    static func == (left: NewProfile, right: NewProfile) -> Bool {
        left.name == right.name && left.settings == right.settings
            && left.devices.elementsEqual(right.devices) { $0 == $1 }
    }

    /// The lines of YAML.
    ///
    /// - Parameter indent: The number of spaces before the name.
    /// - Returns: A line with the name, and one for each setting and device.
    func lines(indent: Int) -> [String] {
        let step = "  "
        let margin = String(repeating: " ", count: indent)
        var lines = ["\(margin)\(Self.scalar(name)):"]
        for setting in SettingName.allCases {
            guard let value = settings[setting] else { continue }
            lines.append("\(margin)\(step)\(setting.rawValue): \(Self.scalar(value))")
        }
        if !devices.isEmpty {
            lines.append("\(margin)\(step)devices:")
            lines += devices.map { "\(margin)\(step)\(step)\(Self.scalar($0.nickname)): \(Self.scalar($0.token))" }
        }
        return lines
    }

    /// Returns a value in the form of YAML, in quotation marks unless every reader takes the plain word for text.
    static func scalar(_ text: String) -> String {
        let isPlain =
            text.utf8.first.map {
                ($0 | 0x20) >= UInt8(ascii: "a") && ($0 | 0x20) <= UInt8(ascii: "z") || $0 == UInt8(ascii: "/")
            }
            ?? false
        let isSafe = text.utf8.allSatisfy { byte in
            (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z")
                || "0123456789/._-".utf8.contains(byte)
        }
        let reserved = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"]
        if isPlain, isSafe, !reserved.contains(text.lowercased()) { return text }
        return "'" + text.replacing("'", with: "''") + "'"
    }
}
