/// Reads the file of an export. Its columns have names, and their order and further columns do not matter.
enum ReportCSV {
    /// The maximum size of a file, in bytes. A month of an app has some 100 KB.
    static let maximumBytes = 8 << 20
    /// The greatest count. The sum of all lines of a file of this size fits into an `Int`.
    private static let maximumCount = 1_000_000_000_000

    static func rows(
        _ bytes: [UInt8], _ dataset: PushDeliveryReports.Dataset
    ) throws(PushDeliveryReports.Failure) -> [PushDeliveryReports.Row] {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .unreadable("isn't UTF-8") }
        // A byte order mark is no part of the first name.
        let lines = text.drop { $0 == "\u{FEFF}" }.utf8.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        guard let head = lines.first else { return [] }
        let names = fields(head).map { $0.lowercased() }
        return dataset == .deliveries
            ? try deliveries(lines.dropFirst(), names) : try broadcasts(lines.dropFirst(), names)
    }

    private static func deliveries(
        _ lines: ArraySlice<Substring.UTF8View>, _ names: [String]
    ) throws(PushDeliveryReports.Failure) -> [PushDeliveryReports.Row] {
        let (day, type) = (try column("date (utc)", names), try column("push type", names))
        let (status, count) = (try column("status", names), try column("count", names))
        struct Key: Hashable { var day: String, type: String }
        var counts: [Key: [String: Int]] = [:]
        for (number, line) in zip(2..., lines.lazy.map(fields)) {
            guard line.count == names.count, let value = Int(line[count]), (0...maximumCount).contains(value)
            else { throw unreadable(number) }
            let key = Key(day: String(line[day].prefix(10)), type: line[type].lowercased())
            counts[key, default: [:]][line[status].lowercased(), default: 0] += value
        }
        return counts.sorted { ($0.key.day, $0.key.type) < ($1.key.day, $1.key.type) }
            .map { PushDeliveryReports.Row(day: $0.key.day, pushType: $0.key.type, counts: $0.value) }
    }

    private static let figures = [
        "broadcasts published": "published", "broadcasts delivered": "delivered",
        "total subscriptions": "subscriptions", "unique subscribers": "subscribers",
    ]

    private static func broadcasts(
        _ lines: ArraySlice<Substring.UTF8View>, _ names: [String]
    ) throws(PushDeliveryReports.Failure) -> [PushDeliveryReports.Row] {
        let day = try column("date (utc)", names)
        _ = try column("broadcasts published", names)
        var rows: [PushDeliveryReports.Row] = []
        for (number, line) in zip(2..., lines.lazy.map(fields)) {
            guard line.count == names.count else { throw unreadable(number) }
            var counts: [String: Int] = [:]
            for (index, name) in names.enumerated() {
                guard let figure = figures[name] else { continue }
                guard let value = Int(line[index]), (-1...maximumCount).contains(value) else {
                    throw unreadable(number)
                }
                if value >= 0 { counts[figure] = value }
            }
            rows.append(PushDeliveryReports.Row(day: String(line[day].prefix(10)), pushType: nil, counts: counts))
        }
        return rows.sorted { $0.day < $1.day }
    }

    private static func column(_ name: String, _ names: [String]) throws(PushDeliveryReports.Failure) -> Int {
        guard let index = names.firstIndex(of: name) else { throw .unreadable("has no column \"\(name)\"") }
        return index
    }

    private static func unreadable(_ line: Int) -> PushDeliveryReports.Failure {
        .unreadable("can't be read in line \(line)")
    }

    /// The fields of a line. Quotation marks around a field are left out; Apple's values contain none.
    private static func fields(_ line: Substring.UTF8View) -> [String] {
        let isMargin = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\"") }
        return line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { field in
            String(decoding: field.drop(while: isMargin).reversed().drop(while: isMargin).reversed(), as: UTF8.self)
        }
    }
}
