internal import PushJSON
internal import PushLint
internal import PushProvider

/// A payload with places for what differs from line to line: `{"aps":{"alert":"Hello {{name|there}}","badge":"{{badge}}"}}`.
///
/// A placeholder stands in a JSON text. Within other text its value must be a text, a number or a truth value, and is put in
/// as text; where it is all of the text, `"{{order}}"`, whatever JSON the line has takes its place, quotation marks included.
/// What is behind a bar is taken when the line has no such value: `{{name|there}}`. For lines whose values are texts only
/// (CSV), `"{{badge:number}}"` and `"{{extra:json}}"` say that the text spells a number, or JSON.
///
/// A value can never change the structure around it. The template is parsed once; without placeholders all lines share one
/// payload and its bytes.
public struct PayloadTemplate: Sendable, Hashable {
    /// What takes the place of a whole text.
    enum Kind: Sendable, Hashable {
        case any
        case number
        case json
    }

    enum Piece: Sendable, Hashable {
        case bytes([UInt8])
        /// Within a text.
        case text(slot: Int, fallback: [UInt8]?)
        /// In the place of one.
        case value(slot: Int, Kind, fallback: [UInt8]?, PlaceholderRoom)
    }

    /// The names of its placeholders, each once.
    public let names: [String]
    let pieces: [Piece]

    /// The names of placeholders for which a line must have a value.
    var namesWithoutDefault: [String] {
        let slots = pieces.compactMap { piece -> Int? in
            switch piece {
            case .bytes: nil
            case .text(let slot, let fallback): fallback == nil ? slot : nil
            case .value(let slot, _, let fallback, _): fallback == nil ? slot : nil
            }
        }
        return Set(slots).sorted().map { names[$0] }
    }

    /// The payload of every line, where there are no placeholders.
    let shared: PushPayload?
    /// What looking into a payload tells, where it is the same for every line.
    private let reading: PayloadReading?
    /// That of its payloads, where the values leave it as it is.
    private let shape: PayloadShape?
    private let usualBytes: Int

    /// Parses a template.
    ///
    /// - Parameter json: A payload in JSON with placeholders in it, or without.
    /// - Throws: ``TemplateError``, which says where it is wrong.
    public init(json: some Sequence<UInt8>) throws(TemplateError) {
        // What an editor leaves at the end of a file need not go out a million times.
        var bytes = Array(json)
        while let last = bytes.last, [0x20, 0x09, 0x0A, 0x0D].contains(last) { bytes.removeLast() }
        do throws(JSONMistake) { _ = try JSONReader.tree(bytes) } catch {
            let place = TextPlace(of: error.range.lowerBound, in: bytes)
            // `{{name}}` without them is the usual slip.
            let hint =
                bytes[..<error.range.lowerBound].suffix(2).contains(UInt8(ascii: "{"))
                ? " A placeholder stands in quotation marks: \"{{name}}\"." : " \(error.advice)"
            throw TemplateError(
                description:
                    "The payload is not JSON: \(error.problem) at line \(place.line), column \(place.column).\(hint)")
        }
        var parser = TemplateParser()
        try parser.parse(bytes)
        let sample = PushPayload(json: Self.rendered(parser.pieces))
        if sample.reading.obstacle != nil {
            let words = Lint.findings(in: sample.bytes).first { $0.severity == .error }.map {
                "\($0.problem) \($0.advice)"
            }
            throw TemplateError(description: "The payload cannot be sent. \(words ?? "It is no object with \"aps\".")")
        }
        names = parser.names
        pieces = parser.pieces
        shared = parser.names.isEmpty ? PushPayload(json: bytes) : nil
        reading = parser.decidesReading ? nil : sample.reading
        shape = parser.decidesReading || !parser.hasRoom ? nil : PayloadShape(.warnings)
        usualBytes = bytes.count + 64
    }

    /// With something in all places.
    private static func rendered(_ pieces: [Piece]) -> [UInt8] {
        pieces.flatMap { piece in
            switch piece {
            case .bytes(let bytes): bytes
            case .text: Array("x".utf8)
            case .value: Array("{}".utf8)
            }
        }
    }

    /// The payload of a line.
    ///
    /// - Parameters:
    ///   - json: The line.
    ///   - values: Where in the line the value of each name stands; an empty range where there is none.
    ///   - outlined: Makes the payloads in which a value may change a finding.
    /// - Returns: The payload, with the template's shape when all values leave room for it.
    /// - Throws: ``TemplateError``, which says what the line lacks.
    func payload(
        _ json: UnsafeBufferPointer<UInt8>, _ values: [Range<Int>], _ outlined: inout OutlinedPayloads
    ) throws(TemplateError) -> PushPayload {
        if let shared { return shared }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(usualBytes)
        var keepsShape = shape != nil
        for piece in pieces {
            switch piece {
            case .bytes(let constant): bytes += constant
            case .text(let slot, let fallback):
                try writeText(slot, json, values[slot], fallback, to: &bytes)
            case .value(let slot, let kind, let fallback, let room):
                let start = bytes.count
                try writeValue(slot, json, values[slot], kind, fallback, to: &bytes)
                keepsShape = keepsShape && room.holds(bytes[start...])
            }
        }
        if keepsShape, let reading { return PushPayload(encoded: bytes, reading, shape) }
        return outlined.payload(bytes, reading: reading)
    }

    private func writeText(
        _ slot: Int, _ json: UnsafeBufferPointer<UInt8>, _ value: Range<Int>, _ fallback: [UInt8]?,
        to bytes: inout [UInt8]
    ) throws(TemplateError) {
        guard !value.isEmpty, json[value.lowerBound] != UInt8(ascii: "n") else {
            guard let fallback else { throw missing(slot) }
            bytes += fallback
            return
        }
        switch json[value.lowerBound] {
        case UInt8(ascii: "\""):
            // It is JSON already, escapes and all.
            bytes += json[value.lowerBound + 1..<value.upperBound - 1]
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let kind = json[value.lowerBound] == UInt8(ascii: "{") ? "an object" : "an array"
            throw TemplateError(description: "\"\(names[slot])\" is \(kind), which cannot stand within a text.")
        default: bytes += json[value]
        }
    }

    private func writeValue(
        _ slot: Int, _ json: UnsafeBufferPointer<UInt8>, _ value: Range<Int>, _ kind: Kind, _ fallback: [UInt8]?,
        to bytes: inout [UInt8]
    ) throws(TemplateError) {
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
        } else if JSONValue(json: text) == nil {
            throw TemplateError(description: "\"\(names[slot])\" should be JSON, and is not.")
        }
        bytes += text
    }

    private func requireNumber(_ slot: Int, _ text: [UInt8]) throws(TemplateError) {
        switch JSONValue(json: text) {
        case .integer, .number: return
        default:
            let shown = PeerText.printable(String(decoding: text.prefix(40), as: UTF8.self))
            throw TemplateError(description: "\"\(names[slot])\" should be a number, and is \(shown).")
        }
    }

    private func missing(_ slot: Int) -> TemplateError {
        TemplateError(description: "The payload needs \"\(names[slot])\", which the line does not have.")
    }
}
