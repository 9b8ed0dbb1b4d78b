import PushJSON
import PushPlatform
import PushQueue

/// A line of the file of an export: a JSON object whose first member is its type. Members without a value are left out, and bytes are in
/// Base64.
enum ExportLine {
    /// The format of the file. A file with another one is refused.
    static let format: Int64 = 1

    static func write(_ row: ExportRow, to line: inout [UInt8]) {
        begin(row.part.rawValue, &line)
        for (column, value) in zip(row.part.columns, row.values) { add(column.name, value, &line) }
        end(&line)
    }

    static func write(_ head: Head, to line: inout [UInt8]) {
        begin(Head.type, &line)
        add("format", .number(format), &line)
        add("export", .text(head.export.text), &line)
        add("source", .text(head.source.text), &line)
        add("target", head.target.map { .text($0.text) } ?? .null, &line)
        add("sealed", .number(head.sealed.milliseconds), &line)
        add("jobs", .number(Int64(head.jobs)), &line)
        end(&line)
    }

    static func write(_ foot: Foot, to line: inout [UInt8]) {
        begin(Foot.type, &line)
        for part in ExportPart.allCases { add(part.rawValue, .number(Int64(foot.counts[part] ?? 0)), &line) }
        add("sha256", .text(foot.digest), &line)
        end(&line)
    }

    private static func begin(_ type: String, _ line: inout [UInt8]) {
        line += #"{"type":""#.utf8
        line += type.utf8
        line.append(UInt8(ascii: "\""))
    }

    private static func add(_ name: String, _ value: ExportValue, _ line: inout [UInt8]) {
        if value == .null { return }
        line += ",\"".utf8
        line += name.utf8
        line += "\":".utf8
        switch value {
        case .null: break
        case .number(let number): line += String(number).utf8
        case .text(let text): JSONBytes.write(text, to: &line)
        case .bytes(let bytes):
            line.append(UInt8(ascii: "\""))
            line += Data(bytes).base64EncodedData()
            line.append(UInt8(ascii: "\""))
        }
    }

    private static func end(_ line: inout [UInt8]) {
        line += "}\n".utf8
    }

    /// The first line.
    struct Head {
        static let type = "queue"

        /// The id of the export.
        var export: UUID
        /// The id of the queue.
        var source: UUID
        /// The only queue that may import it; `nil` if that is the first one to begin.
        var target: UUID?
        /// When the queue was sealed.
        var sealed: QueueTime
        var jobs: Int
    }

    /// The last line.
    struct Foot {
        static let type = "end"
        /// How its line begins, so that the others need not be parsed to know that they are none.
        static let start = Array(#"{"type":"\#(type)""#.utf8)

        var counts: [ExportPart: Int]
        /// SHA-256 of everything before it.
        var digest: String
    }
}

extension ExportLine {
    /// Reads a row; `nil` if the line is something else.
    static func row(_ line: [UInt8]) -> ExportRow? {
        guard let members = Members(line), let part = ExportPart(rawValue: members.type) else { return nil }
        var values: [ExportValue] = []
        values.reserveCapacity(part.columns.count)
        var rest = members.rest
        var next = rest.next()
        // The members come in the order of the columns, so that nothing is searched.
        for column in part.columns {
            guard let node = next, members.tree.key(of: node) == column.name else {
                values.append(.null)
                continue
            }
            guard let value = members.value(node, column.kind) else { return nil }
            values.append(value)
            next = rest.next()
        }
        return next == nil ? ExportRow(part, values) : nil
    }

    static func head(_ line: [UInt8]) -> Head? {
        guard let members = Members(line), members.type == Head.type, members.number("format") == format,
            let id = members.id("export"), let source = members.id("source"), let sealed = members.number("sealed"),
            let jobs = members.number("jobs")
        else { return nil }
        return Head(
            export: id, source: source, target: members.id("target"), sealed: QueueTime(milliseconds: sealed),
            jobs: Int(clamping: jobs))
    }

    static func foot(_ line: [UInt8]) -> Foot? {
        guard let members = Members(line), members.type == Foot.type, let digest = members.text("sha256") else {
            return nil
        }
        let counts = ExportPart.allCases.map { ($0, Int(clamping: members.number($0.rawValue) ?? 0)) }
        return Foot(counts: Dictionary(uniqueKeysWithValues: counts), digest: digest)
    }

    /// The members of a line behind its type.
    private struct Members {
        let tree: JSONTree
        let type: String
        let rest: JSONTree.Children

        init?(_ line: [UInt8]) {
            guard let tree = try? JSONReader.tree(line) else { return nil }
            var children = tree.children(of: JSONTree.root)
            guard let first = children.next(), tree.hasKey("type", first), let type = tree.text(of: first) else {
                return nil
            }
            (self.tree, self.type, rest) = (tree, type, children)
        }

        func value(_ node: Int, _ kind: ExportColumn.Kind) -> ExportValue? {
            switch kind {
            case .number: tree.integer(of: node).map { .number(Int64($0)) }
            case .text: tree.text(of: node).map { .text($0) }
            case .bytes:
                Data(base64Encoded: Data(tree.bytes[tree.contents(of: node)])).map { .bytes(Array($0)) }
            }
        }

        private func member(_ name: String) -> Int? { rest.first { tree.key(of: $0) == name } }
        func number(_ name: String) -> Int64? { member(name).flatMap { tree.integer(of: $0) }.map { Int64($0) } }
        func text(_ name: String) -> String? { member(name).flatMap { tree.text(of: $0) } }
        func id(_ name: String) -> UUID? { text(name).flatMap { UUID(uuidString: $0) } }
    }
}
