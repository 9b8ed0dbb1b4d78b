import PushJSON
import PushPlatform
import PushQueue

/// A line of the file of an export: a JSON object whose first member is its type. Members without a value are left out, and bytes are in
/// Base64.
enum ExportLine {
    /// The format of the file. A file with another one is refused.
    static let format: Int64 = 1

    static func write(_ row: ExportRow, to line: inout [UInt8]) {
        write(row.part.rawValue, zip(row.part.columns, row.values).map { ($0.name, $1) }, to: &line)
    }

    static func write(_ head: Head, to line: inout [UInt8]) {
        let members: [(String, ExportValue)] = [
            ("format", .number(format)), ("export", .text(head.export.text)), ("source", .text(head.source.text)),
            ("target", head.target.map { .text($0.text) } ?? .null), ("sealed", .number(head.sealed.milliseconds)),
            ("jobs", .number(Int64(head.jobs))),
        ]
        write(Head.type, members, to: &line)
    }

    static func write(_ foot: Foot, to line: inout [UInt8]) {
        let counts = ExportPart.allCases.map { ($0.rawValue, ExportValue.number(Int64(foot.counts[$0] ?? 0))) }
        write(Foot.type, counts + [("sha256", .text(foot.digest))], to: &line)
    }

    private static func write(_ type: String, _ members: [(String, ExportValue)], to line: inout [UInt8]) {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("type", type)
            for (name, value) in members {
                switch value {
                case .null: continue
                case .number(let number): writer.member(name) { $0.integer(number) }
                case .text(let text): writer.member(name, text)
                case .bytes(let bytes): writer.member(name, Data(bytes).base64EncodedString())
                }
            }
        }
        line += writer.bytes
        line.append(UInt8(ascii: "\n"))
    }

    /// The first line.
    struct Head {
        static let type = "queue"

        var export: UUID
        /// The id of the queue.
        var source: UUID
        /// The only queue that may import it; `nil` if that is the first one to begin.
        var target: UUID?
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
        guard let tree = try? JSONReader.tree(line) else { return nil }
        var members = tree.children(of: JSONTree.root)
        guard let type = members.next(), tree.hasKey("type", type),
            let part = tree.text(of: type).flatMap(ExportPart.init(rawValue:))
        else {
            return nil
        }
        var values: [ExportValue] = []
        values.reserveCapacity(part.columns.count)
        var next = members.next()
        // The members come in the order of the columns, so that nothing is searched.
        for column in part.columns {
            guard let node = next, tree.key(of: node) == column.name else {
                values.append(.null)
                continue
            }
            guard let value = value(of: node, in: tree, column.kind) else { return nil }
            values.append(value)
            next = members.next()
        }
        return next == nil ? ExportRow(part, values) : nil
    }

    private static func value(of node: Int, in tree: JSONTree, _ kind: ExportColumn.Kind) -> ExportValue? {
        switch kind {
        case .number: tree.integer(of: node).map { .number(Int64($0)) }
        case .text: tree.text(of: node).map { .text($0) }
        case .bytes: Data(base64Encoded: Data(tree.bytes[tree.contents(of: node)])).map { .bytes(Array($0)) }
        }
    }

    static func head(_ line: [UInt8]) -> Head? {
        guard let line = object(line, Head.type), line["format"]?.integer == Int(format),
            let export = id(line["export"]),
            let source = id(line["source"]), let sealed = line["sealed"]?.integer, let jobs = line["jobs"]?.integer
        else { return nil }
        return Head(
            export: export, source: source, target: id(line["target"]),
            sealed: QueueTime(milliseconds: Int64(sealed)), jobs: jobs)
    }

    static func foot(_ line: [UInt8]) -> Foot? {
        guard let line = object(line, Foot.type), let digest = line["sha256"]?.string else { return nil }
        let counts = ExportPart.allCases.map { ($0, line[$0.rawValue]?.integer ?? 0) }
        return Foot(counts: Dictionary(uniqueKeysWithValues: counts), digest: digest)
    }

    /// A line of a type; `nil` if it is something else.
    private static func object(_ line: [UInt8], _ type: String) -> LocatedJSON? {
        guard let line = try? LocatedJSON(json: line), line.members.first?.name == "type", line["type"]?.string == type
        else { return nil }
        return line
    }

    private static func id(_ value: LocatedJSON?) -> UUID? { value?.string.flatMap { UUID(uuidString: $0) } }
}
