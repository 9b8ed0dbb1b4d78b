internal import APNSVocabulary
import PushJSON

/// The ranges of the fields in a line.
struct RowFields {
    /// The fields that a line may have, besides its variables.
    enum Name: Int, CaseIterable, Sendable {
        case token, ref, payload, vars, topic, pushType, priority, collapseID, expires, apnsID, registeredAt, user

        var text: String { String(decoding: Self.names[rawValue], as: UTF8.self) }

        /// Whether it replaces a default, and is not a part of every line.
        var isSetting: Bool { rawValue > Self.vars.rawValue }

        /// Whether a name of a column or field means device tokens. Spreadsheets and databases write it in several ways.
        static func meansToken(_ name: String) -> Bool {
            ["token", "devicetoken"].contains(name.lowercased().filter { !"_- ".contains($0) })
        }

        private static let names = [
            "token", "ref", "payload", "vars", "topic", "push_type", "priority", "collapse_id", "expires", "apns_id",
            "registered_at", "user",
        ].map { Array($0.utf8) }

        init?(_ key: some RandomAccessCollection<UInt8>) {
            let count = key.count
            for (number, text) in Self.names.enumerated() where text.count == count && text.elementsEqual(key) {
                self.init(rawValue: number)
                return
            }
            return nil
        }
    }

    private var ranges = [Range<Int>](repeating: 0..<0, count: Name.allCases.count)
    /// The range of the value for each name of the template; empty where there is none.
    private(set) var values: [Range<Int>]
    private let names: SortedNames
    private let takesUsers: Bool
    /// Whether the line has a field that replaces a default.
    private(set) var hasSettings = false
    /// Which fields the line has, including fields with the value `null`.
    private var found = [Bool](repeating: false, count: Name.allCases.count)
    /// The keys in `vars` that the template does not use.
    private var otherKeys: [Range<Int>] = []

    /// - Parameters:
    ///   - names: The names of the template.
    ///   - takesUsers: Whether `user` is a field.
    init(names: [String], takesUsers: Bool = false) {
        (self.names, self.takesUsers) = (SortedNames(names), takesUsers)
        values = Array(repeating: 0..<0, count: names.count)
    }

    /// The range of the value, of `vars` if it is an object; `nil` when the line has no such field, or when its value is `null`.
    subscript(name: Name) -> Range<Int>? {
        let range = ranges[name.rawValue]
        return range.isEmpty ? nil : range
    }

    /// Finds the fields in a line, which must be one JSON object.
    ///
    /// - Returns: What is wrong with the line, in a sentence; `nil` when the line is valid.
    mutating func find(in json: UnsafeBufferPointer<UInt8>) -> String? {
        for index in ranges.indices { ranges[index] = 0..<0 }
        for index in values.indices { values[index] = 0..<0 }
        for index in found.indices { found[index] = false }
        otherKeys.removeAll(keepingCapacity: true)
        hasSettings = false
        guard JSONBytes.areUTF8(json) else { return "The line isn't UTF-8." }
        var scanner = JSONScanner(json)
        do throws(JSONScanner.Mistake) {
            scanner.skipSpace()
            guard scanner.take("{") else { return "The line isn't a JSON object such as {\"token\":\"5f3a...\"}." }
            if let problem = try members(&scanner, json) { return problem }
            scanner.skipSpace()
            if scanner.at < json.count { throw scanner.problem("there is more after the end of the object") }
            return nil
        } catch {
            return Self.mistake(in: json)
                ?? "The line isn't JSON: \(error.message), at column \(error.offset + 1)."
        }
    }

    /// Why a line isn't JSON, in the words that mistakes in JSON have everywhere; `nil` if only the scanner refuses it.
    private static func mistake(in json: UnsafeBufferPointer<UInt8>) -> String? {
        do throws(JSONMistake) {
            _ = try JSONReader.tree(Array(json))
            return nil
        } catch {
            let advice =
                error.kind == .textAfterEnd
                ? "Write each push on its own line." : error.advice.replacing("payload", with: "line")
            return "\(error.sentence(of: "line", at: ", at column \(error.range.lowerBound + 1)")) \(advice)"
        }
    }

    private mutating func members(
        _ scanner: inout JSONScanner, _ json: UnsafeBufferPointer<UInt8>
    ) throws(JSONScanner.Mistake) -> String? {
        scanner.skipSpace()
        if scanner.take("}") { return nil }
        repeat {
            let key = try Self.key(&scanner)
            if let name = Self.name(key, json), name != .user || takesUsers {
                if found[name.rawValue] { return Self.twice(name.text) }
                found[name.rawValue] = true
                if name.isSetting { hasSettings = true }
                if name == .vars {
                    let start = scanner.at
                    if let problem = try variables(&scanner, json) { return problem }
                    if json[start] == UInt8(ascii: "{") { ranges[name.rawValue] = start..<scanner.at }
                } else {
                    let range = try scanner.value()
                    let isNull = json[range.lowerBound] == UInt8(ascii: "n") && name != .ref
                    ranges[name.rawValue] = isNull ? 0..<0 : range
                    // A payload may show the user, too.
                    if name == .user, let slot = slot(key, json) {
                        guard values[slot].isEmpty else { return twice(slot) }
                        values[slot] = range
                    }
                }
            } else {
                let range = try scanner.value()
                guard let slot = slot(key, json) else {
                    if Name.meansToken(String(decoding: json[key], as: UTF8.self)) {
                        return "The device token of a line is called \"token\"."
                    }
                    let text = PeerText.printable(String(decoding: json[key].prefix(40), as: UTF8.self))
                    return
                        "Unknown field \"\(text)\", and the payload has no such placeholder. Put variables into \"vars\"."
                }
                guard values[slot].isEmpty else { return twice(slot) }
                values[slot] = range
            }
        } while try !scanner.ends(with: "}")
        return nil
    }

    /// Skips a name and its colon.
    private static func key(_ scanner: inout JSONScanner) throws(JSONScanner.Mistake) -> Range<Int> {
        let key = try scanner.key()
        return key.lowerBound + 1..<key.upperBound - 1
    }

    /// Reads the variables. A template need not use all of them.
    private mutating func variables(
        _ scanner: inout JSONScanner, _ json: UnsafeBufferPointer<UInt8>
    ) throws(JSONScanner.Mistake) -> String? {
        guard scanner.peek == UInt8(ascii: "{") else {
            let range = try scanner.value()
            return json[range.lowerBound] == UInt8(ascii: "n") ? nil : "\"vars\" must be a JSON object."
        }
        _ = scanner.take("{")
        scanner.skipSpace()
        if scanner.take("}") { return nil }
        repeat {
            let key = try Self.key(&scanner)
            let range = try scanner.value()
            if let slot = slot(key, json) {
                guard values[slot].isEmpty else { return twice(slot) }
                values[slot] = range
            } else {
                otherKeys.append(key)
            }
        } while try !scanner.ends(with: "}")
        return otherKeyTwice(json)
    }

    /// The names in `vars` that the template does not use.
    func unused(_ json: UnsafeBufferPointer<UInt8>) -> some Sequence<String> {
        otherKeys.lazy.map { String(decoding: Self.unescaped($0, json) ?? Array(json[$0]), as: UTF8.self) }
    }

    func variableNames(_ json: UnsafeBufferPointer<UInt8>) -> [String] {
        zip(names.texts, values).filter { !$0.1.isEmpty }.map(\.0) + unused(json)
    }

    // MARK: Keys

    private static func name(_ key: Range<Int>, _ json: UnsafeBufferPointer<UInt8>) -> Name? {
        Name(json[key]) ?? unescaped(key, json).flatMap { Name($0) }
    }

    /// Returns the index of a key among the names of the template.
    private func slot(_ key: Range<Int>, _ json: UnsafeBufferPointer<UInt8>) -> Int? {
        names.slot(of: json[key]) ?? Self.unescaped(key, json).flatMap { names.slot(of: $0) }
    }

    /// Returns the text of a key with escapes; `nil` for a key without escapes.
    private static func unescaped(_ key: Range<Int>, _ json: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard json[key].contains(UInt8(ascii: "\\")) else { return nil }
        return JSONBytes.text(json, key.lowerBound - 1..<key.upperBound + 1).map { Array($0.utf8) }
    }

    private static func twice(_ key: String) -> String {
        "The line has \"\(PeerText.printable(String(key.prefix(40))))\" twice: give each key once."
    }

    private func twice(_ slot: Int) -> String { Self.twice(names.texts[slot]) }

    /// Returns an unused key that occurs twice. Usually there are few unused keys, without escapes.
    private func otherKeyTwice(_ json: UnsafeBufferPointer<UInt8>) -> String? {
        if otherKeys.count < 2 { return nil }
        if otherKeys.count <= Self.fewKeys, !otherKeys.contains(where: { json[$0].contains(UInt8(ascii: "\\")) }) {
            for (number, key) in otherKeys.enumerated() {
                for other in otherKeys[..<number]
                where other.count == key.count && json[other].elementsEqual(json[key]) {
                    return Self.twice(String(decoding: json[key], as: UTF8.self))
                }
            }
            return nil
        }
        var seen: Set<[UInt8]> = []
        let twice = otherKeys.lazy.map { Self.unescaped($0, json) ?? Array(json[$0]) }.first {
            !seen.insert($0).inserted
        }
        return twice.map { Self.twice(String(decoding: $0, as: UTF8.self)) }
    }

    /// The maximum number of keys that are compared with each other. For more keys, a set is faster.
    private static let fewKeys = 16
}

/// The names of a template, sorted: a line may have many keys, and each is looked up. A dictionary would need a copy of the key.
struct SortedNames {
    private struct Name {
        var bytes: [UInt8]
        var slot: Int

        /// The order: by length, then by bytes.
        func isBefore(_ other: some RandomAccessCollection<UInt8>) -> Bool {
            bytes.count == other.count ? bytes.lexicographicallyPrecedes(other) : bytes.count < other.count
        }
    }

    /// The names in the order of the template.
    let texts: [String]
    private let sorted: [Name]

    init(_ texts: [String]) {
        self.texts = texts
        sorted = texts.enumerated().map { Name(bytes: Array($0.element.utf8), slot: $0.offset) }
            .sorted { $0.isBefore($1.bytes) }
    }

    /// The position of a name in the template; `nil` if the template does not have it.
    func slot(of name: some RandomAccessCollection<UInt8>) -> Int? {
        var comparisons = 0
        return slot(of: name, &comparisons)
    }

    /// The same. It also counts the comparisons, for a test.
    func slot(of name: some RandomAccessCollection<UInt8>, _ comparisons: inout Int) -> Int? {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            comparisons += 1
            if sorted[middle].isBefore(name) { low = middle + 1 } else { high = middle }
        }
        guard low < sorted.count, sorted[low].bytes.elementsEqual(name) else { return nil }
        return sorted[low].slot
    }
}
