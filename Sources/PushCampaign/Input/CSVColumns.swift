internal import APNSVocabulary
import PushJSON
internal import PushPlatform

/// The columns of a CSV file, from its header. Makes the JSON object of a record.
struct CSVColumns: Sendable, Equatable {
    private struct Column: Sendable, Hashable {
        /// The JSON key, such as `"token":`.
        var key: [UInt8] = []
        var isVariable: Bool
        /// The name as written in the header. `Ref` and `ref` are one column.
        var name: String

        static func == (left: Column, right: Column) -> Bool {
            left.key == right.key && left.isVariable == right.isVariable
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(key)
        }

        init(_ name: String, target: RowFields.Name?) {
            let plain = name.lowercased()
            let field = target ?? RowFields.Name(Array(plain.utf8))
            // When another column has the device tokens, a column called "token" or "user" is a variable.
            isVariable = field == nil || field == .vars || target == nil && (field == .token || field == .user)
            self.name = name
            JSONBytes.write(target?.text ?? (isVariable ? name : plain), to: &key, .long)
            key.append(UInt8(ascii: ":"))
        }
    }

    let delimiter: UInt8
    private let columns: [Column]
    private let firstUnnamed: Int?

    /// Reads the header. One column must contain the device tokens, or the users, and no name may occur twice. Names of fields ignore
    /// case; names of variables do not.
    init(
        header: ArraySlice<UInt8>, delimiter: UInt8, tokenColumn: String? = nil, takesUsers: Bool = false
    ) throws(BatchInputError) {
        self.delimiter = delimiter
        var names: [String] = []
        var fields = CSVFields(header, delimiter)
        do throws(CSVFields.Mistake) {
            while let field = try fields.next() {
                let text = InputText.unwrapped(field.text)
                names.append(InputText.trimmed(String(decoding: text, as: UTF8.self)))
            }
        } catch {
            throw Self.unmatched
        }
        let tokens = try Self.tokenIndex(names, tokenColumn)
        let users = takesUsers && tokenColumn == nil ? names.firstIndex { $0.lowercased() == "user" } : nil
        guard let index = tokens ?? users else {
            if tokenColumn == nil, names.contains(where: { $0.utf8.count >= 32 && (try? DeviceToken($0)) != nil }) {
                throw .init(
                    .badHeader,
                    """
                    It has no header: the first line holds a device token. Add a first line that names the columns, such as \
                    token,name.
                    """)
            }
            let shown = names.prefix(10).map { name in
                PeerText.printable((try? DeviceToken(name))?.shortened ?? name)
            }
            throw .init(
                .noTokenColumn,
                """
                The first line has no column "\(PeerText.printable(tokenColumn ?? "token"))" for the device tokens. It has: \
                \(shown.joined(separator: ", ")). \
                \(tokenColumn == nil ? "Call the column with the tokens \"token\", or choose" : "Choose") the column by its name.
                """)
        }
        let columns = names.enumerated().map {
            Column($0.element, target: $0.offset == index ? (tokens == nil ? .user : .token) : nil)
        }
        var seen: Set<Column> = []
        // Spreadsheets write columns without a name where a cell was ever used.
        if let twice = columns.indices.first(where: { !names[$0].isEmpty && !seen.insert(columns[$0]).inserted }) {
            let name = PeerText.printable(names[twice])
            throw .init(.badHeader, "The first line has the column \"\(name)\" twice.")
        }
        self.columns = columns
        firstUnnamed = names.firstIndex(of: "")
    }

    static let unmatched = BatchInputError(.badHeader, "The quotation marks in the first line don't match.")

    /// Whether lines can have their own payloads.
    var hasPayload: Bool { columns.contains { !$0.isVariable && $0.name.lowercased() == RowFields.Name.payload.text } }

    /// Whether lines have users, which a placeholder can use, too.
    var hasUsers: Bool { columns.contains { !$0.isVariable && $0.name.lowercased() == RowFields.Name.user.text } }

    /// The names that a placeholder can use.
    var variables: [String] { columns.filter(\.isVariable).map(\.name) }

    private static func tokenIndex(_ names: [String], _ wanted: String?) throws(BatchInputError) -> Int? {
        if let wanted {
            return names.firstIndex(of: wanted) ?? names.firstIndex { $0.lowercased() == wanted.lowercased() }
        }
        let indices = names.indices.filter { RowFields.Name.meansToken(names[$0]) }
        var seen: Set<String> = []
        if let twice = indices.first(where: { !seen.insert(names[$0]).inserted }) {
            throw .init(.badHeader, "The first line names the column \"\(PeerText.printable(names[twice]))\" twice.")
        }
        guard indices.count > 1 else { return indices.first }
        let shown = indices.map { "\"\(PeerText.printable(names[$0]))\"" }.joined(separator: " and ")
        throw .init(
            .noTokenColumn,
            "The first line has several columns for the device token, \(shown). Choose one by its name.")
    }

    /// Returns the record as a JSON object on one line. An empty field is left out; `""` is an empty string.
    ///
    /// - Throws: ``CSVFields/Mistake`` with a sentence.
    func json(_ record: ArraySlice<UInt8>) throws(CSVFields.Mistake) -> [UInt8] {
        var json: [UInt8] = [UInt8(ascii: "{")]
        json.reserveCapacity(record.count + 100)
        var variables: [UInt8] = []
        var fields = CSVFields(record, delimiter)
        var count = 0
        while var field = try fields.next() {
            count += 1
            guard count <= columns.count else { continue }
            field.text = InputText.unwrapped(field.text)
            if field.text.isEmpty, !field.isQuoted { continue }
            let column = columns[count - 1]
            // No placeholder can use a second column without a name.
            if column.name.isEmpty, count - 1 != firstUnnamed { continue }
            if column.isVariable {
                Self.add(column.key, field.text, to: &variables, isFirst: variables.isEmpty)
            } else {
                Self.add(column.key, InputText.trimmed(field), to: &json, isFirst: json.count == 1)
            }
        }
        guard count == columns.count else {
            let fields = counted(count, "field")
            throw CSVFields.Mistake(message: "The line has \(fields), and the header has \(columns.count).")
        }
        if !variables.isEmpty {
            if json.count > 1 { json.append(UInt8(ascii: ",")) }
            json += "\"vars\":{".utf8
            json += variables
            json.append(UInt8(ascii: "}"))
        }
        json.append(UInt8(ascii: "}"))
        return json
    }

    private static func add(_ key: [UInt8], _ text: ArraySlice<UInt8>, to bytes: inout [UInt8], isFirst: Bool) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        bytes += key
        // Long escapes: a half-done campaign recognises its lines by a digest of these bytes.
        text.withUnsafeBufferPointer { JSONBytes.write($0, to: &bytes, .long) }
    }
}

/// The fields of one CSV record (RFC 4180).
struct CSVFields {
    struct Mistake: Error, Equatable {
        var message: String
    }

    struct Field {
        var text: ArraySlice<UInt8>
        var isQuoted: Bool
    }

    private var rest: ArraySlice<UInt8>
    private let delimiter: UInt8
    private var isOver = false
    private var number = 0

    init(_ record: ArraySlice<UInt8>, _ delimiter: UInt8) {
        rest = record
        self.delimiter = delimiter
    }

    mutating func next() throws(Mistake) -> Field? {
        guard !isOver else { return nil }
        number += 1
        guard rest.first == UInt8(ascii: "\"") else {
            let end = rest.firstIndex(of: delimiter)
            let text = rest[rest.startIndex..<(end ?? rest.endIndex)]
            leave(end)
            return Field(text: text, isQuoted: false)
        }
        let text = try quoted()
        if let byte = rest.first, byte != delimiter {
            throw Mistake(message: "There is text after the closing quotation mark of field \(number).")
        }
        leave(rest.isEmpty ? nil : rest.startIndex)
        return Field(text: text, isQuoted: true)
    }

    private mutating func leave(_ end: Int?) {
        if let end { rest = rest[(end + 1)...] } else { isOver = true }
    }

    private mutating func quoted() throws(Mistake) -> ArraySlice<UInt8> {
        var at = rest.startIndex + 1
        let start = at
        // Only a field with doubled quotation marks must be copied piece by piece.
        var text: [UInt8]?
        while at < rest.endIndex {
            let byte = rest[at]
            if byte == UInt8(ascii: "\"") {
                let next = at + 1
                guard next < rest.endIndex, rest[next] == UInt8(ascii: "\"") else {
                    let whole = text.map { $0[...] } ?? rest[start..<at]
                    rest = rest[next...]
                    return whole
                }
                if text == nil { text = Array(rest[start..<at]) }
                text?.append(byte)
                at += 2
            } else {
                text?.append(byte)
                at += 1
            }
        }
        throw Mistake(message: "The quotation mark of field \(number) isn't closed.")
    }
}

/// Removes what surrounds a text.
enum InputText {
    static func trimmed(_ text: String) -> String {
        String(decoding: trimmed(Array(text.utf8)[...]), as: UTF8.self)
    }

    /// Returns the text of a cell such as `="007"`, with which programs keep Excel from reading a number; other text unchanged.
    static func unwrapped(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard text.count >= 3, text.starts(with: "=\"".utf8), text.last == UInt8(ascii: "\"") else { return text }
        let inside = text.dropFirst(2).dropLast()
        return inside.contains(UInt8(ascii: "\"")) ? text : inside
    }

    static func trimmed(_ field: CSVFields.Field) -> ArraySlice<UInt8> {
        field.isQuoted ? field.text : trimmed(field.text)
    }

    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes.drop { $0 == 0x20 || $0 == 0x09 }
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
        return bytes
    }
}
