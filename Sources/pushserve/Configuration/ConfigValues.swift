import APNSVocabulary
import PushPlatform
import PushProvider
import PushQueue
import PushService
import PushTime
import PushYAML

extension ConfigNode {
    /// The mistake of a value that a key can't have.
    private func wrong(_ key: String, _ text: String, _ advice: String, isMissingFile: Bool = false) -> ConfigMistake {
        ConfigMistake(location, "\"\(key)\" is \"\(text.printable)\". \(advice)", isMissingFile: isMissingFile)
    }

    /// Reads a text with a function that says what is wrong with it.
    func parsed<Value>(
        _ key: String, _ parse: (String) throws(QueueError) -> Value
    ) throws(ConfigMistake) -> Value {
        let text = try text(key)
        return try rethrowing(try parse(text)) { (error: QueueError) in
            ConfigMistake(location, "\"\(key)\": \(error.description)")
        }
    }

    /// Refuses the text of a key or certificate in place of the path of its file, before a message shows it.
    private func requirePath(_ key: String) throws(ConfigMistake) {
        guard case .text(let text) = content, KeyFile.isContents(text) else { return }
        throw ConfigMistake(
            location,
            """
            "\(key)" has the text of a key or certificate. Write the text to a file with the mode 0600, and give the path of that file.
            """)
    }

    /// A text that is not empty and has no control characters.
    func text(_ key: String) throws(ConfigMistake) -> String {
        guard let text = try single(key) else {
            throw ConfigMistake(location, "\"\(key)\" has no value. Write one after the colon, or remove the line.")
        }
        guard !text.isEmpty else {
            throw ConfigMistake(location, "\"\(key)\" is empty. Write a value, or remove the line.")
        }
        guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw ConfigMistake(location, "\"\(key)\" has a line break or another control character.")
        }
        return text
    }

    /// A statement, which may have several lines.
    func sql(_ key: String) throws(ConfigMistake) -> String {
        guard case .text(let text) = content else { return try self.text(key) }
        var oneLine = self
        oneLine.content = .text(text.replacing(/\s+/, with: " "))
        _ = try oneLine.text(key)
        return text
    }

    /// A list of texts, or one text.
    func texts(_ key: String) throws(ConfigMistake) -> [String] {
        guard case .list(let items) = content else { return [try text(key)] }
        var texts: [String] = []
        for item in items { texts.append(try item.text(key)) }
        return texts
    }

    func choice<Value>(_ key: String, _ choices: KeyValuePairs<String, Value>) throws(ConfigMistake) -> Value {
        let text = try text(key)
        if let choice = choices.first(where: { $0.key == text.lowercased() }) { return choice.value }
        let names = choices.map(\.key)
        let list = names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
        throw wrong(key, text, "Use \(list).")
    }

    func bool(_ key: String) throws(ConfigMistake) -> Bool {
        try choice(key, ["true": true, "false": false])
    }

    /// A whole number in a range. Underscores may stand between digits.
    func count(_ key: String, _ range: ClosedRange<Int>) throws(ConfigMistake) -> Int {
        let text = try text(key)
        guard let number = Int(text.filter { $0 != "_" }), range.contains(number) else {
            throw wrong(key, text, "Use a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    /// A duration with its unit, longer than zero: `500ms`, `30s`, `5m`, `2h`, `7d`.
    func duration(_ key: String, atMost longest: Duration = .seconds(3650 * 86_400)) throws(ConfigMistake) -> Duration {
        let text = try text(key)
        guard let duration = Duration(unitText: text) else {
            let advice =
                Double(text) == nil
                ? "Use a number with its unit, such as 500ms, 30s, 2h or 7d."
                : "A duration needs a unit, such as \(text)s, \(text)h or \(text)d."
            throw wrong(key, text, advice)
        }
        guard duration > .zero, duration <= longest else {
            throw wrong(key, text, "Use a duration longer than zero, and at most \(longest.unitText).")
        }
        return duration
    }

    /// A size in bytes: `512KiB`, `8MiB`, `1MB`, `4096`.
    func size(_ key: String, _ range: ClosedRange<Int>) throws(ConfigMistake) -> Int {
        let text = try text(key)
        guard let size = ConfigValue.size(text) else {
            throw wrong(key, text, "Use a number with its unit, such as 512KiB or 8MiB.")
        }
        guard range.contains(size) else {
            throw wrong(key, text, "Use a size from \(range.lowerBound) to \(range.upperBound) bytes.")
        }
        return size
    }

    /// A rate for each second, minute or hour: `500/s`, `30000/m`.
    func rate(_ key: String) throws(ConfigMistake) -> Double {
        let text = try text(key)
        guard let rate = Double(rateText: text) else {
            throw wrong(key, text, "Use a number for each second, minute or hour, such as 500/s or 30000/m.")
        }
        return rate
    }

    func address(_ key: String) throws(ConfigMistake) -> ListenAddress {
        let text = try text(key)
        return try rethrowing(try ListenAddress(text)) { (error: ListenAddress.Mistake) in
            wrong(key, text, error.advice)
        }
    }

    /// A path. A relative one begins at a folder.
    func path(_ key: String, in folder: String) throws(ConfigMistake) -> String {
        try requirePath(key)
        let text = try text(key)
        if text.hasPrefix("~") {
            throw wrong(key, text, "Write the path of the home folder instead of \"~\".")
        }
        return ConfigValue.path(text, in: folder)
    }

    /// The address of the service behind a proxy.
    func publicURL() throws(ConfigMistake) -> String {
        let text = try text("public_url")
        guard PublicURL(text) != nil else {
            let advice =
                Self.bracketsAdvice(forURL: text)
                ?? "Write a scheme and a host, such as https://push.example.com, without a path."
            throw wrong("public_url", text, advice)
        }
        return text
    }

    /// Hosts of webhooks, without ports.
    func hookHosts(_ key: String) throws(ConfigMistake) -> [String] {
        try texts(key).map { (text) throws(ConfigMistake) in
            guard let host = WebhookSettings.host(text) else {
                throw ConfigMistake(
                    location,
                    "\"\(key)\" has \"\(text.printable)\". Use hosts alone, such as hooks.internal, 10.0.0.7 or ::1.")
            }
            return host
        }
    }

    /// How to write the IPv6 address of a URL that has no brackets; `nil` if there is none.
    static func bracketsAdvice(forURL text: String) -> String? {
        guard let scheme = text.firstRange(of: "://") else { return nil }
        return HostAndPort.bracketsAdvice(for: text[scheme.upperBound...].prefix { !"/?#".contains($0) })
    }

    /// Where a queue is. A relative path begins at a folder.
    func queue(_ key: String, in folder: String) throws(ConfigMistake) -> QueueLocation {
        if try text(key).hasPrefix("~") { _ = try path(key, in: folder) }
        return try parsed(key) { (text) throws(QueueError) in try QueueLocation(text, in: folder) }
    }

    /// The path of a file that exists and can be read.
    func file(_ key: String, in folder: String) throws(ConfigMistake) -> String {
        let path = try path(key, in: folder)
        var facts = stat()
        guard stat(path, &facts) == 0 else {
            let reason =
                errno == ENOENT || errno == ENOTDIR ? "There is no such file" : String(cString: strerror(errno))
            throw wrong(key, path, "\(reason). Correct the path, or create the file.", isMissingFile: true)
        }
        if facts.st_mode & S_IFMT == S_IFDIR {
            throw ConfigMistake(
                location, "\"\(key)\" is \"\(path.printable)\", which is a folder. Give the path of a file.",
                isMissingFile: true)
        }
        if access(path, R_OK) != 0 {
            throw ConfigMistake(
                location,
                """
                "\(key)" is "\(path.printable)", which this user may not read: \(String(cString: strerror(errno))). Change its owner or \
                mode.
                """, isMissingFile: true)
        }
        return path
    }
}

enum ConfigValue {
    /// `8MiB`, `512KiB`, `1MB`, `4096`; `nil` for anything else.
    static func size(_ text: String) -> Int? {
        let units: [(suffix: String, bytes: Double)] = [
            ("KiB", 1024), ("MiB", 1_048_576), ("GiB", 1_073_741_824), ("KB", 1000), ("kB", 1000), ("MB", 1e6),
            ("GB", 1e9), ("B", 1), ("", 1),
        ]
        guard let unit = units.first(where: { text.hasSuffix($0.suffix) }) else { return nil }
        var digits = text.dropLast(unit.suffix.count)
        while digits.last == " " { digits.removeLast() }
        guard let number = Double(plainDecimal: digits), number * unit.bytes < 1e15 else { return nil }
        return Int(number * unit.bytes)
    }

    /// A path that begins at the root. A relative one begins at the folder.
    static func path(_ text: String, in folder: String) -> String {
        text.hasPrefix("/") ? text : folder.hasSuffix("/") ? folder + text : "\(folder)/\(text)"
    }
}
