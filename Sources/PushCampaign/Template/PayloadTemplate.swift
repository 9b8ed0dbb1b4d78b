internal import APNSVocabulary
import PushJSON
internal import PushLint
internal import PushPlatform
package import PushProvider

/// A payload with placeholders for the values of each line: `{"aps":{"alert":"Hello
/// {{name|there}}","badge":"{{badge}}"}}`.
///
/// A placeholder is part of a JSON string. If the string has other text too, the value must be a string, a number, or a
/// boolean, and is inserted as text. If the placeholder is the whole string, like `"{{order}}"`, any JSON value of the
/// line replaces it, with the quotation marks. The text after a bar is the default for lines without the value:
/// `{{name|there}}`. In a CSV file all values are strings, so `"{{badge:number}}"` and `"{{extra:json}}"` declare that
/// the string contains a number or JSON.
///
/// A value can never change the structure around it. The template is parsed once. Without placeholders, all lines share
/// one payload and its bytes.
///
/// With its values, a payload has at most 5120 bytes, the most that Apple accepts. A template has at most 500 placeholders.
public struct PayloadTemplate: Sendable, Hashable {
    /// The type of the value that replaces a whole string.
    enum Kind: Sendable, Hashable {
        case any
        case number
        case json
    }

    enum Piece: Sendable, Hashable {
        case bytes([UInt8])
        /// A placeholder inside a string.
        case text(slot: Int, fallback: [UInt8]?)
        /// A placeholder that is a whole string.
        case value(slot: Int, Kind, fallback: [UInt8]?, PlaceholderRange)
    }

    /// The maximum size of a payload that a template makes, in bytes: the largest that Apple accepts, for any push type and for
    /// broadcasts. A payload is sent as the template makes it, and nothing makes it smaller later, so there is no room beyond. The limit
    /// of the push type itself is checked in the finished payload.
    static let maximumBytes = max(APNSLimit.voipPayloadBytes, APNSLimit.broadcastPayloadBytes)
    /// The maximum number of placeholders. It bounds the memory of a parsed template and the time for a line; a template with more is
    /// refused.
    static let maximumPlaceholders = 500

    /// The names of the placeholders, each once.
    public let names: [String]
    let pieces: [Piece]
    let slots: [String: Int]

    /// The names of placeholders for which a line must have a value.
    package var namesWithoutDefault: [String] {
        let slots = pieces.compactMap { piece -> Int? in
            switch piece {
            case .bytes: nil
            case .text(let slot, let fallback): fallback == nil ? slot : nil
            case .value(let slot, _, let fallback, _): fallback == nil ? slot : nil
            }
        }
        return Set(slots).sorted().map { names[$0] }
    }

    /// Whether no value changes what the lint finds in the payload, beside its size and the placeholders themselves.
    var keepsFindings: Bool { shared != nil || shape != nil }

    /// The payload of every line if there are no placeholders.
    let shared: PushPayload?
    /// The reading of the payload, if it is the same for every line.
    private let reading: PayloadFacts?
    /// The shape of the payloads in which the values change no finding.
    private let shape: PayloadShape?
    private let typicalBytes: Int
    /// Texts that are placeholders in other template languages, by their names in lower case.
    let foreign: [String: String]

    /// Parses a template.
    ///
    /// - Parameter json: A payload in JSON, with or without placeholders.
    /// - Throws: ``PushTemplateError`` with the position of the error.
    public init(json: some Sequence<UInt8>) throws(PushTemplateError) {
        try self.init(json, accepted: false)
    }

    /// Parses a template that was accepted before, perhaps by a version with fewer rules.
    package init(accepted json: some Sequence<UInt8>) throws(PushTemplateError) {
        try self.init(json, accepted: true)
    }

    private init(_ json: some Sequence<UInt8>, accepted: Bool) throws(PushTemplateError) {
        // Remove the whitespace that an editor leaves at the end, so that it is not sent with each line.
        var bytes = Array(json)
        while let last = bytes.last, last.isJSONSpace { bytes.removeLast() }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            throw PushTemplateError(
                description:
                    "The payload begins with a byte order mark. Save the file as UTF-8 without byte order mark.")
        }
        do throws(JSONMistake) { _ = try JSONReader.tree(bytes) } catch {
            // The sentence of the lint.
            if error.kind == .wideEncoding {
                throw PushTemplateError(description: "\(error.problem). \(error.advice)")
            }
            let position = TextPosition(of: error.range.lowerBound, in: bytes)
            // `{{name}}` without quotation marks is the usual mistake.
            let hint =
                bytes[..<error.range.lowerBound].suffix(2).contains(UInt8(ascii: "{"))
                ? " Put a placeholder in quotation marks: \"{{name}}\"." : " \(error.advice)"
            throw PushTemplateError(
                description:
                    "The payload isn't JSON: \(error.problem) at line \(position.line), column \(position.column).\(hint)"
            )
        }
        var parser = TemplateParser()
        try parser.parse(bytes)
        if let filter = parser.filter, !accepted { throw PushTemplateError(description: filter) }
        let sample = PushPayload(json: Self.rendered(parser.pieces))
        if sample.reading.problem != nil {
            let message = PayloadLint.findings(in: sample.bytes).first { $0.severity == .error }.map {
                "\($0.problem) \($0.advice)"
            }
            throw PushTemplateError(
                description: "The payload can't be sent. \(message ?? "It isn't an object with \"aps\".")")
        }
        names = parser.names
        slots = parser.slots
        pieces = parser.pieces
        shared = parser.names.isEmpty ? PushPayload(json: bytes) : nil
        reading = parser.decidesReading ? nil : sample.reading
        shape = parser.decidesReading || !parser.hasRoom ? nil : PayloadShape(.warnings)
        typicalBytes = bytes.count + 64
        foreign = ForeignPlaceholders(parser.pieces).texts
    }

    /// The template with a sample value for each placeholder.
    private static func rendered(_ pieces: [Piece]) -> [UInt8] {
        pieces.flatMap { piece in
            switch piece {
            case .bytes(let bytes): bytes
            case .text: Array("x".utf8)
            case .value: Array("{}".utf8)
            }
        }
    }

    /// Makes the payload of a line.
    ///
    /// - Parameters:
    ///   - json: The line.
    ///   - values: The range of the value of each name in the line; an empty range if the line has no such value.
    ///   - outlined: Makes the payloads in which a value may change a finding.
    /// - Returns: The payload, with the template's shape if no value can change a finding.
    /// - Throws: ``PushTemplateError`` with the value that is missing, wrong, or too long.
    func payload(
        _ json: UnsafeBufferPointer<UInt8>, _ values: [Range<Int>], _ outlined: inout OutlinedPayloads
    ) throws(PushTemplateError) -> PushPayload {
        if let shared { return shared }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(typicalBytes)
        let keepsShape = try write(json, values, to: &bytes)
        if keepsShape, let reading { return PushPayload(encoded: bytes, reading, shape) }
        return outlined.payload(bytes, reading: reading)
    }

    /// Writes the payload of a line. At ``maximumBytes`` it stops, before the value that does not fit.
    ///
    /// - Returns: Whether the payload keeps the template's shape.
    func write(
        _ json: UnsafeBufferPointer<UInt8>, _ values: [Range<Int>], to bytes: inout [UInt8]
    ) throws(PushTemplateError) -> Bool {
        var keepsShape = shape != nil
        for piece in pieces {
            switch piece {
            case .bytes(let constant):
                guard constant.count <= Self.maximumBytes - bytes.count else { throw tooLarge(json, values) }
                bytes += constant
            case .text(let slot, let fallback):
                guard Self.fits(values[slot], fallback, bytes.count) else { throw tooLarge(json, values) }
                try writeText(slot, json, values[slot], fallback, to: &bytes)
            case .value(let slot, let kind, let fallback, let room):
                guard Self.fits(values[slot], fallback, bytes.count, mayShrink: kind != .any) else {
                    throw tooLarge(json, values)
                }
                let start = bytes.count
                try writeValue(slot, json, values[slot], kind, fallback, to: &bytes)
                keepsShape = keepsShape && room.holds(bytes[start...])
            }
        }
        guard bytes.count <= Self.maximumBytes else { throw tooLarge(json, values) }
        return keepsShape
    }

    /// Whether a value may fit after a number of bytes. It may lose its quotation marks, and where it is read as JSON, also its escapes.
    private static func fits(
        _ value: Range<Int>, _ fallback: [UInt8]?, _ count: Int, mayShrink: Bool = false
    ) -> Bool {
        let left = maximumBytes - count
        if value.isEmpty { return fallback.map { $0.count <= left } ?? true }
        return value.count - 2 <= left * (mayShrink ? longestEscape : 1)
    }

    /// The number of bytes of an escape such as `\u00e4`.
    private static let longestEscape = 6

    /// Why a payload would be too large. It names the value that takes the most bytes.
    private func tooLarge(_ json: UnsafeBufferPointer<UInt8>, _ values: [Range<Int>]) -> PushTemplateError {
        var used = Array(repeating: 0, count: names.count)
        for piece in pieces {
            switch piece {
            case .bytes: break
            case .text(let slot, let fallback), .value(let slot, _, let fallback, _):
                let value = values[slot]
                let marks = value.isEmpty || json[value.lowerBound] != UInt8(ascii: "\"") ? 0 : 2
                used[slot] += value.isEmpty ? fallback?.count ?? 0 : value.count - marks
            }
        }
        let largest = used.indices.max { used[$0] < used[$1] } ?? 0
        return error(
            largest,
            "With its values the payload is longer than \(Self.maximumBytes) bytes, the most that Apple accepts. "
                + "\(shown(largest)) alone adds \(used[largest]): shorten it.")
    }

    private func writeText(
        _ slot: Int, _ json: UnsafeBufferPointer<UInt8>, _ value: Range<Int>, _ fallback: [UInt8]?,
        to bytes: inout [UInt8]
    ) throws(PushTemplateError) {
        guard !value.isEmpty, json[value.lowerBound] != UInt8(ascii: "n") else {
            guard let fallback else { throw missing(slot) }
            bytes += fallback
            return
        }
        switch json[value.lowerBound] {
        case UInt8(ascii: "\""):
            // The string is already JSON, with its escapes.
            bytes += json[value.lowerBound + 1..<value.upperBound - 1]
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let kind = json[value.lowerBound] == UInt8(ascii: "{") ? "an object" : "an array"
            throw error(slot, "\(shown(slot)) is \(kind), which can't be part of a string.")
        default: bytes += json[value]
        }
    }

    private func writeValue(
        _ slot: Int, _ json: UnsafeBufferPointer<UInt8>, _ value: Range<Int>, _ kind: Kind, _ fallback: [UInt8]?,
        to bytes: inout [UInt8]
    ) throws(PushTemplateError) {
        guard !value.isEmpty else {
            guard let fallback else { throw missing(slot) }
            bytes += fallback
            return
        }
        let first = json[value.lowerBound]
        if first == UInt8(ascii: "n"), let fallback {
            bytes += fallback
            return
        }
        guard kind != .any, first == UInt8(ascii: "\"") else {
            if kind == .number { try requireNumber(slot, Array(json[value])) }
            bytes += json[value]
            return
        }
        let text = Array((JSONBytes.text(json, value) ?? "").utf8)
        if kind == .number {
            try requireNumber(slot, text)
        } else if PushJSONValue(json: text) == nil {
            throw error(slot, "\(shown(slot)) must be JSON, but isn't.")
        }
        bytes += text
    }

    private func requireNumber(_ slot: Int, _ text: [UInt8]) throws(PushTemplateError) {
        switch PushJSONValue(json: text) {
        case .integer, .number: return
        default:
            let value = PeerText.printable(String(decoding: text.prefix(40), as: UTF8.self))
            throw error(slot, "\(shown(slot)) must be a number, but is \(value.isEmpty ? "empty" : value).")
        }
    }

    private func missing(_ slot: Int) -> PushTemplateError {
        error(slot, "The payload needs \(shown(slot)), but the line doesn't have it.")
    }

    private func error(_ slot: Int, _ description: String) -> PushTemplateError {
        PushTemplateError(description: description, name: names[slot])
    }

    private func shown(_ slot: Int) -> String { "\"\(PeerText.printable(String(names[slot].prefix(100))))\"" }
}

/// Why a text is not a payload template, or cannot be filled for a line.
public struct PushTemplateError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong and what to do, as a sentence.
    public let description: String
    /// The placeholder whose value is missing or wrong; `nil` if the template itself is wrong.
    package var name: String? = nil
}

extension PayloadTemplate {
    /// Makes the payload for one object of values.
    ///
    /// - Parameter variables: A JSON object. Values that the template does not name are ignored; of a repeated name, the
    ///   last value counts.
    /// - Returns: The payload.
    /// - Throws: ``PushTemplateError`` if the variables are not an object, or a value is missing or wrong.
    package func payload(variables: [UInt8]) throws(PushTemplateError) -> PushPayload {
        var values = Array(repeating: 0..<0, count: names.count)
        guard variables.withUnsafeBufferPointer({ read($0, &values) }) else {
            throw PushTemplateError(description: "The variables aren't a JSON object.")
        }
        var outlined = OutlinedPayloads()
        let result: Result<PushPayload, PushTemplateError> = variables.withUnsafeBufferPointer { json in
            Result { () throws(PushTemplateError) in try payload(json, values, &outlined) }
        }
        return try result.get()
    }

    /// Finds the value of each name. Returns false if the bytes are not one object.
    private func read(_ json: UnsafeBufferPointer<UInt8>, _ values: inout [Range<Int>]) -> Bool {
        var scanner = JSONScanner(json)
        scanner.skipSpace()
        guard scanner.take("{") else { return false }
        scanner.skipSpace()
        do throws(JSONScanner.Mistake) {
            if !scanner.take("}") {
                repeat {
                    guard let name = JSONBytes.text(json, try scanner.key()) else { return false }
                    let value = try scanner.value()
                    if let slot = slots[name] { values[slot] = value }
                } while try !scanner.ends(with: "}")
            }
        } catch {
            return false
        }
        scanner.skipSpace()
        return scanner.at == json.count
    }
}
