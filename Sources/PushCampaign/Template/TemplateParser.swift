internal import APNSVocabulary
internal import PushJSON
internal import PushLint
internal import PushProvider

/// Finds the placeholders of a template. The template is known to be valid JSON.
struct TemplateParser {
    private(set) var pieces: [PayloadTemplate.Piece] = []
    private(set) var names: [String] = []
    private(set) var slots: [String: Int] = [:]
    private(set) var decidesReading = false
    /// Whether each placeholder allows values that do not change the findings.
    private(set) var hasRoom = true
    /// What is wrong with the first default that is a filter of another template language.
    private(set) var filter: String?

    /// The bytes before this offset are already in the pieces.
    private var copied = 0
    /// The number of bytes in the pieces, without placeholders.
    private var constants = 0
    private var placeholders = 0
    private var path: [String] = []

    private static let opening = Array("{{".utf8)
    private static let closing = Array("}}".utf8)

    mutating func parse(_ json: [UInt8]) throws(PushTemplateError) {
        do {
            try json.withUnsafeBufferPointer { bytes in
                var scanner = JSONScanner(bytes)
                scanner.skipSpace()
                try value(&scanner, bytes)
                append(bytes[copied...])
                if placeholders > 0 { try requireRoom() }
            }
        } catch let error as PushTemplateError {
            throw error
        } catch {
            throw PushTemplateError(description: "The payload isn't JSON.")
        }
    }

    // MARK: Parsing

    private mutating func value(_ scanner: inout JSONScanner, _ bytes: UnsafeBufferPointer<UInt8>) throws {
        switch scanner.peek {
        case UInt8(ascii: "{"): try object(&scanner, bytes)
        case UInt8(ascii: "["): try array(&scanner, bytes)
        case UInt8(ascii: "\""): try text(try scanner.string(), bytes)
        default: _ = try scanner.value()
        }
    }

    private mutating func object(_ scanner: inout JSONScanner, _ bytes: UnsafeBufferPointer<UInt8>) throws {
        _ = scanner.take("{")
        scanner.skipSpace()
        if scanner.take("}") { return }
        repeat {
            let key = JSONBytes.text(bytes, try scanner.key()) ?? ""
            if key.utf8.starts(with: Self.opening), key.utf8.reversed().starts(with: Self.closing) {
                throw PushTemplateError(
                    description: """
                        The payload has a placeholder in the key "\(PeerText.printable(String(key.prefix(100))))": only values can have one.
                        """)
            }
            path.append(key)
            try value(&scanner, bytes)
            path.removeLast()
        } while try !scanner.ends(with: "}")
    }

    private mutating func array(_ scanner: inout JSONScanner, _ bytes: UnsafeBufferPointer<UInt8>) throws {
        _ = scanner.take("[")
        scanner.skipSpace()
        if scanner.take("]") { return }
        path.append("")
        repeat {
            scanner.skipSpace()
            try value(&scanner, bytes)
        } while try !scanner.ends(with: "]")
        path.removeLast()
    }

    // MARK: Texts

    /// Reads a string. The range includes the quotation marks.
    private mutating func text(_ range: Range<Int>, _ bytes: UnsafeBufferPointer<UInt8>) throws {
        let inner = Array(bytes[range.lowerBound + 1..<range.upperBound - 1])
        var at = 0
        while let start = Self.find(Self.opening, in: inner, from: at) {
            guard var end = Self.find(Self.closing, in: inner, from: start + 2) else {
                throw PushTemplateError(description: "The payload has a placeholder without the closing }}.")
            }
            // The default after the bar may itself end with a brace.
            while end + 2 < inner.count, inner[end + 2] == UInt8(ascii: "}") { end += 1 }
            let placeholder = try Placeholder(inner[start + 2..<end])
            let slot = slot(of: placeholder.name)
            placeholders += 1
            if filter == nil, let fallback = placeholder.fallback {
                filter = PayloadTemplate.filter(placeholder.name, fallback)
            }
            let isWhole = start == 0 && end + 2 == inner.count
            append(bytes[copied..<(isWhole ? range.lowerBound : range.lowerBound + 1 + start)])
            // Before the path is read: with a long key, that takes long for each placeholder.
            try requireRoom()
            if isWhole {
                let room = PlaceholderRange(at: path)
                if room == .none { hasRoom = false }
                pieces.append(.value(slot: slot, placeholder.kind, fallback: try placeholder.fallbackValue(), room))
                copied = range.upperBound
                if path == ["aps"] || path == ["aps", "content-available"] { decidesReading = true }
                return
            }
            guard placeholder.kind == .any else {
                throw PushTemplateError(
                    description:
                        "The placeholder \"\(placeholder.shown)\" has a type, but is only part of a string. Remove the type."
                )
            }
            // It stays a string that is not empty, whatever the value is.
            let room = PlaceholderRange(at: path)
            if room == .none || room == .count || !PlaceholderRange.hasLetter(inner[at..<start]) { hasRoom = false }
            pieces.append(.text(slot: slot, fallback: placeholder.fallback))
            copied = range.lowerBound + 1 + end + 2
            at = end + 2
        }
    }

    private mutating func append(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
        constants += bytes.count
        if !bytes.isEmpty { pieces.append(.bytes(Array(bytes))) }
    }

    /// Throws if no values can make a payload of this.
    private func requireRoom() throws(PushTemplateError) {
        if placeholders > PayloadTemplate.maximumPlaceholders {
            throw PushTemplateError(
                description: """
                    The payload has more than \(PayloadTemplate.maximumPlaceholders) placeholders, the maximum. Use \
                    fewer, or one placeholder for an object: "{{data:json}}".
                    """)
        }
        if constants > PayloadTemplate.maximumBytes {
            throw PushTemplateError(
                description: """
                    The payload is longer than \(PayloadTemplate.maximumBytes) bytes without its values, the most that Apple accepts. \
                    \(PayloadChecks.smaller)
                    """)
        }
    }

    private mutating func slot(of name: String) -> Int {
        if let slot = slots[name] { return slot }
        names.append(name)
        slots[name] = names.count - 1
        return names.count - 1
    }

    private static func find(_ pattern: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        var at = start
        while at + pattern.count <= bytes.count {
            if bytes[at] == pattern[0], bytes[at + 1] == pattern[1] { return at }
            at += 1
        }
        return nil
    }
}

/// The content between the braces: `name`, `name|there`, `badge:number|1`.
private struct Placeholder {
    var name: String
    var kind = PayloadTemplate.Kind.any
    /// The default as written in the template, with escapes.
    var fallback: [UInt8]?
    /// The name for a sentence.
    var shown: String { PeerText.printable(String(name.prefix(100))) }

    init(_ bytes: ArraySlice<UInt8>) throws(PushTemplateError) {
        let parts = bytes.split(separator: UInt8(ascii: "|"), maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2 { fallback = Array(parts[1]) }
        let fields = parts[0].split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        name = Self.trimmed(fields[0])
        if fields.count == 2 {
            switch Self.trimmed(fields[1]) {
            case "number": kind = .number
            case "json": kind = .json
            case let type:
                throw PushTemplateError(
                    description:
                        "The placeholder \"\(shown)\" has the type \"\(PeerText.printable(String(type.prefix(100))))\". Use number or json."
                )
            }
        }
        if name.isEmpty || name.utf8.contains(UInt8(ascii: "\\")) || name.utf8.contains(UInt8(ascii: "{")) {
            throw PushTemplateError(
                description:
                    "The payload has a placeholder without a valid name, {{\(shown)}}."
            )
        }
        // JSON may have braces of its own.
        if kind != .json, String(decoding: fallback ?? [], as: UTF8.self).contains("{{") {
            throw PushTemplateError(
                description: "The default of {{\(shown)}} has a placeholder in it. A default is a fixed text.")
        }
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
        var text = bytes.drop { $0 == 0x20 }
        while text.last == 0x20 { text.removeLast() }
        return String(decoding: text, as: UTF8.self)
    }

    /// The default value for a placeholder that is a whole string.
    func fallbackValue() throws(PushTemplateError) -> [UInt8]? {
        guard let fallback else { return nil }
        let quoted = [UInt8(ascii: "\"")] + fallback + [UInt8(ascii: "\"")]
        if kind == .any { return quoted }
        guard case .string(let text)? = PushJSONValue(json: quoted), let value = PushJSONValue(json: Array(text.utf8))
        else {
            throw PushTemplateError(description: "The default of the placeholder \"\(shown)\" isn't JSON.")
        }
        if kind == .number {
            switch value {
            case .integer, .number: break
            default:
                throw PushTemplateError(description: "The default of the placeholder \"\(shown)\" isn't a number.")
            }
        }
        return Array(text.utf8)
    }
}

/// The values of a placeholder that do not change the findings of the lint.
///
/// If all values of two payloads of one template are in this range, the payloads have the same findings. So the
/// payloads of a campaign with millions of lines are not read a second time. A test checks this with all rules.
enum PlaceholderRange: Sendable, Hashable {
    /// Any value may change the findings.
    case none
    /// A string with visible characters.
    case text
    /// A whole number of at most six digits.
    case count
    /// A string, a number, or a boolean.
    case scalar

    /// Creates the room for a path in a payload. Elements of lists have an empty name.
    init(at path: [String]) {
        switch path {
        case ["aps", "alert"], ["aps", "alert", "title"], ["aps", "alert", "subtitle"], ["aps", "alert", "body"]:
            self = .text
        case ["aps", "badge"]: self = .count
        default: self = Self.isOwn(path) ? .scalar : .none
        }
    }

    /// Whether this is data of the app. Keys with the name of a key of Apple or of another service
    /// are not.
    private static func isOwn(_ path: [String]) -> Bool {
        guard let first = path.first, !known.contains(first.lowercased()) else { return false }
        return !path.contains { $0.lowercased().contains("attachment") }
    }

    private static let known = Set(
        KnownKey.all.map(\.name) + ["mdm", "container-identifier", "notification", "simulator target bundle"])

    func holds(_ json: some RandomAccessCollection<UInt8>) -> Bool {
        guard let first = json.first else { return false }
        switch self {
        case .none: return false
        case .text: return first == UInt8(ascii: "\"") && Self.hasLetter(json)
        case .count:
            return json.count <= 6 && json.allSatisfy(Self.digits.contains) && (first != Self.zero || json.count == 1)
        case .scalar: return first != UInt8(ascii: "{") && first != UInt8(ascii: "[") && !Self.mayOverflow(json)
        }
    }

    /// Whether the text has a character that is neither a space nor an escape. Non-ASCII characters count.
    static func hasLetter(_ text: some Sequence<UInt8>) -> Bool {
        text.contains { digits.contains($0) || $0 > 0x7F || (0x61...0x7A).contains($0 | 0x20) }
    }

    /// Whether a number may be too large for a Double. Such a number is rejected as invalid JSON.
    private static func mayOverflow(_ json: some RandomAccessCollection<UInt8>) -> Bool {
        guard let first = json.first, digits.contains(first) || first == UInt8(ascii: "-") else { return false }
        return json.count > 300 || json.contains { $0 | 0x20 == UInt8(ascii: "e") }
    }

    private static let zero = UInt8(ascii: "0")
    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
}
