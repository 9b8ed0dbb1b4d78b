internal import APNSVocabulary
internal import PushJSON

/// Finds the placeholders of a template. The template is known to be valid JSON.
struct TemplateParser {
    private(set) var pieces: [PayloadTemplate.Piece] = []
    private(set) var names: [String] = []
    /// Whether the value of a placeholder decides the reading of the payload.
    private(set) var decidesReading = false
    /// Whether each placeholder allows values that do not change the findings.
    private(set) var hasRoom = true

    /// The bytes before this offset are already in the pieces.
    private var copied = 0
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
            }
        } catch let error as PushTemplateError {
            throw error
        } catch {
            throw PushTemplateError(description: "The payload is not JSON.")
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
            scanner.skipSpace()
            let key = JSONBytes.text(bytes, try scanner.string()) ?? ""
            if key.utf8.starts(with: Self.opening), key.utf8.reversed().starts(with: Self.closing) {
                throw PushTemplateError(
                    description: "The payload has a placeholder in the key \"\(key)\": only values can have one.")
            }
            scanner.skipSpace()
            _ = scanner.take(":")
            scanner.skipSpace()
            path.append(key)
            try value(&scanner, bytes)
            path.removeLast()
            scanner.skipSpace()
        } while scanner.take(",")
        _ = scanner.take("}")
    }

    private mutating func array(_ scanner: inout JSONScanner, _ bytes: UnsafeBufferPointer<UInt8>) throws {
        _ = scanner.take("[")
        scanner.skipSpace()
        if scanner.take("]") { return }
        path.append("")
        repeat {
            scanner.skipSpace()
            try value(&scanner, bytes)
            scanner.skipSpace()
        } while scanner.take(",")
        path.removeLast()
        _ = scanner.take("]")
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
            let isWhole = start == 0 && end + 2 == inner.count
            if isWhole {
                append(bytes[copied..<range.lowerBound])
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
                        "The placeholder \"\(placeholder.name)\" has a type, but is only part of a string. Remove the type."
                )
            }
            // It stays a string that is not empty, whatever the value is.
            let room = PlaceholderRange(at: path)
            if room == .none || room == .count || !PlaceholderRange.hasLetter(inner[at..<start]) { hasRoom = false }
            append(bytes[copied..<range.lowerBound + 1 + start])
            pieces.append(.text(slot: slot, fallback: placeholder.fallback))
            copied = range.lowerBound + 1 + end + 2
            at = end + 2
        }
    }

    private mutating func append(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
        if !bytes.isEmpty { pieces.append(.bytes(Array(bytes))) }
    }

    private mutating func slot(of name: String) -> Int {
        if let slot = names.firstIndex(of: name) { return slot }
        names.append(name)
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
                        "The placeholder \"\(name)\" has the type \"\(PeerText.printable(type))\". Use number or json."
                )
            }
        }
        if name.isEmpty || name.utf8.contains(UInt8(ascii: "\\")) || name.utf8.contains(UInt8(ascii: "{")) {
            throw PushTemplateError(
                description: "The payload has a placeholder without a valid name, {{\(PeerText.printable(name))}}.")
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
            throw PushTemplateError(description: "The default of the placeholder \"\(name)\" is not JSON.")
        }
        if kind == .number {
            switch value {
            case .integer, .number: break
            default:
                throw PushTemplateError(description: "The default of the placeholder \"\(name)\" is not a number.")
            }
        }
        return Array(text.utf8)
    }
}
