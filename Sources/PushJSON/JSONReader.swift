/// Reads JSON exactly as RFC 8259 defines it. (Foundation's decoder allows trailing commas, and then Apple refuses the
/// payload.)
///
/// There is one grammar for two modes. The strict mode stops at the first mistake. The tolerant mode, for the lint,
/// records each mistake that it can skip with certainty, and continues as if the text were correct; it stops at the
/// first mistake that it cannot skip. So the tolerant mode explains every mistake that the strict mode refuses.
///
/// An extension for each kind of value has its mistakes.
package struct JSONReader {
    /// The result of a tolerant reading.
    package struct Findings {
        /// The mistakes in the order of their positions; empty for valid JSON.
        package var mistakes: [JSONMistake]
        /// The values; `nil` if the reading stopped at a mistake.
        package var tree: JSONTree?
    }

    /// The maximum number of nested levels. Deeper JSON is refused, because a hostile answer could exhaust the stack.
    package static let deepest = 128
    /// The maximum number of mistakes that a tolerant reading records. It stops at the next one.
    static let maximumMistakes = 50

    let bytes: [UInt8]
    let isTolerant: Bool
    private let maximumMistakes: Int
    private var bounds = Bounds(values: .max, entries: .max)
    private var excess: Excess?
    var at = 0
    var nodes: [JSONTree.Node] = []
    private(set) var mistakes: [JSONMistake] = []
    private(set) var lastValueEnd = 0
    var controlsReportedUpTo = 0
    private var depth = 0

    /// Returns the value of a JSON text.
    ///
    /// - Throws: The first mistake.
    package static func read(_ bytes: [UInt8]) throws(JSONMistake) -> PushJSONValue {
        PushJSONValue(try tree(bytes))
    }

    /// Returns the values of a JSON text as ranges of its bytes.
    ///
    /// - Throws: The first mistake.
    package static func tree(_ bytes: [UInt8]) throws(JSONMistake) -> JSONTree {
        var reader = JSONReader(bytes: bytes, isTolerant: false)
        // What is found in a text of another encoding tells nobody that it has one.
        do throws(JSONMistake) { try reader.readAll() } catch { throw WholeText.encodingMistake(of: bytes) ?? error }
        return JSONTree(bytes: bytes, nodes: reader.nodes)
    }

    /// How much a text may contain. A reading stops where there is more.
    package struct Bounds: Sendable {
        /// The maximum number of values, in all levels.
        package var values: Int
        /// The maximum number of entries of an outermost array.
        package var entries: Int

        package init(values: Int, entries: Int) {
            (self.values, self.entries) = (values, entries)
        }
    }

    package enum Excess: Error, Hashable, Sendable {
        case mistake(JSONMistake)
        case values
        case entries
    }

    /// Returns the values of a JSON text that stays within bounds.
    ///
    /// - Throws: The first mistake, or the first thing that is too much.
    package static func tree(_ bytes: [UInt8], within bounds: Bounds) throws(Excess) -> JSONTree {
        var reader = JSONReader(bytes: bytes, isTolerant: false)
        reader.bounds = bounds
        do throws(JSONMistake) {
            try reader.readAll()
        } catch {
            throw reader.excess ?? .mistake(WholeText.encodingMistake(of: bytes) ?? error)
        }
        return JSONTree(bytes: bytes, nodes: reader.nodes)
    }

    /// Returns all mistakes that can be found with certainty.
    ///
    /// - Parameters:
    ///   - bytes: A text.
    ///   - maximum: The maximum number of recorded mistakes; the reading stops at the next one.
    /// - Returns: The mistakes, and the values.
    package static func examine(_ bytes: [UInt8], maximum: Int = maximumMistakes) -> Findings {
        if let mistake = WholeText.mistake(of: bytes) { return Findings(mistakes: [mistake], tree: nil) }
        var reader = JSONReader(bytes: bytes, isTolerant: true, maximum: maximum)
        do {
            try reader.readAll()
        } catch {
            let isWhole = !error.edits.isEmpty || error.kind == .missingBracket && reader.endsWithValue
            return Findings(mistakes: (reader.mistakes + [error]).certain(isWhole: isWhole), tree: nil)
        }
        return Findings(
            mistakes: reader.mistakes.certain(isWhole: true), tree: JSONTree(bytes: bytes, nodes: reader.nodes))
    }

    private var endsWithValue: Bool {
        bytes[lastValueEnd...].allSatisfy(WholeText.isSpace)
    }

    private init(bytes: [UInt8], isTolerant: Bool, maximum: Int = 0) {
        self.bytes = bytes
        self.isTolerant = isTolerant
        maximumMistakes = maximum
        nodes.reserveCapacity(min(64, bytes.count / 12 + 4))
    }

    private mutating func readAll() throws(JSONMistake) {
        // RFC 8259 section 8.1 lets a parser ignore a byte order mark; a payload must not have one.
        if bytes.starts(with: WholeText.mark) {
            at = WholeText.mark.count
            if isTolerant { try passOver(WholeText.markMistake) }
        }
        try value(keyed: nil)
        try skipSpace()
        if at < bytes.count { try handleTextAfterEnd() }
    }

    /// Records a mistake and continues after it. A strict reading stops here.
    mutating func passOver(_ mistake: JSONMistake) throws(JSONMistake) {
        guard isTolerant, mistakes.count < maximumMistakes else { throw mistake }
        mistakes.append(mistake)
    }

    mutating func passOver(
        _ kind: JSONMistake.Kind, _ range: Range<Int>, _ problem: String, _ advice: String, edits: [JSONEdit] = []
    ) throws(JSONMistake) {
        try passOver(JSONMistake(kind: kind, range: range, problem: problem, advice: advice, edits: edits))
    }

    // MARK: Values

    /// A key that was read, without its quotation marks.
    struct Key {
        var contents: Range<Int>
        var hasEscapes: Bool
    }

    mutating func value(keyed key: Key?) throws(JSONMistake) {
        try skipSpace()
        guard nodes.count < bounds.values else { throw exceeds(.values) }
        guard let first = peek else { throw endsEarly(isComplete: false) }
        switch first {
        case UInt8(ascii: "\""):
            let start = at
            let hasEscapes = try string()
            add(.string, from: start, key, flag: hasEscapes)
        case UInt8(ascii: "{"): try container(.object, key) { reader throws(JSONMistake) in try reader.members() }
        case UInt8(ascii: "["): try container(.array, key) { reader throws(JSONMistake) in try reader.elements() }
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number(key)
        case UInt8(ascii: "t") where takeLiteral("true"): add(.bool, from: at - 4, key, flag: true)
        case UInt8(ascii: "f") where takeLiteral("false"): add(.bool, from: at - 5, key)
        case UInt8(ascii: "n") where takeLiteral("null"): add(.null, from: at - 4, key)
        default: try oddValue(first, key)
        }
    }

    /// Adds a value that ends at the current position.
    mutating func add(_ kind: JSONTree.Kind, from start: Int, _ key: Key?, flag: Bool = false) {
        var node = JSONTree.Node(kind: kind, flag: flag, start: Int32(start), end: Int32(at))
        node.name(key)
        node.next = Int32(nodes.count + 1)
        nodes.append(node)
        lastValueEnd = at
    }

    /// Adds a string in other quotation marks than JSON's, or without quotation marks.
    mutating func add(oddText contents: Range<Int>, _ key: Key?) {
        add(.string, from: contents.lowerBound, key, flag: bytes[contents].contains(UInt8(ascii: "\\")))
        nodes[nodes.count - 1].end = Int32(contents.upperBound)
    }

    private mutating func container(
        _ kind: JSONTree.Kind, _ key: Key?, _ read: (inout JSONReader) throws(JSONMistake) -> Void
    ) throws(JSONMistake) {
        guard depth < Self.deepest else {
            throw JSONMistake(
                kind: .nesting, range: at..<(at + 1),
                problem: "The payload has more than \(Self.deepest) levels of nesting",
                advice: "Use fewer levels.")
        }
        depth += 1
        let index = nodes.count
        var node = JSONTree.Node(kind: kind, start: Int32(at))
        node.name(key)
        nodes.append(node)
        at += 1
        try read(&self)
        nodes[index].end = Int32(at)
        nodes[index].next = Int32(nodes.count)
        lastValueEnd = at
        depth -= 1
    }

    private mutating func members() throws(JSONMistake) {
        try skipSpace()
        if take("}") { return }
        while true {
            try skipSpace()
            let start = at
            guard let key = try key() else { continue }
            let keyEnd = at
            try skipSpace()
            if !take(":") { try handleMissingColon(behind: start..<keyEnd) }
            try value(keyed: key)
            try skipSpace()
            if take("}") { return }
            if peek == UInt8(ascii: ",") {
                if try commaEnds(with: "}") { return }
            } else {
                try handleMissingComma(closing: "}")
            }
        }
    }

    private mutating func elements() throws(JSONMistake) {
        try skipSpace()
        if take("]") { return }
        let isBounded = depth == 1 && bounds.entries < .max
        var count = 0
        while true {
            try value(keyed: nil)
            if isBounded {
                count += 1
                if count > bounds.entries { throw exceeds(.entries) }
            }
            try skipSpace()
            if take("]") { return }
            if peek == UInt8(ascii: ",") {
                if try commaEnds(with: "]") { return }
            } else {
                try handleMissingComma(closing: "]")
            }
        }
    }

    /// Notes what is too much. The mistake only ends the reading.
    private mutating func exceeds(_ what: Excess) -> JSONMistake {
        excess = what
        return JSONMistake(kind: .notJSON, range: at..<at, problem: "", advice: "")
    }

    /// Reads a comma, and returns whether the container ends after it. A comma after the last value is a mistake.
    private mutating func commaEnds(with bracket: Unicode.Scalar) throws(JSONMistake) -> Bool {
        let comma = at
        at += 1
        try skipSpace()
        // In an array, a value between two commas may be missing.
        while bracket == "}", peek == UInt8(ascii: ",") {
            try passOver(.extraComma(at, "There are two commas in a row"))
            at += 1
            try skipSpace()
        }
        guard take(bracket) else { return false }
        try passOver(.extraComma(comma, "There is a comma after the last value"))
        return true
    }

    /// Reads the key of a member; `nil` if there was only a comma, which is skipped.
    private mutating func key() throws(JSONMistake) -> Key? {
        guard peek == UInt8(ascii: "\"") else { return try oddKey() }
        let start = at
        let hasEscapes = try string()
        return Key(contents: (start + 1)..<(at - 1), hasEscapes: hasEscapes)
    }

    // MARK: Moving on

    var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard at < bytes.count, bytes[at] == UInt8(ascii: character) else { return false }
        at += 1
        return true
    }

    private mutating func takeLiteral(_ literal: StaticString) -> Bool {
        let end = at + literal.utf8CodeUnitCount
        guard end <= bytes.count, literal.withUTF8Buffer({ bytes[at..<end].elementsEqual($0) }),
            end == bytes.count || !bytes[end].isWordByte
        else { return false }
        at = end
        return true
    }

    mutating func skipSpace() throws(JSONMistake) {
        while at < bytes.count {
            let byte = bytes[at]
            if byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
                at += 1
            } else if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "#") || byte >= 0x80 {
                guard try skipOddSpace(byte) else { return }
            } else {
                return
            }
        }
    }
}

extension JSONTree.Node {
    fileprivate mutating func name(_ key: JSONReader.Key?) {
        guard let key else { return }
        keyStart = Int32(key.contents.lowerBound)
        keyEnd = Int32(key.contents.upperBound)
        keyHasEscapes = key.hasEscapes
    }
}

extension UInt8 {
    /// Whether the byte is a letter, a digit, `_`, `$` or part of a character outside ASCII.
    var isWordByte: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x24, 0x5F, 0x80...: true
        default: false
        }
    }
}

extension PushJSONValue {
    /// Creates the value of a JSON text; `nil` if it is not JSON. Foundation's decoder is not used, because it takes as
    /// long to start as a connection.
    package init?(json bytes: [UInt8]) {
        guard let value = try? JSONReader.read(bytes) else { return nil }
        self = value
    }
}
