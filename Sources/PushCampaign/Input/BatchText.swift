internal import APNSVocabulary
import PushJSON
internal import PushPlatform

/// The format of the lines of a campaign.
public enum BatchFormat: String, Sendable, Hashable, CaseIterable {
    /// One JSON object per line.
    case jsonLines = "jsonl"
    /// A header and records (RFC 4180), separated by comma, semicolon or tab.
    case csv
    /// One device token per line.
    case tokens
}

/// Turns the bytes of one input file into lines as JSON objects. A pure value.
struct BatchText {
    struct Line: Equatable {
        /// The line as a JSON object, or the raw line if `problem` says that it is not one.
        var text: [UInt8]
        /// The number of the first line of the record, from 1.
        var number: Int
        var problem: String?
    }

    private enum Form {
        case jsonLines
        case csv(CSVColumns)
        case tokens
    }

    private var cutter = LineCutter()
    private var form: Form?
    private let asked: BatchFormat?
    /// The CSV column with the device tokens; `nil` to find it by its name.
    private let tokenColumn: String?
    private let takesUsers: Bool
    private let required: RequiredColumns?
    /// Whether the caller has cut the lines, so that the first one is judged like each other one.
    var hasCutLines = false

    /// - Parameters:
    ///   - format: The format; `nil` to detect it from the first bytes.
    ///   - tokenColumn: The CSV column with the device tokens; `nil` to find it by its name.
    ///   - required: What every line must have; `nil` for nothing.
    ///   - takesUsers: Whether a column or a member `user` can take the place of the token.
    init(
        format: BatchFormat?, tokenColumn: String? = nil, requiring required: RequiredColumns? = nil,
        takesUsers: Bool = false
    ) {
        asked = format ?? (tokenColumn == nil ? nil : .csv)
        (self.tokenColumn, self.takesUsers) = (tokenColumn, takesUsers)
        self.required = required
    }

    /// The byte offset of the next line in the file.
    var offset: Int { cutter.offset }
    var nextLine: Int { cutter.line }
    /// Whether the format is known and the header has been read.
    var isRecognised: Bool { form != nil }

    /// The number of the first line after the header, once the format is known.
    private(set) var firstLine = 1

    var held: Int { cutter.buffer.count }

    mutating func feed(_ bytes: [UInt8]) {
        cutter.feed(bytes)
    }

    mutating func end() {
        cutter.end()
    }

    /// Continues at a position from an earlier run. The next bytes must be those at this offset.
    mutating func resume(offset: Int, line: Int) {
        cutter.resume(offset: offset, line: line)
    }

    /// Returns the next line that is not empty; `nil` when more bytes are needed, or at the end.
    mutating func next() throws(BatchInputError) -> Line? {
        if form == nil, try !recognise() { return nil }
        while let cut = cutter.next() {
            guard let range = cut.range else {
                return Line(
                    text: [], number: cut.line, problem: "The line is longer than \(LineCutter.longest) bytes.")
            }
            let bytes = cutter.buffer[range]
            if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
            return line(bytes, cut.line)
        }
        return nil
    }

    private func line(_ bytes: ArraySlice<UInt8>, _ number: Int) -> Line {
        switch form {
        case .csv(let columns):
            do throws(CSVFields.Mistake) {
                return Line(text: try columns.json(bytes), number: number)
            } catch {
                return Line(text: Array(bytes), number: number, problem: error.message)
            }
        case .tokens:
            var json: [UInt8] = []
            json.reserveCapacity(bytes.count + 16)
            json += "{\"token\":".utf8
            InputText.unwrapped(InputText.trimmed(bytes)).withUnsafeBufferPointer {
                JSONBytes.write($0, to: &json, .long)
            }
            json.append(UInt8(ascii: "}"))
            return Line(text: json, number: number)
        case .jsonLines, nil: return Line(text: Array(bytes), number: number)
        }
    }

    // MARK: Detecting the format

    /// - Returns: `false` when more bytes are needed.
    private mutating func recognise() throws(BatchInputError) -> Bool {
        if cutter.offset == 0 {
            if cutter.rest.starts(with: [0xEF, 0xBB, 0xBF]) { cutter.drop(3) }
            try Self.refuse(Array(cutter.rest.prefix(8)))
        }
        var delimiter: UInt8?
        var afterDelimiter: LineCutter?
        // A header may have line ends in quotation marks, which may not have arrived yet.
        var ahead = cutter
        var first: ArraySlice<UInt8> = []
        while first.isEmpty {
            guard let cut = ahead.next() else {
                if cutter.rest.count > LineCutter.longest { throw overlongBeginning }
                return false
            }
            guard let range = cut.range else {
                throw overlongBeginning
            }
            first = InputText.trimmed(ahead.buffer[range])
            // Excel's own first line names the delimiter. The header comes after it.
            if let named = Self.namedDelimiter(ahead.buffer[range]) {
                (delimiter, afterDelimiter, first) = (named, ahead, [])
            }
        }
        // A key or certificate in PEM, whose lines must not become results.
        if first.starts(with: "----".utf8) { throw Self.isKey }
        if first.contains(UInt8(ascii: "\r")) {
            throw .init(
                .unknownFormat,
                """
                Its lines end with CR alone, as in "CSV (Macintosh)". Convert them with tr '\\r' '\\n', or save it as CSV in UTF-8.
                """)
        }
        if asked == .jsonLines, !hasCutLines, try !refuseOneValue(first, before: ahead.rest) { return false }
        let format =
            if let asked { asked } else if delimiter != nil { BatchFormat.csv } else { try format(of: first) }
        let start = afterDelimiter ?? cutter
        switch format {
        case .jsonLines: (form, cutter) = (.jsonLines, start)
        case .tokens:
            try required?.checkTokens()
            (form, cutter) = (.tokens, start)
        case .csv:
            guard try readHeader(delimiter ?? Self.delimiter(of: first), from: start) else { return false }
            firstLine = cutter.line
        }
        return true
    }

    private var overlongBeginning: BatchInputError {
        ListWrapper.problem(cutter.rest)
            ?? BatchInputError(
                .unknownFormat,
                "The first line is longer than \(LineCutter.longest) bytes, the maximum for a line of a campaign.")
    }

    /// The delimiter in a line such as `sep=;`, which Excel reads and writes; `nil` for another line.
    private static func namedDelimiter(_ line: ArraySlice<UInt8>) -> UInt8? {
        let bytes = line.filter { ![0x20, 0x0D, UInt8(ascii: "\"")].contains($0) }
        guard bytes.count >= 5, [0x2C, 0x3B, 0x09].contains(bytes[4]), bytes[5...].allSatisfy({ $0 == 0x09 }),
            String(decoding: bytes.prefix(4), as: UTF8.self).lowercased() == "sep="
        else { return nil }
        return bytes[4]
    }

    private static let isKey = BatchInputError(
        .unknownFormat, "It is a key or a certificate, not a list of device tokens. None of it was read.")

    /// - Returns: `false` when more bytes are needed.
    private mutating func readHeader(_ delimiter: UInt8, from start: LineCutter) throws(BatchInputError) -> Bool {
        var cutter = start
        cutter.delimiter = delimiter
        while let cut = cutter.next(), let range = cut.range {
            let header = cutter.buffer[range]
            if InputText.trimmed(header).isEmpty { continue }
            let columns = try CSVColumns(
                header: header, delimiter: delimiter, tokenColumn: tokenColumn, takesUsers: takesUsers)
            try required?.check(columns)
            form = .csv(columns)
            self.cutter = cutter
            return true
        }
        guard start.isEnded || start.rest.count > LineCutter.longest else { return false }
        throw CSVColumns.unmatched
    }

    private static func refuse(_ beginning: [UInt8]) throws(BatchInputError) {
        let utf16: [[UInt8]] = [[0xFF, 0xFE], [0xFE, 0xFF]]
        if utf16.contains(where: beginning.starts(with:)) {
            throw .init(.unknownFormat, "It is UTF-16. Convert it to UTF-8 with iconv -f UTF-16 -t UTF-8.")
        }
        if let isBigEndian = FileText.isUTF16WithoutMark(beginning) {
            throw .init(
                .unknownFormat,
                """
                It is UTF-16 without a byte order mark. Convert it to UTF-8 with iconv -f UTF-16\(isBigEndian ? "BE" : "LE") -t UTF-8.
                """)
        }
        if beginning.starts(with: [0x1F, 0x8B]) {
            throw .init(.compressed, "It is compressed with gzip. Decompress it with gunzip.")
        }
        let spreadsheets: [[UInt8]] = [Array("PK\u{3}\u{4}".utf8), [0xD0, 0xCF, 0x11, 0xE0]]
        if spreadsheets.contains(where: beginning.starts(with:)) {
            throw .init(
                .unknownFormat,
                """
                It is a spreadsheet (.xlsx, .xls or .ods) or a zip archive. Save the sheet as CSV in UTF-8, and give that file.
                """)
        }
    }

    /// Refuses one JSON value where lines were promised. A first line that is a whole value is a line if others follow it.
    ///
    /// - Returns: `false` when more bytes are needed.
    private func refuseOneValue(
        _ first: ArraySlice<UInt8>, before rest: ArraySlice<UInt8>
    ) throws(BatchInputError) -> Bool {
        guard first.starts(with: "{".utf8) || first.starts(with: "[".utf8) else { return true }
        do throws(BatchInputError) {
            _ = try format(of: first)
            return true
        } catch {
            guard JSONScanner.isValue(Array(first)) else { throw error }
            if rest.contains(where: { !$0.isJSONSpace }) { return true }
            guard cutter.isEnded else { return false }
            throw error
        }
    }

    private func format(of first: ArraySlice<UInt8>) throws(BatchInputError) -> BatchFormat {
        if let problem = wrapping(first) { throw problem }
        if first.first == UInt8(ascii: "{") {
            guard first.count > 1 else {
                throw .init(.unknownFormat, "Each JSON object must be on one line. Convert the file with jq -c .")
            }
            return .jsonLines
        }
        let isCSV =
            first.contains { [0x2C, 0x3B, 0x09].contains($0) }
            || RowFields.Name.meansToken(String(decoding: first, as: UTF8.self).replacing("\"", with: ""))
        return isCSV ? .csv : .tokens
    }

    /// The advice for one JSON value around all lines; `nil` if the first line begins no such value.
    private func wrapping(_ first: ArraySlice<UInt8>) -> BatchInputError? {
        if first.first == UInt8(ascii: "{") { return ListWrapper.problem(cutter.rest) }
        guard first.first == UInt8(ascii: "[") else { return nil }
        let isOfTexts = first.dropFirst().first { $0 != 0x20 && $0 != 0x09 } == UInt8(ascii: "\"")
        return BatchInputError(
            .unknownFormat,
            isOfTexts
                ? "It is a JSON array of texts. Convert it to one device token per line with jq -r '.[]'."
                : "It is a JSON array. Convert it to one object per line with jq -c '.[]'.")
    }

    /// The first delimiter in the header outside of quotation marks.
    private static func delimiter(of header: ArraySlice<UInt8>) -> UInt8 {
        var isQuoted = false
        for byte in header {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if !isQuoted, [0x2C, 0x3B, 0x09].contains(byte) { return byte }
        }
        return UInt8(ascii: ",")
    }
}

/// A JSON object around the list of pushes, as answers of APIs have it: `{"count":2,"results":[…]}`.
enum ListWrapper {
    /// Returns the advice for a text that begins with such an object; `nil` for other text, such as one with a line for each push.
    ///
    /// - Parameter text: The beginning of a file. It may end anywhere.
    /// - Returns: The advice.
    static func problem(_ text: ArraySlice<UInt8>) -> BatchInputError? {
        guard let (key, isOfTexts) = list(in: text) else { return nil }
        let isName = !key.isEmpty && key.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "_") }
        let path = isName ? ".\(key)[]" : "to_entries[] | .value[]?"
        let shown = PeerText.printable(String(key.prefix(40)))
        return BatchInputError(
            .unknownFormat,
            """
            It is one JSON object, with a list in "\(shown)". \
            \(isOfTexts
                ? "Convert it to one device token per line with jq -r '\(path)'."
                : "Convert it to one object per line with jq -c '\(path)'.")
            """)
    }

    /// Returns the first member that is a list of objects or texts, if the object has no device token.
    private static func list(in text: ArraySlice<UInt8>) -> (key: String, isOfTexts: Bool)? {
        Array(text).withUnsafeBufferPointer { json in
            var scanner = JSONScanner(json)
            var found: (key: String, isOfTexts: Bool)?
            // The scanner throws at the end of what has arrived.
            do throws(JSONScanner.Mistake) {
                scanner.skipSpace()
                guard scanner.take("{") else { return nil }
                while true {
                    scanner.skipSpace()
                    guard scanner.peek == UInt8(ascii: "\"") else { break }
                    let range = try scanner.string()
                    let key = JSONBytes.text(json, range) ?? ""
                    if RowFields.Name.meansToken(key) { return nil }
                    scanner.skipSpace()
                    guard scanner.take(":") else { break }
                    scanner.skipSpace()
                    if found == nil, scanner.peek == UInt8(ascii: "[") {
                        let first = json[(scanner.at + 1)...].first { !$0.isJSONSpace }
                        if first == UInt8(ascii: "{") || first == UInt8(ascii: "\"") {
                            found = (key, first == UInt8(ascii: "\""))
                        }
                    }
                    _ = try scanner.value()
                    scanner.skipSpace()
                    guard scanner.take(",") else { break }
                }
                // Another object follows: these are lines, and the first one has a mistake.
                if scanner.take("}") {
                    scanner.skipSpace()
                    if scanner.peek == UInt8(ascii: "{") { return nil }
                }
            } catch {
                // What is known so far decides.
            }
            return found
        }
    }
}
