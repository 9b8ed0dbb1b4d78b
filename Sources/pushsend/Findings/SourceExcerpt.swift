import PushProvider

/// The source line of a finding, and a second line that marks the finding.
///
/// A long line is cut to a window around the finding. Invisible and control characters are replaced by visible ones.
struct SourceExcerpt {
    let line: String
    /// `^` under the first character of the finding, `~` under the others.
    let mark: String

    /// The maximum width of a line, in columns. Longer lines are cut.
    static let widest = 100
    /// The width of a tab, in columns.
    private static let tab = 4

    /// A character as it is shown, with its width in columns.
    private struct Cell {
        var text: String
        var columns: Int
        var isMarked: Bool
    }

    /// - Parameters:
    ///   - location: The position of the finding.
    ///   - bytes: The whole text.
    ///   - width: The maximum width of a line in columns, without the ellipses.
    init(of location: PushFinding.Location, in bytes: [UInt8], width: Int = widest) {
        let lineStart = location.bytes.lowerBound - (location.column - 1)
        let lineEnd = bytes[lineStart...].firstIndex { $0 == 0x0A } ?? bytes.count
        // Enough bytes for the window in every encoding, so that a line of a megabyte is not read completely.
        let reach = width * 4
        var from = max(lineStart, location.bytes.lowerBound - reach)
        while from > lineStart, bytes[from] & 0xC0 == 0x80 { from -= 1 }
        let to = min(lineEnd, location.bytes.lowerBound + reach)
        let cells = Self.cells(bytes[from..<to], location.bytes)
        let (window, isCutBefore, isCutBehind) = Self.window(cells, isCut: (from > lineStart, to < lineEnd), width)
        line = (isCutBefore ? "…" : "") + window.map(\.text).joined() + (isCutBehind ? "…" : "")
        mark = (isCutBefore ? " " : "") + Self.mark(window)
    }

    private static func cells(_ bytes: ArraySlice<UInt8>, _ range: Range<Int>) -> [Cell] {
        var cells: [Cell] = []
        var at = bytes.startIndex
        var previous: Unicode.Scalar?
        while at < bytes.endIndex {
            let (scalar, width) = scalar(at: at, in: bytes)
            let next = at + width < bytes.endIndex ? Self.scalar(at: at + width, in: bytes).scalar : nil
            var cell = cell(scalar, after: previous, before: next)
            cell.isMarked = (at..<at + width).overlaps(range)
            cells.append(cell)
            previous = scalar
            at += width
        }
        // The finding is at the end of the line, where something is missing.
        if !cells.contains(where: \.isMarked) {
            if let index = range.isEmpty ? cellIndex(at: range.lowerBound, bytes) : nil, index < cells.count {
                cells[index].isMarked = true
            } else {
                cells.append(Cell(text: "", columns: 1, isMarked: true))
            }
        }
        return cells
    }

    private static func cellIndex(at range: Int, _ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.indices.contains(range) else { return nil }
        return bytes[..<range].filter { $0 & 0xC0 != 0x80 }.count
    }

    /// U+FFFD for a byte that is not UTF-8.
    private static func scalar(at: Int, in bytes: ArraySlice<UInt8>) -> (scalar: Unicode.Scalar, width: Int) {
        let width = min(sequenceWidth(bytes[at]), bytes.endIndex - at)
        let scalar = String(validating: bytes[at..<(at + width)], as: UTF8.self)?.unicodeScalars.first
        return scalar.map { ($0, width) } ?? ("\u{FFFD}", 1)
    }

    private static func sequenceWidth(_ lead: UInt8) -> Int {
        switch lead {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }

    private static func cell(
        _ scalar: Unicode.Scalar, after previous: Unicode.Scalar?, before next: Unicode.Scalar?
    ) -> Cell {
        switch scalar.value {
        case 0x09: Cell(text: String(repeating: " ", count: tab), columns: tab, isMarked: false)
        // Pictures of control characters.
        case 0..<0x20:
            Cell(text: String(Character(Unicode.Scalar(0x2400 + scalar.value) ?? " ")), columns: 1, isMarked: false)
        case 0x7F: Cell(text: "\u{2421}", columns: 1, isMarked: false)
        case _ where !PeerText.shows(scalar, after: previous, before: next):
            Cell(text: "\u{FFFD}", columns: 1, isMarked: false)
        default: Cell(text: String(Character(scalar)), columns: TerminalWidth.of(scalar), isMarked: false)
        }
    }

    /// Returns the cells around the first marked one that fit into the width.
    private static func window(
        _ cells: [Cell], isCut: (before: Bool, behind: Bool), _ width: Int
    ) -> (cells: ArraySlice<Cell>, isCutBefore: Bool, isCutBehind: Bool) {
        let marked = cells.firstIndex(where: \.isMarked) ?? 0
        var (from, to, columns) = (marked, marked, 0)
        // At most a third of the width is before the marked cell, to leave room for the text after it.
        while from > 0, columns + cells[from - 1].columns <= width / 3 {
            from -= 1
            columns += cells[from].columns
        }
        while to < cells.count, columns + cells[to].columns <= width {
            columns += cells[to].columns
            to += 1
        }
        while from > 0, columns + cells[from - 1].columns <= width {
            from -= 1
            columns += cells[from].columns
        }
        return (cells[from..<to], isCut.before || from > 0, isCut.behind || to < cells.count)
    }

    private static func mark(_ cells: ArraySlice<Cell>) -> String {
        var mark = ""
        var isFirst = true
        for cell in cells {
            guard cell.isMarked else {
                if !isFirst { break }
                mark += String(repeating: " ", count: cell.columns)
                continue
            }
            guard cell.columns > 0 else { continue }
            mark +=
                isFirst
                ? "^" + String(repeating: "~", count: cell.columns - 1) : String(repeating: "~", count: cell.columns)
            isFirst = false
        }
        return mark
    }
}
