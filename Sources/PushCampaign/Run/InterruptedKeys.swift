internal import PushProvider

/// The lines with a collapse id that an earlier run has marked and not finished. They wait until all lines of that run were
/// read, because a later one may have replaced them: then they must not be sent any more. A pure value.
///
/// The earlier run had at most its window of such lines, so the memory is bounded.
struct InterruptedKeys {
    private var lines: [PushNotification] = []
    /// The last line of each of their keys that was sent, or may have been; -1 if there is none.
    private var newest: [CollapseKey: Int] = [:]

    var isWaiting: Bool { !lines.isEmpty }

    mutating func wait(_ line: PushNotification) {
        guard let key = line.row?.key else { return }
        lines.append(line)
        newest[key] = newest[key] ?? -1
    }

    mutating func started(_ index: Int, _ key: CollapseKey) {
        if newest[key] != nil { newest[key] = index }
    }

    /// Removes and returns the lines. Those that must not be sent have a reason.
    mutating func takeAll() -> [PushNotification] {
        defer { self = InterruptedKeys() }
        return lines.map { line in
            guard let row = line.row, let key = row.key, let last = newest[key], last > row.index else { return line }
            var line = line
            line.row = row.superseded
            return line
        }
    }
}
