internal import APNSVocabulary
import PushJSON
internal import PushLint
internal import PushPlatform

/// Writes the outline of a payload: everything in it that can change a finding of the lint.
///
/// Two payloads with the same outline have the same ``PayloadFacts``. If the lint finds nothing in one of them, it
/// finds nothing in the other. The outline keeps the structure, every key, and every value, with these exceptions:
///
/// - For the texts of an alert, it keeps only that they are strings and not empty.
/// - For strings that no rule reads, such as `thread-id`, it keeps only that they are strings.
/// - For a badge or a relevance score, it keeps only that the number is in the range that every rule accepts.
/// - For a `to` beside `aps`, it keeps only whether it is an Expo push token.
/// - For the app's own values, beside `aps` and in the state of a Live Activity, it keeps the kind, and the keys of
///   objects. In a list, neighbours with the same outline count once.
///
/// `PayloadOutlineTests` checks this with all rules.
struct PayloadOutline {
    /// The context of an object. It decides what the members mean.
    private enum Home {
        case root, aps, alert
        /// Data of the app. No rule checks its scalars.
        case own
    }

    /// The maximum size of a payload with an outline, in bytes. Larger payloads have none, because the size limit
    /// differs for some push types.
    static let longestPayload = APNSLimit.payloadBytes(for: .alert)
    /// The size of the memory for an outline, in bytes. Each value adds at most one byte to its size in the payload,
    /// and a payload has fewer values than bytes.
    static let room = 2 * longestPayload + 64
    /// The maximum nesting depth. Deeper payloads have no outline, so the recursion stays small.
    private static let deepest = 24

    let json: UnsafeBufferPointer<UInt8>
    private let outline: UnsafeMutableBufferPointer<UInt8>
    var at = 0
    private var written = 0

    private init(_ json: UnsafeBufferPointer<UInt8>, to outline: UnsafeMutableBufferPointer<UInt8>) {
        self.json = json
        self.outline = outline
    }

    /// Writes the outline of a payload.
    ///
    /// - Parameters:
    ///   - json: JSON in UTF-8. Other bytes are safe, but their outline has no meaning.
    ///   - outline: Memory for the outline, ``room`` bytes.
    /// - Returns: The size of the outline in bytes; `nil` if the payload has no outline.
    static func write(
        _ json: UnsafeBufferPointer<UInt8>, to outline: UnsafeMutableBufferPointer<UInt8>
    ) -> Int? {
        guard json.count <= longestPayload, outline.count >= room, json.first == UInt8(ascii: "{") else { return nil }
        var writer = PayloadOutline(json, to: outline)
        guard writer.object(.root, depth: 0) else { return nil }
        writer.skipSpace()
        guard writer.at == json.count else { return nil }
        return writer.written
    }

    // MARK: Containers

    private mutating func object(_ home: Home, depth: Int) -> Bool {
        guard depth < Self.deepest else { return false }
        at += 1
        put(UInt8(ascii: "{"))
        skipSpace()
        if take(UInt8(ascii: "}")) {
            put(UInt8(ascii: "}"))
            return true
        }
        while true {
            skipSpace()
            guard let key = string(), !key.hasEscapes else { return false }
            copy(key.range)
            skipSpace()
            guard take(UInt8(ascii: ":")) else { return false }
            skipSpace()
            guard member(key.range.lowerBound + 1..<key.range.upperBound - 1, home, depth: depth + 1) else {
                return false
            }
            skipSpace()
            if take(UInt8(ascii: "}")) {
                put(UInt8(ascii: "}"))
                return true
            }
            guard take(UInt8(ascii: ",")) else { return false }
        }
    }

    private mutating func member(_ key: Range<Int>, _ home: Home, depth: Int) -> Bool {
        switch home {
        case .root:
            if isKey(key, "aps") { return peek == UInt8(ascii: "{") ? object(.aps, depth: depth) : verbatim() }
            if isKey(key, "to") { return address() }
            return isKey(key, "mdm") || mayBeAttachment(key) ? verbatim() : own(depth: depth)
        case .aps: return apsMember(key, depth: depth)
        case .alert: return alertMember(key)
        case .own: return own(depth: depth)
        }
    }

    private mutating func apsMember(_ key: Range<Int>, depth: Int) -> Bool {
        switch key.count {
        case 5 where isKey(key, "alert"):
            return peek == UInt8(ascii: "{") ? object(.alert, depth: depth) : shownText()
        case 5 where isKey(key, "badge"): return badge()
        case 8 where isKey(key, "category"), 9 where isKey(key, "thread-id"),
            15 where isKey(key, "filter-criteria") || isKey(key, "attributes-type"),
            17 where isKey(key, "target-content-id"):
            return text()
        case 15 where isKey(key, "relevance-score"): return score()
        case 13 where isKey(key, "content-state"), 10 where isKey(key, "attributes"):
            return peek == UInt8(ascii: "{") ? object(.own, depth: depth) : verbatim()
        default: return verbatim()
        }
    }

    private mutating func alertMember(_ key: Range<Int>) -> Bool {
        switch key.count {
        case 4 where isKey(key, "body"), 5 where isKey(key, "title"), 8 where isKey(key, "subtitle"): shownText()
        case 11 where isKey(key, "summary-arg"), 12 where isKey(key, "launch-image"): text()
        case 8 where isKey(key, "loc-args"), 14 where isKey(key, "title-loc-args"),
            17 where isKey(key, "subtitle-loc-args"):
            texts()
        default: verbatim()
        }
    }

    // MARK: Values that rules check

    /// A string that the user sees.
    private mutating func shownText() -> Bool {
        guard peek == UInt8(ascii: "\"") else { return verbatim() }
        let start = at
        guard let text = string() else { return false }
        if text.range.count == 2 {
            at = start
            return verbatim()
        }
        put(UInt8(ascii: "T"))
        return true
    }

    /// The recipient key of other services: keeps whether it is an Expo push token.
    private mutating func address() -> Bool {
        guard peek == UInt8(ascii: "\"") else { return verbatim() }
        guard let text = string()?.range else { return false }
        let isExpo = ForeignRules.expoPrefix.withUTF8Buffer { json[text].dropFirst().starts(with: $0) }
        put(isExpo ? UInt8(ascii: "E") : UInt8(ascii: "s"))
        return true
    }

    private mutating func text() -> Bool {
        guard peek == UInt8(ascii: "\"") else { return verbatim() }
        guard string() != nil else { return false }
        put(UInt8(ascii: "s"))
        return true
    }

    /// A list of strings. Their number is kept.
    private mutating func texts() -> Bool {
        let (start, begun) = (at, written)
        guard take(UInt8(ascii: "[")) else { return verbatim() }
        put(UInt8(ascii: "["))
        repeat {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else {
                (at, written) = (start, begun)
                return verbatim()
            }
            guard string() != nil else { return false }
            put(UInt8(ascii: "s"))
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { return false }
        put(UInt8(ascii: "]"))
        return true
    }

    /// A whole number that is not negative.
    private mutating func badge() -> Bool {
        let end = endOfDigits
        guard (1...9).contains(end - at), isEndOfNumber(end) else { return verbatim() }
        at = end
        put(UInt8(ascii: "N"))
        return true
    }

    /// A number from 0 up to but not including 1.
    private mutating func score() -> Bool {
        let start = at
        if take(UInt8(ascii: "0")) {
            if take(UInt8(ascii: ".")) { at = endOfDigits }
            if isEndOfNumber(at), at - start <= 20 {
                put(UInt8(ascii: "r"))
                return true
            }
            at = start
        }
        return verbatim()
    }

    private mutating func verbatim() -> Bool {
        let start = at
        guard skipValue() else { return false }
        put(UInt8(ascii: "v"))
        copy(start..<at)
        return true
    }

    // MARK: Values of the app

    private mutating func own(depth: Int) -> Bool {
        switch peek {
        case UInt8(ascii: "{"): return object(.own, depth: depth)
        case UInt8(ascii: "["): return list(depth: depth)
        case UInt8(ascii: "\""):
            guard string() != nil else { return false }
            put(UInt8(ascii: "s"))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let start = at
            skipScalar()
            // A number that is too large for a Double is rejected as invalid JSON. Only these forms can be too large.
            if at - start > 300 || json[start..<at].contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) { return false }
            put(UInt8(ascii: "n"))
        case UInt8(ascii: "t"), UInt8(ascii: "f"):
            skipScalar()
            put(UInt8(ascii: "b"))
        case UInt8(ascii: "n"):
            skipScalar()
            put(UInt8(ascii: "z"))
        default: return false
        }
        return true
    }

    private mutating func list(depth: Int) -> Bool {
        guard depth < Self.deepest else { return false }
        at += 1
        put(UInt8(ascii: "["))
        var previous: Range<Int>?
        skipSpace()
        if !take(UInt8(ascii: "]")) {
            repeat {
                skipSpace()
                let start = written
                guard own(depth: depth + 1) else { return false }
                skipSpace()
                if let previous, outline[previous].elementsEqual(outline[start..<written]) {
                    written = start
                } else {
                    previous = start..<written
                }
            } while take(UInt8(ascii: ","))
            guard take(UInt8(ascii: "]")) else { return false }
        }
        put(UInt8(ascii: "]"))
        return true
    }

    /// Whether the rule about attachments may check the value. At the outermost level, this depends on the key.
    private func mayBeAttachment(_ key: Range<Int>) -> Bool {
        let name: StaticString = "attachment"
        guard key.count >= name.utf8CodeUnitCount else { return false }
        for start in key.lowerBound...key.upperBound - name.utf8CodeUnitCount {
            var matching = 0
            while matching < name.utf8CodeUnitCount, json[start + matching] | 0x20 == name.utf8Start[matching] {
                matching += 1
            }
            if matching == name.utf8CodeUnitCount { return true }
        }
        return false
    }

    // MARK: Writing

    /// Appends a byte. There is always room, see ``room``.
    private mutating func put(_ byte: UInt8) {
        outline[written] = byte
        written += 1
    }

    private mutating func copy(_ range: Range<Int>) {
        guard let target = outline.baseAddress, let source = json.baseAddress else { return }
        UnsafeMutableRawPointer(target + written).copyMemory(from: source + range.lowerBound, byteCount: range.count)
        written += range.count
    }
}

// Reads the JSON of a payload for the outline. The JSON is known to be valid.

extension PayloadOutline {
    /// The current byte; 0 at the end, because no value begins with 0.
    var peek: UInt8 { at < json.count ? json[at] : 0 }

    mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        at += 1
        return true
    }

    mutating func skipSpace() {
        while at < json.count, json[at] <= 0x20 { at += 1 }
    }

    /// Reads a string with its quotation marks; `nil` if it has no end.
    mutating func string() -> (range: Range<Int>, hasEscapes: Bool)? {
        guard peek == UInt8(ascii: "\"") else { return nil }
        let start = at
        var hasEscapes = false
        at += 1
        while true {
            at = JSONBytes.endOfPlainText(json, from: min(at, json.count))
            guard at < json.count else { return nil }
            let byte = json[at]
            at += 1
            if byte == UInt8(ascii: "\"") { return (start..<at, hasEscapes) }
            if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                at += 1
            }
        }
    }

    mutating func skipScalar() {
        while at < json.count, json[at] > 0x20, json[at] != UInt8(ascii: ","), json[at] != UInt8(ascii: "}"),
            json[at] != UInt8(ascii: "]")
        {
            at += 1
        }
    }

    mutating func skipValue() -> Bool {
        var depth = 0
        repeat {
            switch peek {
            case 0: return false
            case UInt8(ascii: "\""): guard string() != nil else { return false }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                at += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                at += 1
            case UInt8(ascii: ","), UInt8(ascii: ":"), 1...0x20: at += 1
            default: skipScalar()
            }
        } while depth > 0
        return depth == 0
    }

    var endOfDigits: Int {
        var end = at
        while end < json.count, json[end] &- UInt8(ascii: "0") < 10 { end += 1 }
        return end
    }

    /// Whether neither a fraction nor an exponent follows.
    func isEndOfNumber(_ offset: Int) -> Bool {
        guard offset < json.count else { return true }
        return json[offset] <= 0x20 || json[offset] == UInt8(ascii: ",") || json[offset] == UInt8(ascii: "}")
            || json[offset] == UInt8(ascii: "]")
    }

    func isKey(_ key: Range<Int>, _ name: StaticString) -> Bool {
        guard key.count == name.utf8CodeUnitCount, let start = json.baseAddress else { return false }
        return memcmp(start + key.lowerBound, name.utf8Start, key.count) == 0
    }
}
